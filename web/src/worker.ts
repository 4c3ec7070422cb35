// The worker: it runs Go's sandbox.wasm and all guests, and carries what the page says to Go's
// exports and what Go tells to the page. cmd/sandbox/ABI.md is the boundary to Go, protocol.ts that
// to the page.

import './wasm_exec.js';
import { SandboxError, messageOf } from './errors.js';
import { Guests, missing } from './guests.js';
import { compile, fetchModule, notCompiled, opened } from './modules.js';
import type { Config, Failed, Found, FromWorker, ModuleInfo, Request, SandboxEvent, ToWorker } from './protocol.js';
import { Storage, type Memory } from './storage.js';
import type { Bytes, FileChange } from './types.js';

/** The exports of cmd/sandbox that are not engine/page's. */
interface Exports {
  mem: WebAssembly.Memory;
  sandbox_version(): number;
  sandbox_returned(): number;
  input(n: number): number;
  result(): bigint;
  configure(n: number): number;
  close_all(): number;
  create(n: number): number;
  write(id: number, n: number): number;
  close_input(id: number): number;
  resize(id: number, rows: number, cols: number): number;
  kill(id: number): number;
  release(id: number): number;
  output(id: number): number;
  decide(request: number, allow: number, n: number): number;
  watch(id: number, history: number): number;
  snapshot(watch: number, history: number): number;
  take(watch: number, max: number): number;
  unwatch(watch: number): number;
  open_peer(n: number): number;
  peer_line(peer: number, n: number): number;
  peer_taken(peer: number, count: number): number;
  close_peer(peer: number): number;
  file_stat(path: number): number;
  file_list(path: number): number;
  file_read(path: number): number;
  file_write(path: number, n: number, flags: number, mode: number): number;
  file_mkdir(path: number): number;
  file_remove(path: number, recursive: number): number;
  file_rename(path: number, n: number, overwrite: number): number;
  file_changes(): number;
  module_compiled(request: number): number;
  module_bytes(request: number, n: number): number;
  module_failed(request: number, n: number): number;
}

const version = 1;
/** The statuses that are not errors: see ABI.md. */
const more = 1, lost = 2;
/** How much output goes to the page at once. */
const batch = 64 << 10;
/** How many changes of files are kept that the page has not heard of. */
const maxChanges = 4096;
/** How much of what Go writes before it dies is kept, in characters. */
const maxTrace = 64 << 10;
/** A smallest module, to see whether there may be any. */
const empty = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);

const scope = globalThis as unknown as {
  postMessage(message: FromWorker, transfer: Transferable[]): void;
  onmessage: ((e: MessageEvent<ToWorker>) => void) | null;
};
const encoder = new TextEncoder(), decoder = new TextDecoder();

function post(message: FromWorker, ...transfer: Transferable[]): void {
  scope.postMessage(message, transfer);
}

function failedOf(e: unknown): Failed {
  if (e instanceof SandboxError) {
    return e.param === undefined ? { reason: e.reason, message: e.message } : { reason: e.reason, message: e.message, param: e.param };
  }
  return { reason: 'failed', message: messageOf(e) };
}

/** What a view was given, and what it waits for. */
interface View {
  wanting: boolean;
  telling: boolean;
  ended: boolean;
}

class Sandbox {
  private x!: Exports;
  private readonly guests = new Guests();
  private returnedAt = 0;
  private dead = false;
  private trace = '';

  private by = '';
  private modules: ModuleInfo[] = [];
  private moduleLimit = 0;
  private readonly views = new Map<number, View>();

  // Events that the page has not got; of each terminal the last only.
  private events: SandboxEvent[] = [];
  private unheard = false;
  private changed = false;
  private changes: FileChange[] | 'all' | undefined;
  private flushing = false;

