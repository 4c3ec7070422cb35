// What the tests of the sandbox call in the page.

import * as terrarium from '../../dist/index.js';

/** plugins returns what the build has metered. */
async function plugins() {
  const base = new URL('../../plugins/', import.meta.url);
  const index = await (await fetch(new URL('index.json', base))).json();
  return index.plugins.map((p) => ({ ...p, by: index.by, source: new URL(`${p.name}.wasm.gz`, base) }));
}

/** make makes a sandbox with the plugins' commands, as window.terminals. */
async function make(options = {}) {
  window.terminals = await terrarium.createTerminals({ commands: await plugins(), ...options });
}

/** run runs a command to its end, and returns what it has written and how it ended. */
async function run(command, options = {}) {
  const t = await terminals.create({ command, pty: false, interactive: false, ...options });
  const exit = await t.exited;
  const { output } = t.status.readable ? await t.text() : { output: '' };
  const { state, endedBy, error } = t.status;
  return { output, ...exit, state, ...(endedBy && { endedBy }), ...(error && { error }) };
}

/** refusal returns the reason and message that a promise rejects with. */
const refusal = (p) => p.then(() => undefined, (e) => ({ name: e.name, reason: e.reason, message: e.message, trace: e.trace }));

/** patched returns a workerFactory whose workers run code before ours. */
function patched(code) {
  const url = (text) => URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
  const both = [url(code), new URL('../../dist/worker.js', import.meta.url).href].map((u) => `import ${JSON.stringify(u)};`);
  return () => new Worker(url(both.join('\n')), { type: 'module' });
}

/** until waits until a listener of add has been told something that is wanted. */
const until = (add, wanted) => new Promise((resolve) => {
  const stop = add((...args) => {
    if (!wanted(...args)) return;
    stop?.();
    resolve(args);
  });
});

/** A view that keeps what it is shown. */
class Screen {
  text = '';
  snapshots = 0;
  ended = false;
  #decoder = new TextDecoder();
  #told = () => {};

  constructor(t, wait = () => undefined) {
    this.watch = t.watch({
      snapshot: async (s) => {
        this.text = this.#decoder.decode(s.data);
        this.at = s.offset;
        this.snapshots++;
        this.#told();
        await wait();
      },
      output: async (c) => {
        if (c.offset !== this.at) throw new Error(`a gap: ${c.offset} after ${this.at}`);
        this.at += c.data.length;
        this.text = (this.text + this.#decoder.decode(c.data, { stream: true })).slice(-1e6);
        this.#told();
        await wait();
      },
      end: () => {
        this.ended = true;
        this.#told();
      },
    });
  }

  /** What it shows, without the marks that a shell sets around its prompts. */
  get plain() {
    return this.text.replace(/\x1b\][^\x07]*\x07/g, '');
  }

  /** Settles when what it shows is as wanted. */
  shows(wanted) {
    return new Promise((resolve) => {
      this.#told = () => wanted(this) && resolve(this.text);
      this.#told();
    });
  }
}

Object.assign(window, { terrarium, plugins, make, run, refusal, patched, until, Screen, ready: true });

/** A provider of files in memory, as an editor with unsaved text has them. `before` is what it does
 * first; `asked` is what it was asked. */
class Editor {
  files = new Map();
  dirs = new Set(['/']);
  asked = [];
  before = () => undefined;
  tell = () => {};

  constructor(files) {
    for (const [path, text] of Object.entries(files)) {
      this.files.set(path, new TextEncoder().encode(text));
      for (let dir = up(path); dir !== '/'; dir = up(dir)) this.dirs.add(dir);
    }
  }

  text(path) {
    const data = this.files.get(path);
    return data && new TextDecoder().decode(data);
  }

  async stat(path) {
    await this.#ask('stat', path);
    if (this.dirs.has(path)) return { type: 2, size: 0, ctime: 0, mtime: 0 };
    return { type: 1, size: this.#data(path).length, ctime: 0, mtime: 1_000_000_000_000 };
  }

  async readDirectory(path) {
    await this.#ask('readDirectory', path);
    if (!this.dirs.has(path)) throw fault(this.files.has(path) ? 'FileNotADirectory' : 'FileNotFound');
    const below = (of) => [...of].filter((p) => p !== '/' && up(p) === path).map((p) => p.slice(p.lastIndexOf('/') + 1));
    return [...below(this.dirs).map((n) => [n, 2]), ...below(this.files.keys()).map((n) => [n, 1])];
  }

  async readFile(path) {
    await this.#ask('readFile', path);
    return this.#data(path);
  }

  async writeFile(path, content, { create, overwrite }) {
    await this.#ask('writeFile', path);
    if (!this.dirs.has(up(path))) throw fault('FileNotFound');
    if (this.files.has(path) ? !overwrite : !create) throw fault(create ? 'FileExists' : 'FileNotFound');
    this.files.set(path, content);
  }

  async createDirectory(path) {
    await this.#ask('createDirectory', path);
    this.dirs.add(path);
  }

  async delete(path) {
    await this.#ask('delete', path);
    if (!this.files.delete(path) && !this.dirs.delete(path)) throw fault('FileNotFound');
  }

  async rename(from, to) {
    await this.#ask('rename', from);
    const moved = (p) => (p === from || p.startsWith(`${from}/`) ? to + p.slice(from.length) : p);
    this.dirs = new Set([...this.dirs].map(moved));
    for (const [p, data] of [...this.files]) {
      if (moved(p) === p) continue;
      this.files.delete(p);
      this.files.set(moved(p), data);
    }
  }

  watch(listener) {
    this.tell = listener;
    return () => (this.tell = undefined);
  }

  #data(path) {
    const data = this.files.get(path);
    if (!data) throw fault(this.dirs.has(path) ? 'FileIsADirectory' : 'FileNotFound');
    return data;
  }

  #ask(what, path) {
    this.asked.push(`${what} ${path}`);
    return this.before(what, path);
  }
}

const up = (path) => path.slice(0, path.lastIndexOf('/')) || '/';
/** An error as VS Code's FileSystemError. */
const fault = (code) => Object.assign(new Error(code), { code });
const never = new Promise(() => undefined);

Object.assign(window, { Editor, fault, never });
