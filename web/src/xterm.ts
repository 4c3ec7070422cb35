/**
 * A view of a terminal, drawn by xterm.js.
 *
 * It shows what a program writes and does nothing else with it: read-only until a person takes
 * over, links are followed only by a click and after the address was shown, and no sequence reaches
 * the page, its clipboard or its title. The page must load xterm.js's own style sheet,
 * `@xterm/xterm/css/xterm.css`.
 */

import { Terminal as XTerm } from '@xterm/xterm';
import type { Chunk, Snapshot, Terminal, TerminalStatus, Watch } from './types.js';
import { Ask } from './view/ask.js';
import { h, write } from './view/dom.js';
import { find, lines } from './view/find.js';
import { inert } from './view/inert.js';
import { links } from './view/links.js';
import { addStyles, theme } from './view/style.js';
import { commandLine, duration, size, visible, words } from './view/words.js';

export { commandLine, visible };

export interface ViewOptions {
  /** What the view is called; the command if absent. */
  name?: string;
  /**
   * It is the person's own: the keyboard goes to it from the start, and nobody needs to take over.
   */
  own?: boolean;
  /** The terminal gets the size of the element. Else the view has the terminal's size, and scrolls
   * sideways where there is no room. */
  fit?: boolean;
  /** Show no more rows than are in use. */
  compact?: boolean;
  /** How many rows that have scrolled out it keeps. Default 1,000. */
  history?: number;
  fontSize?: number;
  fontFamily?: string;
  /** Opens an address that the person has agreed to; a new tab if absent. */
  openLink?: (address: string) => void;
}

export interface View {
  readonly element: HTMLElement;
  /** Puts the focus on the terminal. */
  focus(): void;
  /** Whether what is typed goes to the command. */
  readonly takenOver: boolean;
  takeOver(on: boolean): void;
  /** What the view shows, the history first, as plain text; out of sight, what it showed last. */
  text(): string;
  /** Ends the view, not the terminal. */
  dispose(): void;
}

/** A terminal of `/display` also says whether it can be stopped. */
type Shown = Terminal & { readonly cancellable?: boolean };

/** A larger paste, or one of several lines, is shown before it goes to a program that can't tell it
 * from typing; in characters. */
const LARGE_PASTE = 5000;

/** How often the view for screen readers follows the screen at the most, in milliseconds. */
const TEXT_EVERY = 1000;

/** How long a new size must last before a program is told of it, in milliseconds. */
const FIT_AFTER = 50;

const FONT_SIZE = 13; // pixels

/** How many views have an xterm.js at once, unless more than that can be seen. */
const MOST = 16;

/** How long a view keeps its xterm.js that nobody sees, in milliseconds. */
const UNSEEN = 60_000;

/**
 * mount shows terminal in element. A view that is out of sight for a minute, or for longest where
 * there are more than sixteen, gives up its xterm.js, keeps its text, and draws the terminal anew
 * when it is a screen away; unless a person has taken over, put the focus there or selected text.
 */
export function mount(terminal: Terminal, element: HTMLElement, options: ViewOptions = {}): View {
  return new TerminalView(terminal, element, options);
}

/** The views with an xterm.js; what went out of sight first comes first. */
const live = new Set<TerminalView>();
const views = new WeakMap<Element, TerminalView>();
// It is that of all views. The first one makes it, since no server has one.
let sight: IntersectionObserver | undefined;

class TerminalView implements View {
  readonly element: HTMLElement;
  #terminal: Shown;
  #options: ViewOptions;
  #term: XTerm | undefined; // while it is seen
  #left = Infinity; // when it went out of sight
  #last: string | undefined = '\n'; // what it showed, until it is drawn again
  #watch: Watch | undefined;
  #watched = -1; // bytes there were when the watch ended
  #takenOver = false;
  #stopping = false;
  #disposed = false;
  #cellSize: { width: number; height: number } | undefined;
  #escaped = false; // the last key was Esc
  #announced = '';
  #undo: (() => void)[] = []; // what dispose does