  private storage: Storage | undefined;
  private readonly memory: Memory = {
    stat: (path) => {
      try {
        this.file(path, (x, p) => x.file_stat(p));
      } catch (e) {
        if (e instanceof SandboxError && e.reason !== 'dead') return undefined;
        throw e;
      }
      return JSON.parse(this.text()) as { type: number; mode: number };
    },
    list: (path) => {
      this.file(path, (x, p) => x.file_list(p));
      return JSON.parse(this.text()) as [string, number][];
    },
    read: (path) => {
      this.file(path, (x, p) => x.file_read(p));
      return this.result();
    },
    write: (path, data, mode) => this.writeFile(path, data, 7, mode),
    mkdir: (path) => this.file(path, (x, p) => x.file_mkdir(p)),
  };

  async boot(m: ToWorker & { to: 'boot' }): Promise<void> {
    const lack = missing();
    if (lack) throw new SandboxError('no_jspi', `this browser lacks ${lack}: Chromium 137, Firefox 153 and Safari 27 have it`);
    if (typeof DecompressionStream !== 'function') throw new SandboxError('unsupported', 'this browser lacks DecompressionStream');
    try {
      new WebAssembly.Module(empty);
    } catch (e) {
      throw notCompiled('sandbox', e);
    }
    await this.start(m.wasmURL);
    this.modules = m.modules;
    this.moduleLimit = m.moduleLimit;
    this.configure(m.config);
    await this.fill(m.storage, m.files);
  }

  /** Puts in the files what was kept, or what they begin with. */
  private async fill(storage: string | undefined, files: [string, Bytes][]): Promise<void> {
    let kept = false;
    if (storage !== undefined) {
      this.storage = await Storage.open(storage, this.memory, (e) => post({ from: 'storage', error: failedOf(e) }));
      kept = await this.storage.load();
    }
    for (const [path, data] of kept ? [] : files) {
      if (path.endsWith('/')) this.memory.mkdir(path.replace(/\/+$/, '') || '/');
      else this.memory.write(path, data, 0);
    }
    this.call((x) => x.file_changes());
    this.changes = undefined;
    if (!kept) this.storage?.changed('all');
  }

  private async start(url: string): Promise<void> {
    const response = await fetchModule('sandbox', url, (loaded, total) => this.progress('sandbox', 'fetch', loaded, total));
    const module = await compile('sandbox', response);
    const go = new globalThis.Go();
    const imports = { ...go.importObject, terrarium_page: this.guests.imports, terrarium_sandbox: this.imports };
    let instance: WebAssembly.Instance;
    try {
      instance = await WebAssembly.instantiate(module, imports);
    } catch (e) {
      throw new SandboxError('wrong_version', `sandbox: it does not fit the worker: ${messageOf(e)}`, { cause: e });
    }
    this.x = instance.exports as unknown as Exports;
    if (typeof this.x.sandbox_version !== 'function') throw new SandboxError('wrong_version', 'sandbox: it is another module');
    this.listen();
    this.guests.onfail = (reason) => this.die(reason);
    go.run(instance).catch((e) => this.die(e));
    if (this.x.sandbox_version() !== version) {
      throw new SandboxError('wrong_version', `sandbox: it is of version ${this.x.sandbox_version()}, the worker of ${version}`);
    }
    this.returnedAt = this.x.sandbox_returned() >>> 0;
    this.guests.attach(go, instance);
    this.progress('sandbox', 'done', 0, undefined);
  }

  /** Keeps what Go writes, which is why it dies. */
  private listen(): void {
    const fs = (globalThis as unknown as { fs: { writeSync(fd: number, p: Uint8Array): number } }).fs;
    fs.writeSync = (_, p) => {
      this.trace = (this.trace + decoder.decode(p)).slice(-maxTrace);
      return p.length;
    };
  }

  private die(reason: unknown): void {
    if (this.dead) return;
    this.dead = true;
    const message = `the sandbox has died: ${messageOf(reason)}`;
    post({ from: 'dead', error: { reason: 'dead', message }, trace: [this.trace, describe(reason)].join('\n') });
    scope.onmessage = null;
  }

