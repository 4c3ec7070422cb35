// createTerminals without a sandbox, for tests of the demo page alone: its commands say what is
// written here. Their output is kept by /display.

import { createDisplay } from '/dist/display.js';

const project = '/work/project';

/** What a command line does: texts and pauses in milliseconds, then its exit code. */
function* program(line, files) {
  const greet = files.text(`${project}/greet.sh`) ?? '';
  if (line.startsWith('grep')) return yield './greet.sh:3:echo "Hello, $name"\r\n';
  if (/test\.sh$/.test(line)) {
    const wanted = ['Hello, world', 'Hello, Ada', 'HELLO, ADA!', 'HELLO, WORLD!'];
    const right = [true, true, greet.includes(')!'), greet.includes(')!')];
    for (const [i, want] of wanted.entries()) {
      yield right[i] ? `  \x1b[32mok\x1b[0m    greet: ${want}\r\n` : `  \x1b[31mwrong\x1b[0m greet: got "${want.replace('!', '')}", want "${want}"\r\n`;
      yield 20;
    }
    return right.every(Boolean) ? 0 : 1;
  }
  if (line.includes('git commit')) return yield '[master 1234567] greet: shout if told to\r\n 1 file changed, 7 insertions(+)\r\n';
  if (line.includes('yes')) {
    for (let i = 0; i < 60; i++) {
      yield 'All work and no play makes Jack a dull boy.\r\n'.repeat(1500);
      yield 0;
    }
    return yield 'That were 64 MB.\r\n';
  }
  if (line.startsWith('bash')) {
    yield '\x1b[32m/work/project $\x1b[0m ';
    return yield Infinity;
  }
  if (line.includes('while') || line.includes('bomb')) return yield Infinity;
  yield `${line}: nothing\r\n`;
}

const fault = (path, reason) => Object.assign(new Error(`${path}: ${reason}`), { reason });

class Files {
  #map = new Map(); // directories end in /
  #listeners = new Set();

  constructor(files) {
    for (const [path, text] of Object.entries(files)) this.#map.set(path, new TextEncoder().encode(text));
  }

  text(path) {
    const bytes = this.#map.get(path);
    return bytes && new TextDecoder().decode(bytes);
  }

  async readDirectory(path) {
    const found = new Map();
    for (const name of this.#map.keys()) {
      if (!name.startsWith(`${path}/`)) continue;
      const [first, ...rest] = name.slice(path.length + 1).split('/');
      if (first) found.set(first, rest.length > 0 ? 2 : 1);
    }
    return [...found];
  }

  async readFile(path) {
    const bytes = this.#map.get(path);
    if (!bytes) throw fault(path, 'file_not_found');
    return bytes.slice();
  }

  async writeFile(path, content) {
    this.#map.set(path, typeof content === 'string' ? new TextEncoder().encode(content) : content);
    this.#changed(path);
  }

