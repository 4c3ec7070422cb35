// An editor of one file at a time: CodeMirror, or a plain field for text where it can't be loaded.
// What is typed is saved soon after, and at once when the person turns elsewhere; what commands
// write appears, unless something is unsaved.

import { visible } from '@terrarium/web/xterm';
import { $, h, name } from './dom.js';

const saveAfter = 400; // milliseconds
const largest = 1 << 20; // of a file that is opened, in bytes

export class Editor {
  #files;
  #field;
  #opened;
  #path;
  #saved = '';
  #saves = 0;
  #timer;
  #removed = false;

  /** @param opened is called with the path of the file that is shown. */
  constructor(files, field, opened) {
    this.#files = files;
    this.#field = field;
    this.#opened = opened;
    field.onChange(() => this.#typed());
    files.onChange((changes) => {
      if (changes === 'all' || changes.some((c) => this.#path === c.path || this.#path?.startsWith(`${c.path}/`))) this.#reload();
    });
    $('editor-place').addEventListener('focusout', () => this.save());
    addEventListener('visibilitychange', () => this.save());
    addEventListener('pagehide', () => this.save());
    $('editor-again').addEventListener('click', () => {
      this.#saved = undefined;
      this.#found();
      this.save();
      this.focus();
    });
  }

  /** Whether something is typed that commands don't see yet. */
  get unsaved() {
    return this.#path !== undefined && !this.#removed && this.#field.get() !== this.#saved;
  }

  /** open shows a file, and returns whether it can be shown. */
  async open(path) {
    await this.save();
    if (this.unsaved) return false; // and why was told
    const { text, why } = await this.#read(path);
    if (text === undefined) {
      this.#tell(visible(`${path} can't be shown: ${why.replace(`${path}: `, '')}`));
      return false;
    }
    this.#show(path, text);
    this.#tell('');
    return true;
  }

  focus() {
    this.#field.focus();
  }

  /** save settles when commands see what was typed. */
  async save() {
    clearTimeout(this.#timer);
    if (!this.unsaved) return;
    const path = this.#path;
    const text = this.#field.get();
    this.#saved = text;
    this.#saves++;
    try {
      await this.#files.writeFile(path, text);
      this.#tell('saved');
    } catch (e) {
      this.#saved = undefined;
      this.#tell(`not saved: ${visible(e.message)}`);
    }
  }

  /** moved follows a file, or a directory that it lies in, to its new path. */
  async moved(from, to) {
    if (this.#path !== from && !this.#path?.startsWith(`${from}/`)) return;
    await this.open(to + this.#path.slice(from.length));
  }

  #show(path, text) {
    this.#path = path;
    this.#field.set(text);
    this.#saved = this.#field.get(); // which may end lines otherwise
    this.#found();
    $('editor-name').replaceChildren(name(path));
    this.#opened(path);
  }

  #found() {
    this.#removed = false;
    $('editor-again').hidden = true;
  }

  #typed() {
    if (!this.unsaved) return;
    this.#tell('…');
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.save(), saveAfter);
  }

  async #reload() {
    const path = this.#path;
    const saves = this.#saves;
    const { text, gone } = await this.#read(path);
    if (path !== this.#path || saves !== this.#saves) return; // what is saved since is told, too
    if (gone) {
      clearTimeout(this.#timer);
      this.#removed = true;
      $('editor-again').hidden = false;
      return this.#tell('removed: only here');
    }
    if (this.#removed) {
      this.#found();
      this.#tell('');
      this.#typed();
    }
    if (text === undefined || text === this.#saved) return;
    if (this.unsaved) return; // what the person types comes first
    this.#show(path, text);
    this.#tell('changed by a command');
  }

  /** read returns the text of a file, or why there is none. */
  async #read(path) {
    let bytes;
    try {
      bytes = await this.#files.readFile(path);
    } catch (e) {
      return { why: e.message, gone: ['file_not_found', 'not_a_directory', 'is_a_directory'].includes(e.reason) };
    }
    if (bytes.length > largest) return { why: 'it is larger than 1 MiB' };
    try {
      return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
    } catch {
      return { why: 'it is not text' };
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
    focus: () => area.focus(),
    onChange: (f) => area.addEventListener('input', f),
  };
}