  // Calls of Go's exports.

  /** Puts what there is into Go's input buffer, and returns how long each is. */
  private put(...parts: (string | Uint8Array)[]): number[] {
    const all = parts.map((p) => (typeof p === 'string' ? encoder.encode(p) : p));
    const size = all.reduce((n, p) => n + p.length, 0);
    let at = this.x.input(size) >>> 0;
    if (at === 0) throw new SandboxError('range', `${size} bytes at once are too much`);
    for (const p of all) {
      new Uint8Array(this.x.mem.buffer).set(p, at);
      at += p.length;
    }
    return all.map((p) => p.length);
  }

  /** Calls an export, and returns its status if that is no failure. */
  private call(f: (x: Exports) => number): number {
    if (this.dead) throw new SandboxError('dead', 'the sandbox has died');
    const flag = () => new Int32Array(this.x.mem.buffer, this.returnedAt, 1);
    flag()[0] = 0;
    let status: number;
    try {
      status = f(this.x);
    } catch (e) {
      this.die(e);
      throw new SandboxError('dead', 'the sandbox has died');
    }
    if (flag()[0] !== 1) {
      this.die(new Error('a call into the sandbox has blocked'));
      throw new SandboxError('dead', 'the sandbox has died');
    }
    this.guests.kick();
    if (status >= 0) return status;
    const { reason, message, param } = JSON.parse(this.text()) as Failed;
    throw new SandboxError(reason, message, { param });
  }

  /** The result of the last call, copied. */
  private result(): Bytes {
    const span = BigInt.asUintN(64, this.x.result());
    const at = Number(span >> 32n), n = Number(span & 0xffffffffn);
    return new Uint8Array(this.x.mem.buffer as ArrayBuffer, at, n).slice();
  }

  private text(): string {
    return decoder.decode(this.result());
  }

  private configure(config: Config): void {
    const [n] = this.put(JSON.stringify(config));
    this.call((x) => x.configure(n!));
    this.by = (JSON.parse(this.text()) as { by: string }).by;
  }

  private terminal(id: string, f: (x: Exports, id: number) => number): number {
    const [n] = this.put(id);
    return this.call((x) => f(x, n!));
  }

  private file(path: string, f: (x: Exports, path: number) => number): void {
    const [n] = this.put(path);
    this.call((x) => f(x, n!));
  }

  private writeFile(path: string, data: Bytes, flags: number, mode: number): void {
    const [p, n] = this.put(path, data);
    this.call((x) => x.file_write(p!, n!, flags, mode));
  }

  // What the page says.

  take(m: ToWorker): void {
    switch (m.to) {
      case 'boot':
        this.boot(m).then(
          () => post({ from: 'ready' }),
          (e) => post({ from: 'failed', error: failedOf(e) }),
        );
        return;
      case 'request':
        return this.answer(m.n, m.request);
      case 'next':
        return this.next(m.watch);
      case 'skip':
        return this.skip(m.watch, m.history);
      case 'unwatch':
        this.views.delete(m.watch);
        return this.quietly(() => this.call((x) => x.unwatch(m.watch)));
      case 'decide':
        return this.quietly(() => {
          const [n] = this.put(m.reason);
          this.call((x) => x.decide(m.request, m.allow ? 1 : 0, n!));
        });
      case 'found':
        return void this.found(m.request, m.found);
      case 'line':
        return this.line(m.peer, m.text);
      case 'taken':
        return this.quietly(() => this.call((x) => x.peer_taken(m.peer, m.bytes)));
      case 'close_peer':
        return this.quietly(() => this.call((x) => x.close_peer(m.peer)));
      case 'heard':
        this.unheard = false;
        return this.flush();
      case 'close':
        return void this.close();
    }
  }

  private async close(): Promise<void> {
    await this.storage?.close();
    this.quietly(() => this.call((x) => x.close_all()));
  }