  async stat(path) {
    if (this.#below(path).length === 0) throw fault(path, 'file_not_found');
  }

  async createDirectory(path) {
    this.#map.set(`${path}/`);
    this.#changed(path);
  }

  async delete(path) {
    for (const name of this.#below(path)) this.#map.delete(name);
    this.#changed(path);
  }

  async rename(from, to) {
    for (const name of this.#below(from)) {
      this.#map.set(to + name.slice(from.length), this.#map.get(name));
      this.#map.delete(name);
    }
    this.#changed(from);
  }

  #below(path) {
    return [...this.#map.keys()].filter((name) => name === path || name.startsWith(`${path}/`));
  }

  #changed(path) {
    for (const listener of this.#listeners) listener([{ type: 2, path }]);
  }

  onChange(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

export async function createTerminals(options) {
  const display = await createDisplay();
  const files = new Files(options.files ?? {});
  const terminals = new Map();
  const listeners = { open: new Set(), change: new Set(), evict: new Set(), load: new Set(), state: new Set(), storage: new Set() };
  const emit = (event, ...args) => listeners[event].forEach((f) => f(...args));
  let made = 0;
  const later = new Set(); // timers, for close

  async function start(command, args, session, interactive) {
    const id = `term_${++made}`;
    const line = [command, ...args].join(' ');
    const tell = (update, kind = 'terminal_update') => display.update({ sessionId: 's', update: { sessionUpdate: kind, terminalId: id, ...update } });
    tell({ command, cwd: project, size: { rows: 24, cols: 80 } });
    const shown = display.get('s', id);
    let state = 'asking';
    let failed;
    let stop;
    const stopped = new Promise((resolve) => (stop = resolve));
    const status = () => ({
      ...shown.status, command, args, pty: true, interactive, ...(state ? { state } : {}), ...(failed ? { error: failed } : {}),
    });
    const changed = new Set();
    const change = () => {
      for (const f of changed) f(status());
      emit('change', terminal);
    };
    shown.on('change', change);
    const terminal = new Proxy(shown, {
      get(target, name) {
        if (name === 'status') return status();
        if (name === 'cancellable') return undefined;
        if (name === 'origin') return session === '' ? 'page' : 'agent';
        if (name === 'session') return session;
        if (name === 'on') return (_event, f) => (changed.add(f), () => changed.delete(f));
        if (name === 'write') return async (data) => tell({ data: btoa(data === '\r' ? '\r\n$ ' : data) }, 'terminal_output_chunk');
        if (name === 'resize') return async (rows, cols) => void tell({ size: { rows, cols } });
        if (name === 'kill') return async () => stop('killed');
        const value = target[name];
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    terminals.set(id, terminal);
    emit('open', terminal);
    const begin = async () => {
      const answer = await options.policy?.({
        terminal, path: `/bin/${command}`, argv: [command, ...args], cwd: project, roots: [project], env: [], signal: new AbortController().signal,
      });
      if (answer !== undefined && answer !== 'allow') {
        state = 'failed';
        failed = { reason: 'denied', message: answer.reason };
        change();
        throw new Error(answer.reason);
      }
      state = undefined;
      change();
      run();
    };
    const run = async () => {
      const steps = program(line, files);
      let code = 0;
      for (let step = steps.next(); ; step = steps.next()) {
        if (step.done) {
          code = step.value ?? 0;
          break;
        }
        if (typeof step.value === 'string') {
          tell({ data: btoa(step.value) }, 'terminal_output_chunk');
          continue;
        }
        const pause = step.value === Infinity ? new Promise(() => {}) : new Promise((resolve) => later.add(setTimeout(resolve, step.value)));
        if ((await Promise.race([pause, stopped])) === 'killed') return tell({ exitStatus: { signal: 'SIGTERM' } });
      }
      tell({ exitStatus: { exitCode: code } });
    };
    return { terminal, begin };
  }

  return (window.terminals = {
    state: 'ready',
    ready: Promise.resolve(),
    files,
    clientCapabilities: { terminal: true },
    get: (id) => terminals.get(id),
    list: () => [...terminals.values()],
    on: (event, f) => (listeners[event].add(f), () => listeners[event].delete(f)),
    async create({ command, args = [] }) {
      const { terminal, begin } = await start(command, args, '', true);
      begin().catch(() => {});
      return terminal;
    },
    async handleMessage({ id, method, params }) {
      const answer = (result) => ({ jsonrpc: '2.0', id, result });
      const terminal = terminals.get(params.terminalId);
      switch (method) {
        case 'terminal/create':
          try {
            const { terminal, begin } = await start(params.command, params.args, params.sessionId, false);
            await begin();
            return answer({ terminalId: terminal.id });
          } catch (e) {
            return { jsonrpc: '2.0', id, error: { code: -32603, message: e.message } };
          }
        case 'terminal/wait_for_exit':
          return answer(await terminal.exited);
        case 'terminal/output':
          return answer(await terminal.text());
      }
      return answer({});
    },
    async openSession() {},
    async closeSession() {},
    async restart() {},
    async close() {
      for (const timer of later) clearTimeout(timer);
      display.close();
    },
  });
}
