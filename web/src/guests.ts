// The browser's side of hostwasm/engine/page: it compiles modules, runs guests and
// makes their calls into Go. It needs nothing of the page besides a worker, and
// knows nothing of WASI.
//
// Go and all guests share this thread. A guest's import calls Go's export
// page_call; where Go says that the call waits, the guest is suspended, by
// JavaScript Promise Integration, until Go calls resume.
//
// A Suspending function suspends whatever it returns, which takes ten times as long
// as most calls do. So a guest's imports are not such functions themselves but those
// of a small module, made for each program, which calls us first and then a
// Suspending function if we say so: see adapter.

import { adapter, letters, type Link } from './adapter.js';
import { Room } from './room.js';

/** What we need of Go's wasm_exec.js. */
export interface Go {
  exited: boolean;
  _resume(): void;
}

/** Go's exports that are engine/page's. */
interface Exports {
  mem: WebAssembly.Memory;
  page_slots(): number;
  page_call(guest: number, func: number, pages: number): number;
  page_refill(guest: number, left: bigint): bigint;
  page_grow(guest: number, from: number, to: number): number;
  page_started(guest: number): void;
  page_ended(guest: number, how: number, left: bigint, refused: number, textLength: number): void;
  page_compiled(program: number, ok: number, textLength: number): void;
}

// JSPI is not in TypeScript's types yet.
type Value = number | bigint | undefined;
type Call = (...args: (number | bigint)[]) => Value;
const { Suspending, promising } = WebAssembly as unknown as {
  Suspending: new (f: () => Promise<Value>) => WebAssembly.ImportValue;
  promising: (f: Function) => () => Promise<unknown>;
};

// What page_call answers and resume is told: see engine/page/glue.go.
const done = 0, pending = 1, ended = 2;
// How a guest has ended: see engine/page/run.go.
const returned = 0, thrown = 1, trapped = 2, crowded = 3, noStart = 4, large = 5;
// What page_refill answers when the guest has ended.
const noFuel = -(2n ** 63n);
// What a metered module exports: see core/meter.
const fuelExport = 'terrarium.fuel', refusedExport = 'terrarium.refused', startExport = 'terrarium.start';

const pageSize = 65536;
/** How many parameters a call may have; the slot behind them says that an export has returned. */
const maxValues = 1024;
/** How long guests may run until the browser gets its turn, in milliseconds. */
const sliceMs = 8;
/** After so many calls of guests, or bytes that they copy, we look how late it is. */
const callsBetween = 16, copiedBetween = 1 << 18;
/** A copy of at most so many bytes is faster without a view of them. */
const smallCopy = 128;
/**
 * How long after a guest's start we make an instance for the next one: small commands have ended
 * by then.
 */
const prepareMs = 50;
/**
 * With so many guests there is none for the next one: a browser has room for about 124 memories.
 */
const prepareMost = 100;
/** The most that is told of an error, in UTF-16 units. */
const maxErrorLength = 32768;

/** What unwinds a guest that Go has ended. */
const end = new Error('the guest has ended');

interface Program {
  id: number;
  module: WebAssembly.Module;
  links: Link[];
  adapter: WebAssembly.Module | undefined;
}

interface Guest {
  id: number;
  instance: WebAssembly.Instance | undefined;
  memory: WebAssembly.Memory | undefined;
  bytes: Uint8Array<ArrayBuffer>;
  fuel: WebAssembly.Global | undefined;
  refused: WebAssembly.Global | undefined;
  /** Not 0 if its call is to wait for the promise. */
  waits: WebAssembly.Global | undefined;
  promise: Promise<Value> | undefined;
  /** Aborted when it is given up before it has an instance; undefined from then on. */
  gone: AbortController | undefined;
  /** What lets a guest that waits go on. */
  waiting: { resolve: (v: Value) => void; reject: (e: unknown) => void; results: string } | undefined;
}

const none = new Uint8Array(0);
const encoder = new TextEncoder(), decoder = new TextDecoder();

/** What a browser lacks that guests need, or undefined. */
export function missing(): string | undefined {
  if (typeof Suspending !== 'function' || typeof promising !== 'function') {
    return 'WebAssembly JavaScript Promise Integration';
  }
  return undefined;
}

/** Guests runs the guests of one Go program, for whose instance imports are. */
export class Guests {
  /** Told once when Go is no more: it has exited or trapped. */
  onfail: ((reason: unknown) => void) | undefined;

  #go: Go | undefined;
  #exports!: Exports;
  #slotsAt = 0;
  #failed = false;
  #inside = false;

