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