  #ask = new Ask(() => this.focus());
  #name = h('span', { class: 'terrarium-name' });
  #state = h('span', { class: 'terrarium-state' });
  #sign = h('span', { 'aria-hidden': 'true' });
  #stateText = h('span');
  #screen = h('div', { class: 'terrarium-screen' });
  #still = h('pre', { class: 'terrarium-still' });
  #text = h('pre', { class: 'terrarium-text', tabindex: '0', role: 'group', hidden: true });
  #textTimer: ReturnType<typeof setTimeout> | undefined;
  #fitTimer: ReturnType<typeof setTimeout> | undefined;
  #foot = Array.from({ length: 4 }, () => h('span'));
  #heard = h('div', { class: 'terrarium-heard', role: 'status' });
  #over = this.#button('Take over', () => this.takeOver(!this.#takenOver), { 'aria-pressed': 'false' });
  #stop = this.#button('Stop', () => this.#kill());
  #asText = this.#button('Text', () => this.#showText(this.#text.hidden !== false), { 'aria-pressed': 'false' });
  #query = h('input', { type: 'search', 'aria-label': 'Find in the output', input: () => this.#find(0) });
  #count = h('span', { role: 'status' });
  #finder = h(
    'form',
    { class: 'terrarium-bar', role: 'search', hidden: true, submit: (e) => (e.preventDefault(), this.#find(1)) },
    this.#query,
    this.#button('Previous', () => this.#find(-1)),
    h('button', { type: 'submit' }, 'Next'),
    this.#count,
    this.#button('Close', () => this.#showFinder(false)),
  );
  #finderButton = this.#button('Find', () => this.#showFinder(this.#finder.hidden !== false), { 'aria-expanded': 'false' });
  #copied = h('span');
  #copyMenu = h(
    'details',
    { class: 'terrarium-menu' },
    h('summary', {}, 'Copy'),
    h(
      'div',
      {},
      this.#button('Selection', () => this.#copy(async () => this.#term?.getSelection() ?? '')),
      this.#button('All that is shown', () => this.#copy(async () => this.text())),
      this.#button('As the agent saw it', () => this.#copy(async () => (await this.#terminal.text()).output)),
    ),
  );

