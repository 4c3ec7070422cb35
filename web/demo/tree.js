// The files, as a tree: one stop of the Tab key, arrows within it. It is read again when the
// sandbox says that something has changed.

import { $, h, name } from './dom.js';

const directory = 2, link = 64;
const mostEntries = 500; // of one directory

export class Tree {
  #files;
  #root;
  #open;
  #place = $('tree');
  #rows = new Map(); // by path, from the top
  #expanded = new Set();
  #selected; // what the arrows and the buttons start from
  #opened; // in the editor
  #reading;
  #again = false;

  /** @param open is called with the path of a file that was chosen. */
  constructor(files, root, open) {
    this.#files = files;
    this.#root = this.#selected = root;
    this.#open = open;
    this.#expanded.add(root);
    files.onChange(() => this.read());
    this.#place.addEventListener('keydown', (e) => this.#key(e));
    this.#place.addEventListener('focusin', (e) => this.#select(e.target.closest('[data-path]')));
    this.#place.addEventListener('click', (e) => this.#act(e.target.closest('[data-path]')));
  }

  /** What is selected, and whether it is a directory. */
  get selected() {
    const row = this.#rows.get(this.#selected) ?? this.#rows.get(this.#root);
    return { path: row.dataset.path, isDirectory: row.hasAttribute('aria-expanded') };
  }

  /** opened marks the file that is in the editor. */
  opened(path) {
    this.#opened = path;
    for (const row of this.#rows.values()) row.setAttribute('aria-current', String(row.dataset.path === path));
  }

  /** reveal selects a path, with the directories above it open. */
  async reveal(path) {
    for (let at = path.lastIndexOf('/'); at > this.#root.length; at = path.lastIndexOf('/', at - 1)) this.#expanded.add(path.slice(0, at));
    this.#expanded.add(this.#root);
    this.#selected = path;
    await this.read();
  }

  focus() {
    (this.#rows.get(this.#selected) ?? this.#rows.get(this.#root)).focus();
  }

  /** read reads it again; what changes meanwhile is read once more after that. */
  read() {
    this.#again = true;
    return (this.#reading ??= this.#readAll());
  }

  async #readAll() {
    while (this.#again) {
      this.#again = false;
      const rows = [this.#item(this.#root, this.#root, 1, true)];
      await (this.#expanded.has(this.#root) && this.#list(this.#root, 2, rows));
      const focused = this.#place.contains(document.activeElement);
      const kept = new Set(rows);
      for (const row of [...this.#place.children]) if (!kept.has(row)) row.remove();
      rows.forEach((row, i) => row === this.#place.children[i] || this.#place.insertBefore(row, this.#place.children[i] ?? null));
      this.#rows = new Map(rows.flatMap((row) => (row.dataset.path ? [[row.dataset.path, row]] : [])));
      this.opened(this.#opened);
      // What has gone leaves the selection to what it was in.
      while (!this.#rows.get(this.#selected)) this.#selected = this.#selected.startsWith(`${this.#root}/`) ? parent(this.#selected) : this.#root;
      this.#select(this.#rows.get(this.#selected));
      if (focused && !this.#place.contains(document.activeElement)) this.focus();
    }
    this.#reading = undefined;
  }

  async #list(path, level, rows) {
    const entries = await this.#files.readDirectory(path).catch(() => []);
    for (const entry of entries.slice(0, mostEntries)) {
      if (entry[1] === link) entry[1] = await this.#files.stat(`${path}/${entry[0]}`).then((s) => s.type, () => link);
    }
    const isDirectory = (type) => (type & directory) !== 0;
    entries.sort(([a, s], [b, t]) => isDirectory(t) - isDirectory(s) || (a < b ? -1 : 1));
    for (const [entry, type] of entries.slice(0, mostEntries)) {
      const child = `${path}/${entry}`;
      rows.push(this.#item(child, entry, level, isDirectory(type)));
      if (isDirectory(type) && this.#expanded.has(child)) await this.#list(child, level + 1, rows);
    }
    const more = entries.length - mostEntries;
    if (more > 0) rows.push(h('div', { role: 'treeitem', 'aria-level': String(level), 'aria-disabled': 'true', style: `--level: ${level}` }, `… and ${more} more`));
  }

  /** item is the row that there was, if it still is what it was: somebody may be clicking it. */
  #item(path, text, level, isDirectory) {
    const row = this.#rows.get(path);
    if (row && row.hasAttribute('aria-expanded') === isDirectory) {
      if (isDirectory) row.setAttribute('aria-expanded', String(this.#expanded.has(path)));
      return row;
    }
    const attributes = { role: 'treeitem', 'aria-level': String(level), 'data-path': path, style: `--level: ${level}`, tabindex: '-1' };
    if (isDirectory) attributes['aria-expanded'] = String(this.#expanded.has(path));
    return h('div', attributes, name(text));
  }

  #select(row) {
    if (!row) return;
    this.#selected = row.dataset.path;
    for (const other of this.#rows.values()) {
      other.tabIndex = other === row ? 0 : -1;
      other.setAttribute('aria-selected', String(other === row));
    }
    for (const id of ['rename', 'delete']) $(id).disabled = this.#selected === this.#root;
  }

  /** act opens a file, and opens or closes a directory. */
  #act(row) {
    if (!row) return;
    const { path } = row.dataset;
    if (!row.hasAttribute('aria-expanded')) this.#open(path);
    else this.#toggle(path, !this.#expanded.has(path));
  }

  #toggle(path, on) {
    if (on) this.#expanded.add(path);
    else this.#expanded.delete(path);
    this.read();
  }

  #key(e) {
    if (e.ctrlKey || e.altKey || e.metaKey) return;
    const row = e.target.closest('[data-path]');
    const rows = [...this.#rows.values()];
    const at = rows.indexOf(row);
    const { path } = row.dataset;
    const expanded = row.getAttribute('aria-expanded');
    const go = (to) => to?.focus();
    const keys = {
      ArrowDown: () => go(rows[at + 1]),
      ArrowUp: () => go(rows[at - 1]),
      Home: () => go(rows[0]),
      End: () => go(rows.at(-1)),
      ArrowRight: () => (expanded === 'false' ? this.#toggle(path, true) : expanded && rows[at + 1]?.dataset.path.startsWith(`${path}/`) && go(rows[at + 1])),
      ArrowLeft: () => (expanded === 'true' ? this.#toggle(path, false) : go(this.#rows.get(parent(path)))),
      Enter: () => this.#act(row),
      ' ': () => this.#act(row),
      F2: () => $('rename').click(),
      Delete: () => $('delete').click(),
    };
    const letter = e.key.length === 1 && e.key !== ' ';
    if (!letter && !keys[e.key]) return;
    e.preventDefault();
    if (!letter) keys[e.key]();
    else go([...rows.slice(at + 1), ...rows.slice(0, at)].find((r) => r.textContent.toLowerCase().startsWith(e.key.toLowerCase())));
  }
}

const parent = (path) => path.slice(0, path.lastIndexOf('/'));