  /** Does what needs no answer: what it is about may have gone meanwhile. */
  private quietly(f: () => void): void {
    try {
      f();
    } catch (e) {
      if (!(e instanceof SandboxError)) throw e;
    }
  }

  private answer(n: number, request: Request): void {
    try {
      const [value, ...transfer] = this.perform(request);
      post({ from: 'reply', n, value }, ...transfer);
    } catch (e) {
      post({ from: 'reply', n, error: failedOf(e) });
    }
  }

  /** Does what a request says, and returns its value and what of it is handed over. */
  private perform(r: Request): [value?: unknown, ...transfer: Transferable[]] {
    switch (r.op) {
      case 'create': {
        const [n] = this.put(JSON.stringify(r.command));
        this.call((x) => x.create(n!));
        const id = this.text();
        const told = this.events.find((e) => e.event === 'terminal' && e.terminal.id === id);
        return [told && told.event === 'terminal' ? told.terminal : undefined];
      }
      case 'write': {
        const [id, n] = this.put(r.id, r.data);
        this.call((x) => x.write(id!, n!));
        return [];
      }
      case 'close_input':
      case 'kill':
      case 'release':
        this.terminal(r.id, (x, id) => x[r.op as 'kill'](id));
        return [];
      case 'resize':
        this.terminal(r.id, (x, id) => x.resize(id, r.rows, r.cols));
        return [];
      case 'text': {
        const truncated = this.terminal(r.id, (x, id) => x.output(id)) === more;
        return [{ output: this.text(), truncated }];
      }
      case 'watch': {
        const watch = this.terminal(r.id, (x, id) => x.watch(id, r.history));
        const snapshot = this.shot();
        if (!this.views.has(watch)) this.views.set(watch, { wanting: false, telling: false, ended: false });
        return [{ watch, snapshot }, snapshot.data.buffer];
      }
      case 'open_peer': {
        const [n] = this.put(JSON.stringify(r.options));
        return [this.call((x) => x.open_peer(n!))];
      }
      case 'stat':
      case 'list':
        this.file(r.path, (x, p) => (r.op === 'stat' ? x.file_stat(p) : x.file_list(p)));
        return [JSON.parse(this.text())];
      case 'read': {
        this.file(r.path, (x, p) => x.file_read(p));
        const data = this.result();
        return [data, data.buffer];
      }
      case 'mkdir':
        this.file(r.path, (x, p) => x.file_mkdir(p));
        return [];
      case 'write_file':
        this.writeFile(r.path, r.data, r.flags, r.mode);
        return [];
      case 'remove':
        this.file(r.path, (x, p) => x.file_remove(p, r.recursive ? 1 : 0));
        return [];
      case 'rename': {
        const [from, to] = this.put(r.from, r.to);
        this.call((x) => x.file_rename(from!, to!, r.overwrite ? 1 : 0));
        return [];
      }
    }
  }

  // Views.

  /** The snapshot that is the last call's result. */
  private shot(): { offset: number; rows: number; cols: number; data: Bytes } {
    const b = this.result(), v = new DataView(b.buffer);
    return { offset: Number(v.getBigUint64(0, true)), rows: v.getUint32(8, true), cols: v.getUint32(12, true), data: b.slice(24) };
  }

  private view(watch: number): View {
    let v = this.views.get(watch);
    if (!v) this.views.set(watch, (v = { wanting: false, telling: false, ended: false }));
    return v;
  }

  private next(watch: number): void {
    const v = this.views.get(watch);
    if (!v) return;
    v.wanting = true;
    this.show(watch, v);
  }

  private skip(watch: number, history: number): void {
    const v = this.views.get(watch);
    if (!v) return;
    this.quietly(() => {
      this.call((x) => x.snapshot(watch, history));
      const snapshot = this.shot();
      v.wanting = false;
      post({ from: 'snapshot', watch, snapshot }, snapshot.data.buffer);
    });
  }