  constructor(terminal: Terminal, element: HTMLElement, options: ViewOptions) {
    this.#terminal = terminal;
    this.#options = options;
    this.#state.append(this.#sign, ' ', this.#stateText);
    this.element = h(
      'div',
      { class: `terrarium${options.fit ? ' terrarium-fit' : ''}`, role: 'group' },
      h('div', { class: 'terrarium-bar' }, this.#name, this.#state, this.#over, this.#stop, this.#finderButton, this.#copyMenu, this.#asText),
      this.#finder, this.#ask.element, this.#screen, this.#text,
      h('div', { class: 'terrarium-bar terrarium-foot' }, ...this.#foot, this.#copied),
      this.#heard,
    );
    element.append(this.element);
    addStyles(this.element);
    const { state, rows } = terminal.status;
    this.#still.style.fontSize = `${options.fontSize ?? FONT_SIZE}px`;
    if (!options.compact) this.#still.style.height = `${rows * 1.2}em`;
    this.#screen.append(this.#still);
    this.#listen();
    // That it has ended already is no news.
    if (state === 'exited' || state === 'killed' || state === 'failed') this.#announced = this.#ended();
    this.#changed(terminal.status);
    // Where there are many it waits until it is known which of them are seen.
    if (live.size < MOST) this.#wake();
  }

  get takenOver(): boolean {
    return this.#takenOver;
  }

  focus(): void {
    if (this.#text.hidden) this.#wake()?.focus();
    else this.#text.focus();
  }

  takeOver(on: boolean): void {
    this.#takenOver = on && this.#typable();
    if (this.#takenOver) this.#wake();
    if (this.#term) this.#term.options.disableStdin = !this.#takenOver;
    this.#over.setAttribute('aria-pressed', String(this.#takenOver));
    this.#label();
    if (this.#takenOver && !this.#options.own) {
      this.#say('You have taken over: what you type goes to the command. Escape and then Tab, or Control M, leaves it.');
      this.focus();
    }
    this.#footer(this.#terminal.status);
  }

  text(): string {
    if (this.#last !== undefined) return this.#last;
    const text = Array.from(lines(this.#term!.buffer.active), (line) => line.text).join('\n');
    return text.trimEnd() + '\n';
  }

  dispose(): void {
    this.#disposed = true;
    this.#watch?.close();
    for (const undo of this.#undo.splice(0)) undo();
    clearTimeout(this.#textTimer);
    clearTimeout(this.#fitTimer);
    this.#term?.dispose();
    live.delete(this);
    this.element.remove();
  }

  #button(name: string, click: () => void, attributes: Record<string, string> = {}): HTMLButtonElement {
    return h('button', { type: 'button', click, ...attributes }, name);
  }

  /** listen connects what happens around the view with it. */
  #listen(): void {
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const recolour = () => this.#term && (this.#term.options.theme = theme(this.element));
    dark.addEventListener('change', recolour);
    const clock = setInterval(() => {
      this.#footer(this.#terminal.status);
      if (Date.now() - this.#left > UNSEEN) this.#rest();
    }, 1000);
    views.set(this.element, this);
    // A screen away, in the page and in what scrolls within it.
    sight ??= new IntersectionObserver(TerminalView.#look, { scrollMargin: '100%' });
    sight.observe(this.element);
    const sized = new ResizeObserver(() => this.#fitSoon());
    sized.observe(this.#screen);
    this.#undo.push(
      () => dark.removeEventListener('change', recolour),
      () => clearInterval(clock),
      () => sized.disconnect(),
      () => sight?.unobserve(this.element),
      this.#terminal.on('change', (status) => this.#changed(status)),
    );
    this.element.addEventListener('focusin', () => this.#wake());
    this.#screen.addEventListener('paste', (e) => this.#paste(e), true);
    this.#query.addEventListener('keydown', (e) => {
      if (e.key === 'Escape') this.#showFinder(false);
    });
    this.#copyMenu.addEventListener('keydown', (e) => {
      if (e.key === 'Escape') this.#copyMenu.open = false;
    });
    this.#copyMenu.addEventListener('focusout', (e) => {
      if (!this.#copyMenu.contains(e.relatedTarget as Node | null)) this.#copyMenu.open = false;
    });
  }

  /** look is told which views have come into sight, or left it. */
  static #look(this: void, changes: readonly IntersectionObserverEntry[]): void {
    const seen: TerminalView[] = [];
    for (const { target, isIntersecting } of changes) {
      const view = views.get(target)!;
      view.#left = isIntersecting ? Infinity : Date.now();
      if (isIntersecting) seen.push(view);
      else if (live.delete(view)) live.add(view); // the last to rest
    }
    // Only now, so that those which have left make room.
    for (const view of seen) view.#wake();
    TerminalView.#thin();
  }

  /** thin has views rest that nobody sees, while there are too many; not the one that is to get the
   * focus, perhaps. */
  static #thin(woken?: TerminalView): void {
    for (const view of live) {
      if (live.size > MOST && view.#left < Infinity && view !== woken) view.#rest();
    }
  }

  /** wake has xterm.js draw the terminal, from a snapshot on. */
  #wake(): XTerm | undefined {
    if (this.#term || this.#disposed) return this.#term;
    const { rows, cols } = this.#terminal.status;
    const term = new XTerm({
      rows, cols,
      scrollback: this.#options.history ?? 1000,
      fontSize: this.#options.fontSize ?? FONT_SIZE,
      fontFamily: this.#options.fontFamily ?? 'ui-monospace, Menlo, Consolas, monospace',
      disableStdin: !this.#takenOver,
      minimumContrastRatio: 4.5,
      cursorInactiveStyle: 'none',
      theme: theme(this.element),
      logLevel: 'off',
    });
    inert(term);
    links(term, (address) => this.#follow(address));
    this.#still.remove();
    term.open(this.#screen);
    term.attachCustomKeyEventHandler((e) => this.#key(e));
    term.onData((data) => this.#type(data));
    term.onBinary((data) => this.#type(Uint8Array.from(data, (c) => c.charCodeAt(0))));
    term.onWriteParsed(() => this.#drawn());
    this.#term = term;
    live.add(this);
    this.#label();
    this.#begin();
    TerminalView.#thin(this);
    return term;
  }

  /** rest leaves a text in the place of xterm.js, as large, unless a person is at it. */
  #rest(): void {
    const term = this.#term;
    if (!term || this.#takenOver || term.hasSelection() || this.element.matches(':focus-within')) return;
    this.#last = this.text();
    write(this.#still, this.#last.split('\n').slice(-term.rows - 1).join('\n'));
    const height = term.element!.offsetHeight;
    if (height > 0) this.#still.style.height = `${height}px`;
    this.#watch?.close();
    this.#watch = undefined;
    this.#watched = -1;
    this.#term = undefined;
    live.delete(this);
    term.dispose();
    this.#screen.append(this.#still);
  }

  /** begin watches the terminal. What comes waits until what came before is drawn. */
  #begin(): void {
    this.#watched = -1;
    this.#watch = this.#terminal.watch(
      {
        snapshot: (s) => this.#draw(s),
        output: (c) => this.#write(c),
        end: () => {
          this.#watch = undefined;
          this.#watched = this.#terminal.status.bytes;
          // It can't be read any longer, but was shown before.
          if (this.#last !== undefined) this.#term!.write(this.#last.trimEnd().replaceAll('\n', '\r\n'));
        },
      },
      { history: this.#options.history ?? 1000 },
    );
  }

  async #draw(s: Snapshot): Promise<void> {
    const term = this.#term!;
    term.reset();
    term.options.convertEol = false; // reset keeps what a snapshot before this has set
    term.resize(s.cols, s.rows);
    this.#fitSoon();
    await this.#write(s);
    if (term === this.#term) this.#last = undefined;
  }

  #write({ data }: Chunk | Snapshot): Promise<void> {
    return new Promise((done) => this.#term!.write(data, done));
  }

  /** drawn follows what is on the screen with what depends on it. */
  #drawn(): void {
    if (this.#options.compact) this.#crop();
    if (this.#text.hidden || this.#textTimer !== undefined) return;
    this.#textTimer = setTimeout(() => {
      this.#textTimer = undefined;
      write(this.#text, this.text());
    }, TEXT_EVERY);
  }

  #changed(status: TerminalStatus): void {
    const { sign, text, tone } = words(status);
    const running = status.state === 'running';
    const alive = running || status.state === 'queued' || status.state === 'asking';
    if (!alive) this.#stopping = false;
    write(this.#sign, this.#stopping ? '■' : sign);
    write(this.#stateText, this.#stopping ? 'stopping…' : text + (status.readable ? '' : '; its output is gone'));
    this.#state.dataset['state'] = tone;
    const name = this.#called();
    write(this.#name, name);
    this.#name.title = commandLine(status.command, status.args);
    if (this.#takenOver && !this.#typable()) this.takeOver(false);
    if (this.#options.own && !this.#takenOver && this.#typable()) this.takeOver(true);
    this.#over.hidden = Boolean(this.#options.own) || !this.#typable();
    this.#stop.hidden = !alive || this.#terminal.cancellable === false;
    this.#stop.disabled = this.#stopping;
    this.#label();
    if (!alive) this.#say(this.#ended());
    // Where it leads, its terminal follows it, and not the other way round.
    const leads = this.#options.fit && this.#typable();
    const term = this.#term;
    if (term && !leads && (term.cols !== status.cols || term.rows !== status.rows)) term.resize(status.cols, status.rows);
    if (!this.#watch && this.#watched >= 0 && status.bytes !== this.#watched) this.#begin();
    this.#footer(status);
    this.#fitSoon();
  }

  /** called returns what the terminal is called. */
  #called(): string {
    const { command, args } = this.#terminal.status;
    return this.#options.name ?? commandLine(command, args);
  }

  /** label names the view and its input for those who don't see it. */
  #label(): void {
    const name = this.#called();
    this.element.setAttribute('aria-label', `Terminal: ${name}, ${this.#stateText.textContent}`);
    const how = this.#takenOver ? 'Input. Escape and then Tab leaves it' : 'Read-only. Arrow keys scroll';
    this.#term?.textarea?.setAttribute('aria-label', `${name}: ${how}`);
    this.#text.setAttribute('aria-label', `Output of ${name}, as text`);
    this.#finder.setAttribute('aria-label', `Find in the output of ${name}`);
  }

  /** footer writes the status line. */
  #footer(s: TerminalStatus): void {
    const seen = s.truncated ? `truncated: ${this.#terminal.origin === 'agent' ? 'its agent sees' : 'kept are'} the last ${size(s.kept)}` : '';
    const texts = [duration(s), size(s.bytes), `${s.cols}×${s.rows}`, seen];
    this.#foot.forEach((span, i) => {
      write(span, texts[i]!);
      span.hidden = texts[i] === '';
    });
  }

  /** ended says how it has ended, for those who don't see it. */
  #ended(): string {
    return `${this.#called()}: ${words(this.#terminal.status).text}`;
  }

  #say(text: string): void {
    if (this.#announced === text) return;
    this.#announced = text;
    this.#heard.textContent = text;
  }

  #typable(): boolean {
    const { state, interactive, released } = this.#terminal.status;
    return interactive && !released && state === 'running';
  }

  #type(data: string | Uint8Array): void {
    if (!this.#takenOver) return;
    this.#terminal.write(data).catch((e: Error) => this.#say(`It was not typed: ${e.message}`));
  }

  /** key decides on a key before xterm.js does; false leaves it to the browser. */
  #key(e: KeyboardEvent): boolean {
    if (e.type !== 'keydown') return this.#takenOver;
    const leaves = e.key === 'Tab' && (!this.#takenOver || this.#escaped);
    this.#escaped = e.key === 'Escape' || (this.#escaped && e.key === 'Shift');
    if (leaves) return false;
    if (e.ctrlKey && !e.altKey && !e.metaKey && e.key.toLowerCase() === 'm') {
      e.preventDefault();
      this.#leave();
      return false;
    }
    return this.#takenOver || (this.#scroll(e), false);
  }

  /** leave puts the focus on the first button of the view. */
  #leave(): void {
    this.element.querySelector<HTMLElement>('.terrarium-bar button:not([hidden])')?.focus();
  }

  /** scroll is what the keys of movement do while nothing is typed. */
  #scroll(e: KeyboardEvent): void {
    if (e.ctrlKey || e.altKey || e.metaKey) return;
    const term = this.#term!;
    const moves: Record<string, () => void> = {
      ArrowUp: () => term.scrollLines(-1), ArrowDown: () => term.scrollLines(1),
      PageUp: () => term.scrollPages(-1), PageDown: () => term.scrollPages(1),
      Home: () => term.scrollToTop(), End: () => term.scrollToBottom(),
      ArrowLeft: () => this.#screen.scrollBy(-40, 0), ArrowRight: () => this.#screen.scrollBy(40, 0),
    };
    const move = moves[e.key];
    if (!move) return;
    e.preventDefault();
    move();
  }

  /** paste shows what would be typed as several lines to a program that does not know of pastes. */
  #paste(e: ClipboardEvent): void {
    const text = e.clipboardData?.getData('text/plain') ?? '';
    const careless = !this.#term?.modes.bracketedPasteMode && /[\r\n]/.test(text.trimEnd());
    if (!this.#takenOver || (!careless && text.length < LARGE_PASTE)) return;
    e.preventDefault();
    e.stopPropagation();
    this.#ask.show('Paste this? Each line is run.', text.slice(0, LARGE_PASTE), 'Paste', (yes) => {
      if (yes) this.#term?.paste(text);
    });
  }

  #follow(address: string): void {
    this.#ask.show('Open this address?', address, 'Open', (yes) => {
      if (!yes) return;
      if (this.#options.openLink) this.#options.openLink(address);
      else window.open(address, '_blank', 'noopener,noreferrer');
    });
  }

  #kill(): void {
    this.#stopping = true;
    this.#changed(this.#terminal.status);
    this.#terminal.kill().catch((e: Error) => {
      this.#stopping = false;
      this.#changed(this.#terminal.status);
      this.#say(`It was not stopped: ${e.message}`);
    });
  }

  async #copy(text: () => Promise<string>): Promise<void> {
    this.#copyMenu.open = false;
    let said = 'Copied';
    try {
      await navigator.clipboard.writeText(await text());
    } catch (e) {
      said = `Not copied: ${(e as Error).message}`;
    }
    write(this.#copied, said);
    this.#say(said);
    this.#announced = '';
  }

  #find(step: -1 | 0 | 1): void {
    write(this.#count, this.#term ? find(this.#term, this.#query.value, step) : '');
  }

  #showFinder(on: boolean): void {
    this.#finder.hidden = !on;
    this.#finderButton.setAttribute('aria-expanded', String(on));
    if (on) this.#query.focus();
    else this.#finderButton.focus();
  }

  /** showText puts the output there as a text, for those whom a grid of cells does not help. */
  #showText(on: boolean): void {
    if (on) write(this.#text, this.text());
    this.#text.hidden = !on;
    this.#screen.hidden = on;
    this.#asText.setAttribute('aria-pressed', String(on));
    if (on) this.#text.focus();
  }

  /**
   * cell returns the size of a cell, in pixels, once there is one. It is measured once: after a
   * resize the number of cells is ahead of what is drawn.
   */
  #cell(): { width: number; height: number } | undefined {
    const box = this.#screen.querySelector('.xterm-screen')?.getBoundingClientRect();
    if (!this.#cellSize && box && box.width > 0) {
      this.#cellSize = { width: box.width / this.#term!.cols, height: box.height / this.#term!.rows };
    }
    return this.#cellSize;
  }

  #fitSoon(): void {
    if (!this.#options.fit) return;
    clearTimeout(this.#fitTimer);
    this.#fitTimer = setTimeout(() => this.#fit(), FIT_AFTER);
  }

  /** fit asks for the size that the element has room for. */
  #fit(): void {
    const term = this.#term;
    const cell = term && this.#typable() ? this.#cell() : undefined;
    if (!cell || this.#screen.clientWidth === 0) return;
    const scrollbar = 14;
    const cols = Math.max(20, Math.floor((this.#screen.clientWidth - 6 - scrollbar) / cell.width));
    const rows = Math.max(2, Math.floor((this.#screen.clientHeight - 6) / cell.height));
    if (cols === term!.cols && rows === term!.rows) return;
    term!.resize(cols, rows);
    this.#terminal.resize(rows, cols).catch(() => {}); // it has ended meanwhile
  }

  /** crop hides the rows below the last that is in use. */
  #crop(): void {
    const cell = this.#cell();
    if (!cell) return;
    const { rows, buffer: { active } } = this.#term!;
    let used = active.baseY > 0 || active.type === 'alternate' ? rows : active.cursorY + 1;
    for (let row = rows - 1; row >= used; row--) {
      if (active.getLine(row)?.translateToString(true)) used = row + 1;
    }
    this.#screen.style.height = `${Math.ceil(used * cell.height) + 16}px`;
  }
}
