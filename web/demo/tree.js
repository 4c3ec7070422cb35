// The files, as a tree. It is read again when the sandbox says that something has changed.

import { $, h } from './dom.js';

const directory = 2;
const mostEntries = 500; // of one directory

export class Tree {
  #files;
  #root;
  #open;
  #place = $('tree');
  #expanded = new Set();
  #current;
  #reading;
  #again = false;

  /** @param open is called with the path of a file that was chosen. */
  constructor(files, root, open) {
    this.#files = files;
    this.#root = root;
    this.#open = open;
    this.#expanded.add(root);
    files.onChange(() => this.read());
    this.read();
  }

  select(path) {
    this.#current = path;
    for (const button of this.#place.querySelectorAll('button')) {
      button.setAttribute('aria-current', String(button.dataset.path === path));
    }
  }

  /** read reads it again; what changes meanwhile is read once more after that. */
  async read() {
    this.#again = true;
    if (this.#reading) return;
    this.#reading = true;
    while (this.#again) {
      this.#again = false;
      const list = await this.#directory(this.#root).catch(() => h('ul'));
      const focused = document.activeElement?.closest?.('#tree [data-path]')?.dataset.path;
      this.#place.replaceChildren(h('ul', {}, this.#folder(this.#root, this.#root, list)));
      if (focused) [...this.#place.querySelectorAll('[data-path]')].find((e) => e.dataset.path === focused)?.focus();
      this.select(this.#current);
    }
    this.#reading = false;
  }

  async #directory(path) {
    const entries = await this.#files.readDirectory(path);
    const isDirectory = (type) => (type & directory) !== 0;
    entries.sort(([a, s], [b, t]) => isDirectory(t) - isDirectory(s) || (a < b ? -1 : 1));
    const items = entries.slice(0, mostEntries).map(async ([name, type]) => {
      const child = `${path}/${name}`;
      if (!isDirectory(type)) return h('li', {}, this.#file(child, name));
      return this.#folder(child, name, this.#expanded.has(child) ? await this.#directory(child).catch(() => h('ul')) : h('ul'));
    });
    return h('ul', {}, ...(await Promise.all(items)));
  }

  #folder(path, name, list) {
    const toggle = (e) => {
      const { open } = e.target;
      if (open === this.#expanded.has(path)) return;
      if (open) this.#expanded.add(path);
      else this.#expanded.delete(path);
      if (open) this.read();
    };
    return h('li', {}, h('details', { open: this.#expanded.has(path), toggle }, h('summary', { 'data-path': path }, name), list));
  }

  #file(path, name) {
    return h('button', { type: 'button', 'data-path': path, click: () => this.#open(path) }, name);
  }
}