  /** Hands on what there is, if the view wants it: one piece at a time. */
  private show(watch: number, v: View): void {
    if (!v.wanting || this.dead) return;
    this.quietly(() => {
      if (v.telling) {
        const status = this.call((x) => x.take(watch, batch));
        if (status !== more) v.telling = false;
        if (status === lost) {
          v.wanting = false;
          return post({ from: 'output', watch, offset: -1, data: new Uint8Array(0) });
        }
        const b = this.result();
        if (b.length > 8) {
          v.wanting = false;
          const data = b.slice(8);
          return post({ from: 'output', watch, offset: Number(new DataView(b.buffer).getBigUint64(0, true)), data }, data.buffer);
        }
      }
      if (v.ended) {
        v.wanting = false;
        post({ from: 'ended', watch });
      }
    });
  }

  private line(peer: number, text: string): void {
    try {
      const [n] = this.put(text);
      this.call((x) => x.peer_line(peer, n!));
    } catch (e) {
      // The page knows which request it was.
      const { id } = JSON.parse(text) as { id?: unknown };
      const { reason, message } = failedOf(e);
      const answer = JSON.stringify({ jsonrpc: '2.0', id: id ?? null, error: { code: -32603, message, data: { reason } } });
      if (id !== undefined) post({ from: 'lines', peer, text: answer + '\n', bytes: 0 });
    }
  }

  // What Go tells. None of these may call Go.

  private readonly imports = {
    event: (at: number, n: number) => {
      const text = decoder.decode(new Uint8Array(this.x.mem.buffer as ArrayBuffer, at >>> 0, n >>> 0).slice());
      this.hear(JSON.parse(text) as SandboxEvent);
    },
    output: (watch: number) => {
      const v = this.view(watch);
      v.telling = true;
      if (v.wanting) queueMicrotask(() => this.show(watch, v));
    },
    ended: (watch: number) => {
      const v = this.view(watch);
      v.ended = true;
      if (v.wanting) queueMicrotask(() => this.show(watch, v));
    },
    changed: () => {
      this.changed = true;
      this.soon();
    },
    line: (peer: number, at: number, n: number) => {
      const text = decoder.decode(new Uint8Array(this.x.mem.buffer as ArrayBuffer, at >>> 0, n >>> 0).slice());
      // What an answer speaks of, the page has heard of before.
      if (this.events.length > 0) this.tell(undefined);
      post({ from: 'lines', peer, text, bytes: n });
    },
  };

  private hear(e: SandboxEvent): void {
    switch (e.event) {
      case 'load':
        return post({ from: 'find', request: this.remember(e), place: e.module });
      case 'compiling':
        return this.progress(e.name, e.done ? 'done' : 'compile', 0, undefined);
      case 'terminal': {
        // What the page has not heard of the same terminal is told by this.
        const id = e.terminal.id;
        const i = this.events.findIndex((o) => o.event === 'terminal' && o.terminal.id === id);
        if (i >= 0 && !this.events.slice(i).some((o) => o.event === 'asking' && o.id === id)) {
          this.events[i] = e;
          return this.soon();
        }
        break;
      }
      case 'counts':
        this.events = this.events.filter((o) => o.event !== 'counts' || o.id !== e.id);
    }
    this.events.push(e);
    this.soon();
  }

  private soon(): void {
    if (this.flushing) return;
    this.flushing = true;
    queueMicrotask(() => {
      this.flushing = false;
      this.flush();
    });
  }

  /** Tells the page what it has not heard, once it has heard the last. */
  private flush(): void {
    if (this.dead) return;
    if (this.changed) this.quietly(() => this.gather());
    if (this.unheard || (this.events.length === 0 && this.changes === undefined)) return;
    const changes = this.changes;
    this.changes = undefined;
    this.tell(changes);
  }

