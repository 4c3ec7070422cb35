// Terminals as tabs. A terminal has a view only while its tab is shown: a view begins with what
// there is, so nothing is lost, and those that nobody sees cost nothing.

import { mount } from '@terrarium/web/xterm';
import { $, h } from './dom.js';

const signs = { queued: '…', asking: '?', running: '▶', exited: '✓', killed: '■', failed: '✗' };

export class Tabs {
  #list = $('tabs');
  #panels = $('panels');
  #tabs = []; // {terminal, name, tab, panel, view}
  #selected;

  constructor() {
    this.#list.addEventListener('keydown', (e) => this.#key(e));
  }

  get terminals() {
    return this.#tabs.map((t) => t.terminal);
  }

  add(terminal, name, own = false) {
    const id = `panel-${terminal.id}`;
    const entry = { terminal, name, own, view: undefined };
    entry.tab = h('button', { type: 'button', role: 'tab', id: `tab-${terminal.id}`, 'aria-controls': id, tabindex: '-1', click: () => this.select(entry) });
    entry.panel = h('div', { role: 'tabpanel', id, 'aria-labelledby': entry.tab.id, hidden: true });
    this.#tabs.push(entry);
    this.#list.append(entry.tab);
    this.#panels.append(entry.panel);
    entry.off = terminal.on('change', () => this.#label(entry));
    this.#label(entry);
    return entry;
  }

  open(terminal, name, own) {
    const entry = this.add(terminal, name, own);
    this.select(entry);
    entry.view.focus();
    return entry;
  }

  select(entry) {
    if (this.#selected === entry) return;
    this.#hide();
    this.#selected = entry;
    if (!entry) return;
    entry.panel.hidden = false;
    entry.tab.setAttribute('aria-selected', 'true');
    entry.tab.tabIndex = 0;
    entry.view = mount(entry.terminal, entry.panel, { name: entry.name, own: entry.own, fit: entry.own });
  }

  /** remove closes a tab. The terminal is whoever's it is. */
  remove(terminal) {
    const i = this.#tabs.findIndex((t) => t.terminal === terminal);
    if (i < 0) return;
    const [entry] = this.#tabs.splice(i, 1);
    if (entry === this.#selected) this.select(this.#tabs[i] ?? this.#tabs[i - 1]);
    entry.off();
    entry.tab.remove();
    entry.panel.remove();
  }

  #hide() {
    const entry = this.#selected;
    if (!entry) return;
    entry.view?.dispose();
    entry.view = undefined;
    entry.panel.hidden = true;
    entry.tab.setAttribute('aria-selected', 'false');
    entry.tab.tabIndex = -1;
  }

  #label({ terminal, name, tab }) {
    const { state, exit } = terminal.status;
    const sign = state === 'exited' && exit?.exitCode !== 0 ? '✗' : signs[state];
    tab.textContent = `${sign} ${name}`;
    tab.setAttribute('aria-label', `${name}, ${state}${state === 'exited' ? ` ${exit?.exitCode}` : ''}`);
    tab.title = name;
    if (!tab.hasAttribute('aria-selected')) tab.setAttribute('aria-selected', 'false');
  }

  #key(e) {
    const at = this.#tabs.indexOf(this.#selected);
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: this.#tabs.length - 1 }[e.key];
    const entry = this.#tabs[to];
    if (!entry) return;
    e.preventDefault();
    this.select(entry);
    entry.tab.focus();
  }
}
