import { h, write } from './dom.js';

/**
 * A question in the view, above the screen: what it is about is shown whole before anything is
 * done.
 */
export class Ask {
  readonly element: HTMLElement;
  #question = h('span');
  #subject = h('code', { tabindex: '0' });
  #yes: HTMLButtonElement;
  #answer: ((yes: boolean) => void) | undefined;

  /** @param back is called when it goes away, to give the focus back. */
  constructor(back: () => void) {
    this.#yes = h('button', { type: 'button', click: () => this.#end(true) });
    const no = h('button', { type: 'button', click: () => this.#end(false) }, 'Cancel');
    this.element = h(
      'div',
      {
        class: 'terrarium-bar terrarium-ask', role: 'group', 'aria-label': 'Question', hidden: true,
        keydown: (e) => {
          if ((e as KeyboardEvent).key === 'Escape') this.#end(false);
        },
      },
      this.#question, this.#subject, this.#yes, no,
    );
    this.#back = back;
  }

  #back: () => void;

  /** show asks; a question that is open counts as answered with no. */
  show(question: string, subject: string, yes: string, answer: (yes: boolean) => void): void {
    this.#answer?.(false);
    this.#answer = answer;
    write(this.#question, question);
    write(this.#subject, subject);
    write(this.#yes, yes);
    this.element.setAttribute('aria-label', question);
    this.element.hidden = false;
    this.#yes.focus();
  }

  #end(yes: boolean): void {
    const answer = this.#answer;
    this.#answer = undefined;
    this.element.hidden = true;
    this.#back();
    answer?.(yes);
  }
}