  /** Takes what has changed among the files, for the page and for what is kept of them. */
  private gather(): void {
    this.changed = false;
    const all = this.call((x) => x.file_changes()) === more;
    const list = (JSON.parse(this.text()) as [FileChange['type'], string][]).map(([type, path]) => ({ type, path }));
    this.storage?.changed(all ? 'all' : list.map((c) => c.path));
    if (all || this.changes === 'all' || (this.changes?.length ?? 0) + list.length > maxChanges) this.changes = 'all';
    else this.changes = [...(this.changes ?? []), ...list];
  }

  private tell(changes: FileChange[] | 'all' | undefined): void {
    const events = this.events;
    this.events = [];
    this.unheard = true;
    post({ from: 'events', events, changes });
  }

  // Modules.

  private readonly places = new Map<number, number>();

  private remember(e: { request: number; module: number }): number {
    this.places.set(e.request, e.module);
    return e.request;
  }

  private progress(name: string, phase: 'fetch' | 'compile' | 'done' | 'failed', loaded: number, total: number | undefined): void {
    post(total === undefined ? { from: 'load', name, phase, loaded } : { from: 'load', name, phase, loaded, total });
  }

  private async found(request: number, found: Found): Promise<void> {
    const m = this.modules[this.places.get(request) ?? -1];
    this.places.delete(request);
    if (!m) return;
    try {
      if (m.sum !== undefined) await this.plugin(request, m as ModuleInfo & { sum: string }, found);
      else await this.foreign(request, m, found);
    } catch (e) {
      this.progress(m.name, 'failed', 0, undefined);
      const { reason, message } = failedOf(e);
      this.quietly(() => {
        const [n] = this.put(JSON.stringify({ reason, message }));
        this.call((x) => x.module_failed(request, n!));
      });
    }
  }

  /** Compiles a plugin as it comes. */
  private async plugin(request: number, m: ModuleInfo & { sum: string }, found: Found): Promise<void> {
    if (m.by !== undefined && m.by !== this.by) {
      throw new SandboxError('wrong_version', `${m.name}: it was made for another version of the sandbox: for "${m.by}", not "${this.by}"`);
    }
    const module = 'module' in found ? found.module : await compile(m.name, await this.open(m.name, found));
    if (!WebAssembly.Module.exports(module).some((e) => e.name === 'terrarium.fuel')) {
      throw new SandboxError('refused', `${m.name}: it is not metered, so nothing could end it`);
    }
    this.guests.register(m.sum, this.by, module);
    this.progress(m.name, 'done', 0, undefined);
    this.call((x) => x.module_compiled(request));
  }

  /** Hands a module over that Go meters. */
  private async foreign(request: number, m: ModuleInfo, found: Found): Promise<void> {
    if ('module' in found) throw new SandboxError('refused', `${m.name}: a compiled module can't be metered: hand over its bytes or its URL`);
    const wasm = new Uint8Array(await (await this.open(m.name, found)).arrayBuffer());
    if (wasm.length > this.moduleLimit) {
      throw new SandboxError('refused', `${m.name}: it has ${wasm.length} bytes, and ${this.moduleLimit} are allowed`);
    }
    this.progress(m.name, 'done', wasm.length, wasm.length);
    const [n] = this.put(wasm);
    this.call((x) => x.module_bytes(request, n!));
  }

  private open(name: string, found: Exclude<Found, { module: WebAssembly.Module }>): Promise<Response> {
    if ('failure' in found) throw new SandboxError(found.failure.reason, found.failure.message);
    if ('url' in found) return fetchModule(name, found.url, (loaded, total) => this.progress(name, 'fetch', loaded, total));
    return opened(name, 'what was handed over', new Response(found.bytes).body as ReadableStream<Bytes>);
  }
}

function describe(e: unknown): string {
  return e instanceof Error ? (e.stack ?? e.message) : String(e);
}

const sandbox = new Sandbox();
scope.onmessage = (e) => sandbox.take(e.data);