  readonly #programs = new Map<number, Program>();
  readonly #guests = new Map<number, Guest>();
  /** An instance that has not started. */
  #spare: { program: Program; guest: Guest } | undefined;
  #preparing = false;
  readonly #room = new Room(() => (this.#spare = undefined));
  readonly #registry = new Map<string, WebAssembly.Module>();
  #text: Uint8Array = none;

  // Views of Go's memory, made anew when it has grown.
  #goBytes: Uint8Array<ArrayBuffer> = none;
  #u32 = new Uint32Array(0);
  #u64 = new BigUint64Array(0);
  #f32 = new Float32Array(0);
  #f64 = new Float64Array(0);

  #kicked = false;
  #calls = 0;
  #copied = 0;
  #turnStart = 0;
  readonly #turns: (() => void)[] = [];
  readonly #channel = new MessageChannel();

  constructor() {
    this.#channel.port1.onmessage = () => {
      this.#turnStart = performance.now();
      this.#turns.shift()?.();
    };
    // V8 tells 10 frames of a stack, Go wants up to 64.
    (Error as { stackTraceLimit?: number }).stackTraceLimit = 64;
  }

  /** The import module terrarium_page of Go's instance. */
  readonly imports = {
    compile: (program: number, at: number, n: number) => this.#compile(program, this.#copy(at, n)),
    known: (at: number, n: number) => (this.#registry.has(this.#string(at, n)) ? 1 : 0),
    load: (program: number, at: number, n: number) => {
      const module = this.#registry.get(this.#string(at, n));
      return module ? this.#add(program, module) : -1;
    },
    link: (program: number, at: number, n: number) => this.#link(program, this.#string(at, n)),
    forget: (program: number) => this.#forget(program),
    text: (at: number, n: number) => this.#view().set(this.#text.subarray(0, n), at >>> 0),
    start: (guest: number, program: number) => this.#start(guest, this.#programs.get(program)),
    abandon: (guest: number) => (this.#abandon(guest) ? 1 : 0),
    resume: (guest: number, status: number, result: bigint) => this.#resume(guest, status, result),
    read: (guest: number, ptr: number, to: number, n: number) =>
      this.#transfer(this.#view(), to >>> 0, this.#memoryOf(guest), ptr >>> 0, n >>> 0),
    write: (guest: number, ptr: number, from: number, n: number) =>
      this.#transfer(this.#memoryOf(guest), ptr >>> 0, this.#view(), from >>> 0, n >>> 0),
  };

  /** Go's program, whose instance has run: from now on there may be guests. */
  attach(go: Go, instance: WebAssembly.Instance): void {
    this.#go = go;
    this.#exports = instance.exports as unknown as Exports;
  }

  /**
   * Makes a metered module known by the SHA-256 of the module before it was metered, in
   * hexadecimal, and by what it was metered: hostwasm.CompiledBy.
   */
  register(sum: string, by: string, module: WebAssembly.Module): void {
    this.#registry.set(sum + ' ' + by, module);
  }

  /**
   * Runs Go until all its goroutines wait, soon. To be called after each call of one of Go's
   * exports, by which goroutines may have become ready.
   */
  kick(): void {
    if (this.#kicked) return;
    this.#kicked = true;
    queueMicrotask(() => {
      this.#kicked = false;
      if (!this.#alive()) return;
      try {
        this.#go!._resume();
      } catch (e) {
        this.#fail(e);
      }
      this.#alive();
    });
  }

  /** Whether one of Go's exports is under way, which may not block. */
  get calling(): boolean {
    return this.#inside;
  }

  /** Calls f, which calls one of Go's exports, and reports whether Go lives. */
  #intoGo(f: () => void): boolean {
    if (!this.#enter()) return false;
    try {
      f();
    } catch (e) {
      this.#fail(e);
    }
    return this.#leave();
  }

  #enter(): boolean {
    if (!this.#alive()) return false;
    this.#view();
    this.#u32[2 * maxValues] = 0;
    this.#inside = true;
    return true;
  }

  #leave(): boolean {
    this.#inside = false;
    if (!this.#alive()) return false;
    this.#view(); // it may have grown
    if (this.#u32[2 * maxValues] !== 1) this.#fail(new Error('a call into Go has blocked'));
    return !this.#failed;
  }

  /** Reports whether Go can be called. */
  #alive(): boolean {
    if (!this.#failed && this.#go?.exited !== false) this.#fail(new Error('Go has exited'));
    return !this.#failed;
  }

  /** Go is no more: nobody will call resume. */
  #fail(reason: unknown): void {
    if (this.#failed) return;
    this.#failed = true;
    const guests = [...this.#guests.values()];
    this.#guests.clear();
    this.#programs.clear();
    this.#spare = undefined;
    for (const g of guests) g.waiting?.reject(end);
    this.onfail?.(reason);
  }

  // Go's memory.

  #view(): Uint8Array<ArrayBuffer> {
    if (this.#goBytes.length === 0) this.#renew(); // growing has detached the buffer
    return this.#goBytes;
  }

  #renew(): void {
    const buffer = this.#exports.mem.buffer as ArrayBuffer;
    this.#goBytes = new Uint8Array(buffer);
    this.#slotsAt ||= this.#exports.page_slots() >>> 0;
    const n = maxValues + 1;
    this.#u32 = new Uint32Array(buffer, this.#slotsAt, 2 * n);
    this.#u64 = new BigUint64Array(buffer, this.#slotsAt, n);
    this.#f32 = new Float32Array(buffer, this.#slotsAt, 2 * n);
    this.#f64 = new Float64Array(buffer, this.#slotsAt, n);
  }

  #copy(at: number, n: number): Uint8Array<ArrayBuffer> {
    return this.#view().slice(at >>> 0, (at >>> 0) + (n >>> 0));
  }

  #string(at: number, n: number): string {
    return decoder.decode(this.#copy(at, n));
  }

  #say(text: string): number {
    this.#text = encoder.encode(text.slice(0, maxErrorLength));
    return this.#text.length;
  }

  // Programs.

  #compile(id: number, wasm: Uint8Array<ArrayBuffer>): void {
    WebAssembly.compile(wasm).then(
      (module) => this.#compiled(id, 1, () => this.#add(id, module)),
      (e) => this.#compiled(id, 0, () => this.#say(messageOf(e))),
    );
  }

  #compiled(id: number, ok: number, say: () => number): void {
    this.#intoGo(() => this.#exports.page_compiled(id, ok, say()));
    this.kick();
  }

  /**
   * Makes a module a program, and its imports the text: module and name of each behind its length.
   */
  #add(id: number, module: WebAssembly.Module): number {
    const links: Link[] = [], parts: Uint8Array[] = [];
    let size = 0;
    for (const { module: from, name, kind } of WebAssembly.Module.imports(module)) {
      if (kind !== 'function') continue; // hostwasm has refused it
      links.push({ module: from, name, kind: 'func', params: '', results: '', adapted: false });
      for (const s of [from, name]) {
        const b = encoder.encode(s);
        parts.push(new Uint8Array(new Uint32Array([b.length]).buffer), b);
        size += 4 + b.length;
      }
    }
    this.#programs.set(id, { id, module, links, adapter: undefined });
    this.#text = new Uint8Array(size);
    let at = 0;
    for (const p of parts) {
      this.#text.set(p, at);
      at += p.length;
    }
    return size;
  }

  #forget(id: number): void {
    if (this.#spare?.program.id === id) this.#spare = undefined;
    this.#programs.delete(id);
  }

  #link(id: number, text: string): void {
    const program = this.#programs.get(id);
    if (!program) return;
    const lines = text.split('\n');
    for (const [i, link] of program.links.entries()) {
      const [params = '', results = '', plain = ''] = lines[i]!.split(':');
      if (params === 'refill' || params === 'grow') Object.assign(link, { kind: params, adapted: params === 'refill' });
      else Object.assign(link, { params, results, adapted: plain === '' });
    }
    program.adapter = new WebAssembly.Module(adapter(program.links));
  }

  // Guests.

  #memoryOf(id: number): Uint8Array<ArrayBuffer> {
    const g = this.#guests.get(id);
    return g ? bytesOf(g) : none;
  }

  #transfer(to: Uint8Array, at: number, from: Uint8Array, start: number, n: number): void {
    if (n > to.length - at || n > from.length - start) throw new RangeError('a copy beyond a memory');
    this.#copied += n;
    if (n > smallCopy) {
      to.set(from.subarray(start, start + n), at);
      return;
    }
    for (let i = 0; i < n; i++) to[at + i] = from[start + i]!;
  }

  #start(id: number, program: Program | undefined): void {
    let g = newGuest();
    if (this.#spare && this.#spare.program === program) {
      g = this.#spare.guest;
      this.#spare = undefined;
    }
    g.id = id;
    this.#guests.set(id, g);
    this.#soon(() => {
      this.#run(g, program).then(
        () => this.#ended(g, returned, 0),
        (e) => {
          if (e === end) this.#ended(g, thrown, 0);
          else if (e instanceof Refused) this.#ended(g, e.how, 0);
          else this.#ended(g, trapped, this.#say(describe(e)));
        },
      );
    });
  }

  async #run(g: Guest, program: Program | undefined): Promise<void> {
    if (!program) throw new Error('there is no such program');
    const { signal } = g.gone!;
    if (!g.instance) {
      const imports = this.#importsOf(g, program);
      g.instance = await this.#room.take(() => new WebAssembly.Instance(program.module, imports), signal);
    }
    if (!g.instance || signal.aborted) throw new Refused(crowded);
    g.gone = undefined;
    this.#intoGo(() => this.#exports.page_started(g.id));
    this.kick();
    this.#prepare(program);
    const { exports } = g.instance;
    g.fuel = asGlobal(exports[fuelExport]);
    g.refused = asGlobal(exports[refusedExport]);
    if (exports.memory instanceof WebAssembly.Memory) g.memory = exports.memory;
    const pages = pagesOf(g);
    if (pages > 0 && !this.#grow(g, 0, pages)) throw new Refused(large);
    const { _start: start, [startExport]: before } = exports;
    if (typeof start !== 'function') throw new Refused(noStart);
    if (typeof before === 'function') await promising(before)();
    await promising(start)();
  }

  /** Gives a guest up, unless it has an instance. */
  #abandon(id: number): boolean {
    const gone = this.#guests.get(id)?.gone;
    if (gone) this.#guests.delete(id);
    gone?.abort();
    return gone !== undefined;
  }

  /**
   * Makes an instance for a program's next start, soon: to begin with that would be half of what a
   * small command takes. No code of a guest has run in it, and there is one at a time.
   */
  #prepare(program: Program): void {
    if (this.#preparing || this.#guests.size >= prepareMost) return;
    this.#preparing = true;
    setTimeout(() => {
      this.#preparing = false;
      if (this.#spare?.program === program || this.#programs.get(program.id) !== program) return;
      const guest = newGuest();
      try {
        guest.instance = new WebAssembly.Instance(program.module, this.#importsOf(guest, program));
        this.#spare = { program, guest };
      } catch {
        // There is no room for it: who starts it waits for that.
      }
    }, prepareMs);
  }

  #ended(g: Guest, how: number, textLength: number): void {
    this.#room.left();
    if (!this.#guests.delete(g.id)) return; // it was given up, or Go is no more
    const left = (g.fuel?.value as bigint | undefined) ?? 0n;
    const refused = (g.refused?.value as number | undefined) ?? 0;
    this.#intoGo(() => this.#exports.page_ended(g.id, how, left, refused, textLength));
    this.kick();
  }

  #importsOf(g: Guest, program: Program): WebAssembly.Imports {
    const ours = Object.create(null) as WebAssembly.ModuleImports;
    for (const [index, link] of program.links.entries()) ours[index] = this.#importOf(g, index, link);
    const wait = new Suspending(() => {
      g.waits!.value = 0;
      return g.promise!;
    });
    const waits = Object.fromEntries(['', ...letters].map((letter) => [letter, wait]));
    const { exports } = new WebAssembly.Instance(program.adapter!, { ours, waits });
    g.waits = asGlobal(exports.waits);
    // Names come from the module, and "__proto__" is one: these have no prototype.
    const imports = Object.create(null) as Record<string, WebAssembly.ModuleImports>;
    for (const [index, link] of program.links.entries()) {
      const of = (imports[link.module] ??= Object.create(null) as WebAssembly.ModuleImports);
      of[link.name] ??= link.adapted ? exports[index]! : ours[index]!;
    }
    return imports;
  }

  #importOf(g: Guest, index: number, link: Link): Call {
    switch (link.kind) {
      case 'refill':
        return () => this.#refill(g);
      case 'grow':
        return (wanted) => {
          const from = pagesOf(g);
          return this.#grow(g, from, from + ((wanted as number) >>> 0)) ? 1 : 0;
        };
    }
    const { params, results, adapted } = link;
    const ints = /^i*$/.test(params);
    return (...args) => {
      if (!this.#enter()) throw end;
      if (ints) {
        for (let i = 0; i < params.length; i++) {
          this.#u32[2 * i] = args[i] as number;
          this.#u32[2 * i + 1] = 0;
        }
      } else {
        for (let i = 0; i < params.length; i++) this.#put(i, params[i]!, args[i]);
      }
      let status = ended;
      try {
        status = this.#exports.page_call(g.id, index, pagesOf(g));
      } catch (e) {
        this.#fail(e);
      }
      const alive = this.#leave();
      this.kick();
      if (status === done && alive) {
        const value = this.#result(results);
        if (adapted && this.#mayBeLate()) this.#yield(g, value);
        return value;
      }
      if (status !== pending || !alive) throw end;
      this.#suspend(g, new Promise((resolve, reject) => (g.waiting = { resolve, reject, results })));
      return results === 'I' ? 0n : 0;
    };
  }

  /** Has the adapter wait for a promise, when we have returned to it. */
  #suspend(g: Guest, promise: Promise<Value>): void {
    g.promise = promise;
    g.waits!.value = 1;
  }

  /** Has the guest go on with a value when the browser has had its turn. */
  #yield(g: Guest, value: Value): void {
    this.#suspend(g, new Promise((resolve, reject) => this.#turn(() => (this.#failed ? reject(end) : resolve(value)))));
  }

  #put(i: number, letter: string, value: number | bigint | undefined): void {
    switch (letter) {
      case 'i':
        this.#u32[2 * i] = value as number;
        this.#u32[2 * i + 1] = 0;
        return;
      case 'I':
        this.#u64[i] = value as bigint;
        return;
      case 'f':
        this.#f32[2 * i] = value as number;
        this.#u32[2 * i + 1] = 0;
        return;
      case 'F':
        this.#f64[i] = value as number;
    }
  }

  #result(letter: string): Value {
    switch (letter) {
      case 'i':
        return this.#u32[0]!;
      case 'I':
        return this.#u64[0]!;
      case 'f':
        return this.#f32[0]!;
      case 'F':
        return this.#f64[0]!;
    }
    return undefined;
  }

  /** Lets a guest go on that waits for a call, or ends it. */
  #resume(id: number, status: number, result: bigint): void {
    const g = this.#guests.get(id), w = g?.waiting;
    if (!g) return;
    // It would wait for ever otherwise.
    if (!w) return this.#fail(new Error('a guest is to go on that does not wait'));
    g.waiting = undefined;
    this.#soon(() => {
      if (status !== done) return w.reject(end);
      this.#view();
      this.#u64[0] = BigInt.asUintN(64, result);
      w.resolve(this.#result(w.results));
    });
  }

  /** The import of core/meter: there is no fuel left. */
  #refill(g: Guest): undefined {
    let given = noFuel;
    this.#intoGo(() => {
      given = this.#exports.page_refill(g.id, g.fuel!.value as bigint);
    });
    this.kick();
    if (given === noFuel || this.#failed) throw end;
    g.fuel!.value = given;
    if (this.#isLate()) this.#yield(g, undefined);
  }

  #grow(g: Guest, from: number, to: number): boolean {
    let allowed = 0;
    this.#intoGo(() => {
      allowed = this.#exports.page_grow(g.id, from, to);
    });
    this.kick();
    return allowed === 1;
  }

  // Turns.

  /** Is isLate where asking for the time would take longer than most calls. */
  #mayBeLate(): boolean {
    if (++this.#calls < callsBetween && this.#copied < copiedBetween) return false;
    this.#calls = this.#copied = 0;
    return this.#isLate();
  }

  #isLate(): boolean {
    return performance.now() - this.#turnStart > sliceMs;
  }

  /** Calls f in a while, when the browser has done what else there is to do. */
  #turn(f: () => void): void {
    this.#turns.push(f);
    this.#channel.port2.postMessage(0);
  }

  /** Calls f when nobody else runs, and the browser has had its turn if that is due. */
  #soon(f: () => void): void {
    if (this.#isLate()) this.#turn(f);
    else queueMicrotask(f);
  }
}

/** Why a guest was not started. */
class Refused extends Error {
  constructor(readonly how: number) {
    super('not started');
  }
}

function newGuest(): Guest {
  return {
    id: 0, instance: undefined, memory: undefined, bytes: none, fuel: undefined, refused: undefined, waits: undefined,
    promise: undefined, gone: new AbortController(), waiting: undefined,
  };
}

function bytesOf(g: Guest): Uint8Array<ArrayBuffer> {
  // Growing has detached the buffer.
  if (g.bytes.length === 0 && g.memory) g.bytes = new Uint8Array(g.memory.buffer as ArrayBuffer);
  return g.bytes;
}

function pagesOf(g: Guest): number {
  return bytesOf(g).length / pageSize;
}

function asGlobal(e: WebAssembly.ExportValue | undefined): WebAssembly.Global | undefined {
  return e instanceof WebAssembly.Global ? e : undefined;
}

function messageOf(e: unknown): string {
  return e instanceof Error ? e.message : String(e);
}

/** An error's name, message and stack, with a NUL between. */
function describe(e: unknown): string {
  if (!(e instanceof Error)) return '\0' + String(e) + '\0';
  return [e.name, e.message, e.stack ?? ''].join('\0');
}
