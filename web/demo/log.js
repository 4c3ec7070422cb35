// The agent's side of the page: what it says, its tool calls with their terminals, and what it
// asks.

import { mount } from '@terrarium/web/xterm';
import { $, h, name } from './dom.js';

const states = { pending: 'waiting', in_progress: 'running', completed: '✓ done', failed: '✗ failed' };

export class Log {
  #terminals;
  #place = $('log');
  #calls = new Map(); // by toolCallId
  #views = [];

  constructor(terminals) {
    this.#terminals = terminals;
  }

  clear() {
    for (const view of this.#views.splice(0)) view.dispose();
    this.#calls.clear();
    this.#place.replaceChildren();
  }

  say(text, who = 'agent') {
    this.#add(h('p', { class: who }, text));
  }

  /** update shows a session/update. */
  update(update) {
    switch (update.sessionUpdate) {
      case 'agent_message_chunk':
        return this.say(update.content.text);
      case 'tool_call':
        this.#open(update);
      // and what a tool call begins with is shown as a change of it is
      case 'tool_call_update':
        this.#change(update);
    }
  }

  #open({ toolCallId, title }) {
    const state = h('span', { class: 'call' });
    const body = h('div');
    const card = h('div', { class: 'card', role: 'group', 'aria-label': title }, h('div', { class: 'bar' }, h('span', { class: 'title' }, name(title)), state), body);
    this.#calls.set(toolCallId, { card, state, body, shown: new Set() });
    this.#add(card);
  }

  #change({ toolCallId, status, content }) {
    const call = this.#calls.get(toolCallId);
    if (!call) return;
    if (status) {
      call.card.dataset.status = status;
      call.state.textContent = states[status] ?? status;
    }
    for (const item of content ?? []) {
      const key = item.terminalId ?? item.path;
      if (call.shown.has(key)) continue;
      call.shown.add(key);
      if (item.type === 'diff') call.body.append(diff(item));
      if (item.type === 'terminal') this.#embed(call.body, item.terminalId);
    }
    this.#follow();
  }

  #embed(place, id) {
    const terminal = this.#terminals.get(id);
    if (!terminal) {
      place.append(h('p', { class: 'hint' }, 'Its output is gone.'));
      return;
    }
    this.#views.push(mount(terminal, place, { compact: true, fontSize: 12 }));
  }

  /**
   * ask asks for permission, with details as texts and elements, and returns the answer; aborting
   * the signal takes the question back.
   */
  ask(question, subject, details, answers, signal) {
    return new Promise((resolve) => {
      const end = (answer) => {
        const had = box.contains(document.activeElement);
        box.remove();
        if (had) $('agent-stop').focus();
        resolve(answer);
      };
      const buttons = answers.map(({ name, value }, i) => h('button', { type: 'button', class: i === 0 ? 'main' : '', click: () => end(value) }, name));
      const box = h(
        'div', { class: 'permission', role: 'group', 'aria-label': question },
        h('p', {}, question), h('pre', { tabindex: '0', 'aria-label': 'What it would do' }, subject), h('p', { class: 'hint' }, ...details), h('div', { class: 'bar' }, ...buttons),
      );
      signal?.addEventListener('abort', () => end(undefined));
      this.#add(box);
    });
  }

  #add(element) {
    this.#place.append(element);
    this.#follow();
  }

  #follow() {
    requestAnimationFrame(() => this.#place.scrollTo({ top: this.#place.scrollHeight }));
  }
}

/** diff shows which lines go and which come: what both begin and end with is left out. */
function diff({ path, oldText, newText }) {
  const before = oldText.split('\n');
  const after = newText.split('\n');
  let start = 0;
  while (start < before.length && before[start] === after[start]) start++;
  let end = 0;
  while (end < Math.min(before.length, after.length) - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  const lines = (all, tag, sign) => all.slice(start, all.length - end).map((line) => h(tag, {}, `${sign} ${line}`));
  return h('pre', { class: 'diff', tabindex: '0', role: 'group', 'aria-label': `Changes of ${path}` }, name(path), '\n', ...lines(before, 'del', '−'), ...lines(after, 'ins', '+'));
}
