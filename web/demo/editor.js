// An editor of one file at a time: CodeMirror, or a plain field for text where it can't be loaded.
// What is typed is saved soon after; what commands write appears, unless something is unsaved.

import { $, h } from './dom.js';

const saveAfter = 400; // milliseconds
const largest = 1 << 20; // of a file that is opened, in bytes

export class Editor {
  #files;
  #field;
  #path;
  #saved = '';
  #timer;

  constructor(files, field) {
    this.#files = files;
    this.#field = field;
    field.onChange(() => this.#typed());
    files.onChange((changes) => {
      if (changes === 'all' || changes.some((c) => c.path === this.#path)) this.#reload();
    });
  }

  async open(path) {
    await this.save();
    const text = await this.#read(path);
    if (text === undefined) return this.#tell(`${path} can't be shown: it is too large, not text, or gone.`);
    this.#path = path;
    this.#saved = text;
    this.#field.set(text);
    $('editor-name').textContent = path;
    this.#tell('');
  }

  async save() {
    clearTimeout(this.#timer);
    const text = this.#field.get();
    if (this.#path === undefined || text === this.#saved) return;
    this.#saved = text;
    try {
      await this.#files.writeFile(this.#path, text);
      this.#tell('saved');
    } catch (e) {
      this.#tell(`not saved: ${e.message}`);
    }
  }

  #typed() {
    if (this.#path === undefined || this.#field.get() === this.#saved) return;
    this.#tell('…');
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.save(), saveAfter);
  }

  async #reload() {
    const path = this.#path;
    const text = await this.#read(path);
    if (path !== this.#path || text === undefined || text === this.#saved) return;
    if (this.#field.get() !== this.#saved) return; // what the person types comes first
    this.#saved = text;
    this.#field.set(text);
    this.#tell('changed by a command');
  }

  async #read(path) {
    try {
      const bytes = await this.#files.readFile(path);
      if (bytes.length > largest) return undefined;
      return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    } catch {
      return undefined;
    }
  }

  #tell(text) {
    $('editor-state').textContent = text;
  }
}

/** field makes what is typed into. */
export async function field(place) {
  try {
    const { codemirror } = await import('./codemirror.js');
    return codemirror(place);
  } catch (e) {
    console.warn('CodeMirror could not be loaded; a plain field takes its place.', e);
    return plain(place);
  }
}

function plain(place) {
  const area = h('textarea', { 'aria-label': 'Text of the file', spellcheck: 'false' });
  place.append(area);
  return {
    get: () => area.value,
    set: (text) => (area.value = text),
    onChange: (f) => area.addEventListener('input', f),
  };
}
