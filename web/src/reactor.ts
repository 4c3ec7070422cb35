/**
 * core.wasm, Terrarium's machine as a WASI reactor, driven from JavaScript.
 *
 * Its contract is cmd/reactor/ABI.md. A Reactor is one instance, a Registry one machine in it.
 * Every method takes what it needs and returns at once.
 */

import { SandboxError } from './errors.js';
import { wasi } from './wasi.js';

/** The version of the contract that this driver speaks. */
const ABI = 1;

/** Where a WebAssembly module comes from. Bytes and responses may be gzipped. */
export type WasmSource = string | URL | Response | BufferSource | WebAssembly.Module;

/** One thing that the machine wants done or known: ABI.md, "JSON". */
export interface Effect {
  readonly kind: string;
  readonly terminalId: string;
  readonly sessionId: string;
  /** A copy of what effect_data gave. */
  readonly data: Uint8Array<ArrayBuffer>;
  readonly lost?: number;
}

interface Exports {
  readonly memory: WebAssembly.Memory;
  _initialize(): void;
  terrarium_abi_version(): number;
  input(n: number): number;
  result(): bigint;
  new_registry(n: number): number;
  free_registry(registry: number): number;
  next_effect(registry: number): bigint;
  effect_data(): bigint;
  create(registry: number, now: bigint, session: number, n: number): number;
  handle_resolved(registry: number, now: bigint, id: number, n: number): number;
  handle_start(registry: number, now: bigint, id: number, n: number): number;
  handle_output(registry: number, now: bigint, id: number, n: number, stream: number): number;
  handle_output_end(registry: number, now: bigint, id: number): number;
  handle_exit(registry: number, now: bigint, id: number, n: number): number;
  handle_closed(registry: number, now: bigint, id: number): number;
  release(registry: number, now: bigint, id: number): number;
  close_session(registry: number, now: bigint, session: number): number;
  output(registry: number, id: number): number;
  output_since(registry: number, id: number, offset: bigint): number;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** compile makes a module of source, whatever form it has. */
export async function compile(source: WasmSource): Promise<WebAssembly.Module> {
  if (source instanceof WebAssembly.Module) return source;
  let bytes: BufferSource;
  let where = 'the bytes given';
  if (ArrayBuffer.isView(source) || source instanceof ArrayBuffer) {
    bytes = source as BufferSource;
  } else {
    const response = source instanceof Response ? source : await fetch(source);
    where = response.url || String(source);
    if (!response.ok) throw new SandboxError('fetch_failed', `${where}: ${response.status} ${response.statusText}`);
    bytes = await response.arrayBuffer();
  }
  if (startsWith(bytes, [0x1f, 0x8b])) {
    bytes = await new Response(new Response(bytes).body!.pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
  }
  if (!startsWith(bytes, [0, 0x61, 0x73, 0x6d])) {
    const html = startsWith(bytes, [0x3c]) ? ', but HTML: is that the right address?' : '';
    throw new SandboxError('not_wasm', `${where}: this is not WebAssembly${html}`);
  }
  return WebAssembly.compile(bytes);
}

function startsWith(bytes: BufferSource, magic: number[]): boolean {
  const start = ArrayBuffer.isView(bytes)
    ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    : new Uint8Array(bytes);
  return magic.every((b, i) => start[i] === b);
}

/** One instance of core.wasm. A trap is the end of it. */
export class Reactor {
  #exports: Exports;
  #printed: string;
  #dead: Error | undefined;

  private constructor(module: WebAssembly.Module) {
    this.#printed = '';
    const log = (text: string) => {
      this.#printed = (this.#printed + text).slice(-4096);
    };
    const imports = wasi(() => this.#exports.memory, log);
    this.#exports = new WebAssembly.Instance(module, imports).exports as unknown as Exports;
    this.#exports._initialize();
    const version = this.#exports.terrarium_abi_version();
    if (version !== ABI) throw new SandboxError('wrong_version', `core.wasm speaks version ${version} of its ABI, this package ${ABI}`);
  }

  /** load instantiates core.wasm. */
  static async load(source: WasmSource): Promise<Reactor> {
    const module = await compile(source);
    return new Reactor(module);
  }

  /** open opens a machine. A seed is made if config has none. */
  open(config: Readonly<Record<string, unknown>>): Registry {
    const seed = Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, '0')).join('');
    const handle = this.call((x) => {
      const [n] = this.#put(JSON.stringify({ seed, ...config }));
      return x.new_registry(n!);
    });
    return new Registry(this, handle);
  }

  /**
   * call runs f with the exports and puts parts, one after the other, into the input buffer. It
   * returns the status, which is not negative: failures are thrown.
   */
  call(f: (exports: Exports, lengths: number[]) => number, ...parts: (string | Uint8Array)[]): number {
    const status = this.guard((x) => f(x, parts.length > 0 ? this.#put(...parts) : []));
    if (status >= 0) return status;
    const details = JSON.parse(decoder.decode(this.result())) as { reason: string; message: string; param?: string };
    throw new SandboxError(details.reason, details.message, { param: details.param });
  }

  /** result returns a copy of the last call's result. */
  result(): Uint8Array<ArrayBuffer> {
    return this.guard((x) => this.copy(x.result()));
  }

  /** copy returns the bytes of a span. */
  copy(span: bigint): Uint8Array<ArrayBuffer> {
    const at = Number(BigInt.asUintN(64, span) >> 32n);
    const n = Number(span & 0xffffffffn);
    return new Uint8Array(this.#exports.memory.buffer as ArrayBuffer, at, n).slice();
  }

  /** guard runs f, and notes the trap that ends this instance if there is one. */
  guard<T>(f: (exports: Exports) => T): T {
    if (this.#dead) throw this.#dead;
    try {
      return f(this.#exports);
    } catch (e) {
      if (e instanceof SandboxError) throw e;
      this.#dead = new SandboxError('dead', 'core.wasm ended', { trace: this.#printed || String(e), cause: e });
      throw this.#dead;
    }
  }

  #put(...parts: (string | Uint8Array)[]): number[] {
    const encoded = parts.map((p) => (typeof p === 'string' ? encoder.encode(p) : p));
    const n = encoded.reduce((sum, p) => sum + p.length, 0);
    let at = this.#exports.input(n) >>> 0;
    if (at === 0 && n > 0) throw new SandboxError('length', `${n} bytes are more than a call takes`);
    for (const p of encoded) {
      new Uint8Array(this.#exports.memory.buffer, at, p.length).set(p);
      at += p.length;
    }
    return encoded.map((p) => p.length);
  }
}

/** now is what the machine is told of the time, in nanoseconds since 1970. */
const now = () => BigInt(Math.round((performance.timeOrigin + performance.now()) * 1e6));

/** One machine: the methods are the exports of the same name. */
export class Registry {
  #reactor: Reactor;
  #handle: number;

  constructor(reactor: Reactor, handle: number) {
    this.#reactor = reactor;
    this.#handle = handle;
  }

  free(): void {
    this.#reactor.call((x) => x.free_registry(this.#handle));
  }

  create(session: string, command: object): string {
    this.#reactor.call((x, [s, n]) => x.create(this.#handle, now(), s!, n!), session, JSON.stringify(command));
    return decoder.decode(this.#reactor.result());
  }

  handleResolved(id: string, exec: object): void {
    this.#reactor.call((x, [i, n]) => x.handle_resolved(this.#handle, now(), i!, n!), id, JSON.stringify(exec));
  }

  handleStart(id: string): void {
    this.#reactor.call((x, [i]) => x.handle_start(this.#handle, now(), i!, 0), id);
  }

  handleOutput(id: string, p: Uint8Array): void {
    this.#reactor.call((x, [i, n]) => x.handle_output(this.#handle, now(), i!, n!, 1), id, p);
  }

  handleOutputEnd(id: string): void {
    this.#reactor.call((x, [i]) => x.handle_output_end(this.#handle, now(), i!), id);
  }

  handleExit(id: string, exit: object): void {
    this.#reactor.call((x, [i, n]) => x.handle_exit(this.#handle, now(), i!, n!), id, JSON.stringify(exit));
  }

  handleClosed(id: string): void {
    this.#reactor.call((x, [i]) => x.handle_closed(this.#handle, now(), i!), id);
  }

  release(id: string): void {
    this.#reactor.call((x, [i]) => x.release(this.#handle, now(), i!), id);
  }

  closeSession(session: string): void {
    this.#reactor.call((x, [s]) => x.close_session(this.#handle, now(), s!), session);
  }

  /** output returns what a terminal keeps, in UTF-8. */
  output(id: string): { output: Uint8Array<ArrayBuffer>; truncated: boolean } {
    const status = this.#reactor.call((x, [i]) => x.output(this.#handle, i!), id);
    return { output: this.#reactor.result(), truncated: status === 1 };
  }

  /** outputSince returns the committed output from a byte offset of the whole stream on. */
  outputSince(id: string, offset: number): { output: Uint8Array<ArrayBuffer>; next: number; lost: number } {
    this.#reactor.call((x, [i]) => x.output_since(this.#handle, i!, BigInt(offset)), id);
    const result = this.#reactor.result();
    const head = new DataView(result.buffer);
    return {
      output: result.subarray(16),
      next: Number(head.getBigUint64(0, true)),
      lost: Number(head.getBigUint64(8, true)),
    };
  }

  /** nextEffect returns the next effect; drain them after every call above. */
  nextEffect(): Effect | undefined {
    return this.#reactor.guard((x) => {
      const span = x.next_effect(this.#handle);
      if (span === 0n) return undefined;
      const header = JSON.parse(decoder.decode(this.#reactor.copy(span))) as Effect;
      return { ...header, data: this.#reactor.copy(x.effect_data()) };
    });
  }
}
