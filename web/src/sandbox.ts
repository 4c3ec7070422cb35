// Go's sandbox.wasm in this worker: it is started, its exports are called, and its death is told.
// cmd/sandbox/ABI.md is the boundary.

import './wasm_exec.js';
import { mostOfOurs } from './bounded.js';
import { SandboxError, messageOf } from './errors.js';
import { Guests } from './guests.js';
import { compile, fetchModule, type Progress } from './modules.js';
import type { Config, Failed } from './protocol.js';
import type { Bytes } from './types.js';

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
  file_result(request: number): number;
  provided(request: number, failed: number, n: number): number;
  provider_changed(mount: number, n: number): number;
  module_compiled(request: number): number;
  module_bytes(request: number, n: number): number;
  module_failed(request: number, n: number): number;
}

const version = 1;
/** The statuses that are not errors: see ABI.md. */
export const more = 1, lost = 2;
const waits = 3;
/** How much of what Go writes before it dies is kept, in characters. */
const maxTrace = 64 << 10;

/** Thrown by a call that waits for a provider: what comes of it is told by the event `file`. */
export class Later {
  constructor(readonly request: number) {}
}

type Part = string | Uint8Array;

const encoder = new TextEncoder(), decoder = new TextDecoder();

/** Go's program, and the guests that it runs. */
export class Sandbox {
  readonly guests = new Guests();
  /** By what its modules are to be metered. */
  by = '';
  dead = false;
  #x!: Exports;
  #returnedAt = 0;
  #trace = '';

  /** `died` is told once when Go is no more, with what it has written. */
  constructor(private readonly died: (message: string, trace: string) => void) {}

  /** Starts it. None of its imports may call it. */
  async start(url: string, ours: WebAssembly.ModuleImports, progress: Progress): Promise<void> {
    const response = await fetchModule('sandbox', url, mostOfOurs, progress);
    const module = await compile('sandbox', response);
    const go = new globalThis.Go();
    const imports = { ...go.importObject, terrarium_page: this.guests.imports, terrarium_sandbox: ours };
    let instance: WebAssembly.Instance;
    try {
      instance = await WebAssembly.instantiate(module, imports);
    } catch (e) {
      throw new SandboxError('wrong_version', `sandbox: it does not fit the worker: ${messageOf(e)}`, { cause: e });
    }
    this.#x = instance.exports as unknown as Exports;
    if (typeof this.#x.sandbox_version !== 'function') throw new SandboxError('wrong_version', 'sandbox: it is another module');
    this.#listen();
    this.guests.onfail = (reason) => void this.#die(reason);
    // Go's own timers run it too: what is thrown there nobody catches.
    globalThis.addEventListener('error', (e) => {
      e.preventDefault();
      this.#die(e.error ?? e.message);
    });
    go.run(instance).then(() => this.#die(new Error('Go has exited')), (e) => this.#die(e));
    if (this.#x.sandbox_version() !== version) {
      throw new SandboxError('wrong_version', `sandbox: it is of version ${this.#x.sandbox_version()}, the worker of ${version}`);
    }
    this.#returnedAt = this.#x.sandbox_returned() >>> 0;
    this.guests.attach(go, instance);
  }

  /** Keeps what Go writes, which is why it dies. */
  #listen(): void {
    const fs = (globalThis as unknown as { fs: { writeSync(fd: number, p: Uint8Array): number } }).fs;
    fs.writeSync = (_, p) => {
      this.#trace = (this.#trace + decoder.decode(p)).slice(-maxTrace);
      return p.length;
    };
  }

  /** Go is no more. It returns what callers are told. */
  #die(reason: unknown): SandboxError {
    const dead = new SandboxError('dead', `the sandbox has died: ${messageOf(reason)}`);
    if (!this.dead) this.died(dead.message, [this.#trace, describe(reason)].join('\n'));
    this.dead = true;
    return dead;
  }

  /**
   * Calls an export, with the lengths of what was put into Go's input buffer one after the other.
   * It returns the status if that is no failure.
   */
  call<P extends Part[]>(f: (x: Exports, ...lengths: { [K in keyof P]: number }) => number, ...parts: P): number {
    if (this.dead) throw new SandboxError('dead', 'the sandbox has died');
    const flag = () => new Int32Array(this.#x.mem.buffer, this.#returnedAt, 1);
    let status: number, returned: number;
    try {
      const lengths = parts.length > 0 ? this.#put(parts) : [];
      flag()[0] = 0;
      status = f(this.#x, ...(lengths as { [K in keyof P]: number }));
      returned = flag()[0]!;
    } catch (e) {
      if (e instanceof SandboxError) throw e;
      throw this.#die(e);
    }
    if (returned !== 1) throw this.#die(new Error('a call into the sandbox has blocked'));
    this.guests.kick();
    if (status >= 0) return status;
    const { reason, message, param } = JSON.parse(this.text()) as Failed;
    throw new SandboxError(reason, message, { param });
  }

  /** Calls an export about files, which alone may wait for a provider. */
  callFile<P extends Part[]>(f: (x: Exports, ...lengths: { [K in keyof P]: number }) => number, ...parts: P): number {
    const status = this.call(f, ...parts);
    if (status === waits) throw new Later(this.json<{ request: number }>().request);
    return status;
  }

  /** Calls an export where no answer is needed: what it is about may have gone meanwhile. */
  tell<P extends Part[]>(f: (x: Exports, ...lengths: { [K in keyof P]: number }) => number, ...parts: P): void {
    this.quietly(() => this.call(f, ...parts));
  }

  #put(parts: Part[]): number[] {
    const all = parts.map((p) => (typeof p === 'string' ? encoder.encode(p) : p));
    const size = all.reduce((n, p) => n + p.length, 0);
    let at = this.#x.input(size) >>> 0;
    if (at === 0) throw new SandboxError('range', `${size} bytes at once are too much`);
    for (const p of all) {
      new Uint8Array(this.#x.mem.buffer).set(p, at);
      at += p.length;
    }
    return all.map((p) => p.length);
  }

  /** The result of the last call, copied. */
  result(): Bytes {
    const span = BigInt.asUintN(64, this.#x.result());
    const at = Number(span >> 32n), n = Number(span & 0xffffffffn);
    return new Uint8Array(this.#x.mem.buffer as ArrayBuffer, at, n).slice();
  }

  text(): string {
    return decoder.decode(this.result());
  }

  json<T>(): T {
    return JSON.parse(this.text()) as T;
  }

  configure(config: Config): void {
    this.call((x, n) => x.configure(n), JSON.stringify(config));
    this.by = this.json<{ by: string }>().by;
  }

  /** What Go shows us, copied. */
  shown(at: number, n: number): string {
    return decoder.decode(this.lent(at, n));
  }

  lent(at: number, n: number): Bytes {
    return new Uint8Array(this.#x.mem.buffer as ArrayBuffer, at >>> 0, n >>> 0).slice();
  }

  /** Does what needs no answer: what it is about may have gone meanwhile. */
  quietly(f: () => void): void {
    try {
      f();
    } catch (e) {
      if (!(e instanceof SandboxError)) throw e;
    }
  }
}

function describe(e: unknown): string {
  return e instanceof Error ? (e.stack ?? e.message) : String(e);
}
