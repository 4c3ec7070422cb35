/**
 * Terminals that an agent owns and only reports: nothing is run here. Their output is kept by
 * core.wasm, within the same bounds as that of terminals that are run, and they are seen through
 * the same interface.
 *
 * There are two ways in which agents report them: version 1 of ACP by `_meta.terminal_info`,
 * `terminal_output`, `terminal_output_delta` and `terminal_exit` of a tool call, which no
 * specification has but agents do; version 2 by the updates `terminal_update` and
 * `terminal_output_chunk`.
 */

import { Emitter } from './emitter.js';
import { SandboxError } from './errors.js';
import { Reactor, type Registry, type WasmSource } from './reactor.js';
import type { Bytes, ExitStatus, Terminal, TerminalEvents, TerminalStatus, Unsubscribe, Watch, Watcher } from './types.js';

export type { WasmSource } from './reactor.js';

export interface DisplayOptions {
  /** core.wasm, where that next to this module is not it. */
  wasm?: WasmSource;
  /** How many bytes of output a terminal keeps, the newest ones. Default 1 MiB. */
  outputByteLimit?: number;
  /** How many terminals run at a time; beyond them the oldest counts as lost. Default 256. */
  terminals?: number;
  /** How many that have ended stay readable, and their size. Defaults 256 and 64 MiB. */
  keptTerminals?: number;
  keptBytes?: number;
  /** Sends `terminal/cancel` of version 2. Without it no terminal can be stopped. */
  cancel?: (params: { sessionId: string; terminalId: string }) => void | PromiseLike<void>;
}

export interface DisplayEvents {
  /** A terminal is there. */
  open: (terminal: DisplayTerminal) => void;
  /** Its status is another one. */
  change: (terminal: DisplayTerminal) => void;
  /** Its output is gone to make room for others'; it is no longer listed. */
  evict: (terminal: DisplayTerminal) => void;
}

/** A terminal that an agent reports. It takes no input and can't be resized. */
export interface DisplayTerminal extends Terminal {
  /** Whether `kill` asks its agent to end it; else `kill` rejects. */
  readonly cancellable: boolean;
}

/** What an ACP client of version 1 says in `initialize` for agents to report their terminals. */
export const clientCapabilities = { _meta: { terminal_output: true, terminal_output_delta: true } } as const;

/** The longest id that is taken, and how much of a command or path is kept, in characters. */
const MAX_ID = 1024;
const MAX_TEXT = 8192;

/** How much output is handed to core.wasm in a call, in bytes. */
const PIECE = 1 << 20;

/** A watcher that is further behind begins anew, in bytes. */
const BEHIND = 1 << 20;

/** createDisplay loads core.wasm. */
export async function createDisplay(options: DisplayOptions = {}): Promise<Display> {
  return new Display(await Reactor.load(options.wasm ?? new URL('./core.wasm', import.meta.url)), options);
}

type Members = Readonly<Record<string, unknown>>;

const isObject = (v: unknown): v is Members => typeof v === 'object' && v !== null && !Array.isArray(v);
const object = (v: unknown) => (isObject(v) ? v : undefined);
const isID = (v: unknown): v is string => typeof v === 'string' && v.length > 0 && v.length <= MAX_ID;
const text = (v: unknown) => (typeof v === 'string' ? v.slice(0, MAX_TEXT) : undefined);
const has = (o: Members, name: string) => Object.hasOwn(o, name) && o[name] !== undefined;

/** The terminals of one agent, or of several. */
export class Display {
  #machine: Machine;
  #cancel: DisplayOptions['cancel'];
  #terminals = new Map<string, Shown>();
  #events = new Emitter<DisplayEvents>();
  #closed = false;

  /** @internal */
  constructor(reactor: Reactor, options: DisplayOptions) {
    this.#cancel = options.cancel;
    this.#machine = new Machine(reactor, options, (terminal) => this.#evicted(terminal));
  }

  /**
   * update takes the params of a `session/update`, of either version. It returns whether they were
   * about a terminal; what is malformed is not, and changes nothing. Call it with every update.
   */
  update(params: unknown): boolean {
    if (this.#closed || !isObject(params) || !isID(params['sessionId']) || !isObject(params['update'])) return false;
    const session = params['sessionId'];
    const update = params['update'];
    try {
      switch (update['sessionUpdate']) {
        case 'tool_call':
        case 'tool_call_update':
          return this.#toolCall(session, update);
        case 'terminal_update':
          return this.#terminalUpdate(session, update);
        case 'terminal_output_chunk':
          return this.#outputChunk(session, update);
      }
      return false;
    } catch (e) {
      this.#die();
      throw e;
    }
  }

  get(sessionId: string, terminalId: string): DisplayTerminal | undefined {
    return this.#terminals.get(key(sessionId, terminalId));
  }

  /** Those that run and those whose output is kept, the oldest first. */
  list(): DisplayTerminal[] {
    return [...this.#terminals.values()];
  }

  on<E extends keyof DisplayEvents>(event: E, listener: DisplayEvents[E]): Unsubscribe {
    return this.#events.on(event, listener);
  }

  /** Forgets the terminals of a session. */
  closeSession(sessionId: string): void {
    for (const terminal of this.list()) {
      if (terminal.session === sessionId) this.#forget(terminal as Shown);
    }
  }

  /** Forgets all terminals. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const terminal of this.#terminals.values()) this.#forget(terminal);
    this.#machine.close();
  }

  #toolCall(session: string, update: Members): boolean {
    const meta = object(update['_meta']);
    if (!meta) return false;
    const at = (name: string) => {
      const value = object(meta[name]);
      return value && isID(value['terminal_id']) ? value : undefined;
    };
    const info = at('terminal_info');
    const output = at('terminal_output') ?? at('terminal_output_delta');
    const exit = at('terminal_exit');
    if (info) {
      this.#open(session, info['terminal_id'] as string)?.describe({
        command: text(update['title']),
        cwd: text(info['cwd']),
      });
    }
    if (output && typeof output['data'] === 'string') {
      this.#open(session, output['terminal_id'] as string)?.append(new TextEncoder().encode(output['data']));
    }
    if (exit) this.#open(session, exit['terminal_id'] as string)?.end(exitStatus(exit['exit_code'], exit['signal']));
    return Boolean(info || output || exit);
  }

  #terminalUpdate(session: string, update: Members): boolean {
    const id = update['terminalId'];
    if (!isID(id)) return false;
    const output = object(update['output']);
    const bytes = has(update, 'output') ? base64(output ? output['data'] : '') : undefined;
    const terminal = this.#open(session, id);
    if (!terminal) return true;
    const { command, cwd, size, capabilities, exitStatus: exit } = update;
    terminal.describe({
      command: command === null ? '' : text(command),
      cwd: cwd === null ? '' : text(cwd),
      ...dimensions(size),
      cancel: has(update, 'capabilities') ? Boolean(this.#cancel && object(object(capabilities)?.['cancel'])) : undefined,
    });
    if (bytes) terminal.replace(bytes);
    if (exit === null) terminal.reopen();
    if (isObject(exit)) terminal.end(exitStatus(exit['exitCode'], exit['signal']));
    return true;
  }

  #outputChunk(session: string, update: Members): boolean {
    const id = update['terminalId'];
    const bytes = base64(update['data']);
    if (!isID(id) || !bytes) return false;
    this.#open(session, id)?.append(bytes);
    return true;
  }

  /** open returns the terminal of an id. Output may be the first that is heard of it. */
  #open(session: string, id: string): Shown | undefined {
    const known = this.#terminals.get(key(session, id));
    if (known) return known;
    const core = this.#machine.create();
    if (!core) return undefined;
    const terminal = new Shown(this.#machine, core, session, id, {
      changed: () => this.#events.emit('change', terminal),
      cancel: () => this.#cancel?.({ sessionId: session, terminalId: id }),
    });
    this.#terminals.set(key(session, id), terminal);
    this.#events.emit('open', terminal);
    return terminal;
  }

  #evicted(terminal: Shown): void {
    this.#terminals.delete(key(terminal.session, terminal.id));
    terminal.forget();
    this.#events.emit('evict', terminal);
  }

  #forget(terminal: Shown): void {
    this.#terminals.delete(key(terminal.session, terminal.id));
    terminal.drop();
  }

  /** core.wasm trapped: what it kept is gone. */
  #die(): void {
    this.#closed = true;
    for (const terminal of this.#terminals.values()) terminal.forget();
  }
}

const key = (session: string, id: string) => JSON.stringify([session, id]);

/** What of an exit status is well formed. */
function exitStatus(code: unknown, signal: unknown): ExitStatus {
  return {
    exitCode: Number.isSafeInteger(code) ? (code as number) : null,
    signal: typeof signal === 'string' ? signal.slice(0, 64) : null,
  };
}

/** What of a size is well formed, within what a screen may have. */
function dimensions(size: unknown): { rows?: number; cols?: number } {
  const most = 1000;
  const fits = (n: unknown): n is number => Number.isInteger(n) && (n as number) >= 1;
  const { rows, cols } = object(size) ?? {};
  return fits(rows) && fits(cols) ? { rows: Math.min(rows, most), cols: Math.min(cols, most) } : {};
}

function base64(data: unknown): Bytes | undefined {
  if (typeof data !== 'string') return undefined;
  try {
    return Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
  } catch {
    return undefined;
  }
}

/** A terminal of the machine's. Each has a session of its own: that is how one alone is forgotten. */
interface Core {
  readonly id: string;
  readonly session: string;
}

/** The machine that keeps the output: its terminals run nothing, and are told what the agent tells. */
class Machine {
  readonly limit: number;
  #registry: Registry;
  #scratch: Registry;
  #created = 0;
  #owners = new Map<string, Shown>();
  #evicted: (terminal: Shown) => void;

  constructor(reactor: Reactor, options: DisplayOptions, evicted: (terminal: Shown) => void) {
    const { outputByteLimit = 1 << 20, terminals = 256, keptTerminals = 256, keptBytes = 64 << 20 } = options;
    this.limit = outputByteLimit;
    this.#evicted = evicted;
    this.#registry = reactor.open({
      outputByteLimit, maxOutputByteLimit: outputByteLimit, maxTerminals: terminals,
      maxKeptTerminals: keptTerminals, keepBytes: keptBytes, maxKeptBytes: keptBytes,
    });
    this.#scratch = reactor.open({ outputByteLimit, maxOutputByteLimit: outputByteLimit });
  }

  /** create makes room if need be; it returns undefined where there is none. */
  create(): Core | undefined {
    const session = `${++this.#created}`;
    for (;;) {
      try {
        return { id: start(this.#registry, session, 'raw'), session };
      } catch (e) {
        if (!(e instanceof SandboxError) || !e.reason.startsWith('limit_')) throw e;
        const oldest = [...this.#owners.values()].find((t) => t.status.state === 'running');
        if (!oldest) return undefined;
        oldest.lose();
      }
    }
  }

  own(core: Core, terminal: Shown): void {
    this.#owners.set(core.id, terminal);
  }

  append(core: Core, bytes: Uint8Array): void {
    feed(this.#registry, core.id, bytes);
  }

  since(core: Core, offset: number) {
    return this.#registry.outputSince(core.id, offset);
  }

  kept(core: Core): Bytes {
    return this.#registry.output(core.id).output;
  }

  /** end keeps the output for display, for as long as there is room. */
  end(core: Core): void {
    this.#registry.handleOutputEnd(core.id);
    this.#registry.handleExit(core.id, { exitCode: 0 });
    this.#drain();
    this.#registry.release(core.id);
    this.#drain();
  }

  /** drop forgets a terminal. */
  drop(core: Core): void {
    this.#owners.delete(core.id);
    this.#registry.closeSession(core.session);
    this.#drain();
  }

  /** text makes plain text of raw output. */
  text(raw: Bytes): string {
    const id = start(this.#scratch, 's', 'text');
    feed(this.#scratch, id, raw);
    const { output } = this.#scratch.output(id);
    this.#scratch.closeSession('s');
    drain(this.#scratch);
    return new TextDecoder().decode(output);
  }

  close(): void {
    this.#registry.free();
    this.#scratch.free();
  }

  #drain(): void {
    for (const id of drain(this.#registry)) {
      const terminal = this.#owners.get(id);
      this.#owners.delete(id);
      if (terminal) this.#evicted(terminal);
    }
  }
}

/** start makes a terminal whose command runs, as far as the machine knows. */
function start(registry: Registry, session: string, rendering: 'raw' | 'text'): string {
  const id = registry.create(session, { command: 'agent', rendering });
  registry.handleResolved(id, { path: '/agent', argv: ['agent'], via: 'args' });
  drain(registry);
  registry.handleStart(id);
  drain(registry);
  return id;
}

function feed(registry: Registry, id: string, bytes: Uint8Array): void {
  for (let i = 0; i < bytes.length; i += PIECE) {
    registry.handleOutput(id, bytes.subarray(i, i + PIECE));
    drain(registry);
  }
}

/** drain answers what there is to answer, and returns the terminals that were evicted. */
function drain(registry: Registry): string[] {
  const evicted: string[] = [];
  for (let e = registry.nextEffect(); e; e = registry.nextEffect()) {
    if (e.kind === 'signal') {
      registry.handleOutputEnd(e.terminalId);
      registry.handleExit(e.terminalId, { exitCode: 0 });
    }
    if (e.kind === 'close') registry.handleClosed(e.terminalId);
    if (e.kind === 'evicted') evicted.push(e.terminalId);
  }
  return evicted;
}

interface Told {
  command?: string | undefined;
  cwd?: string | undefined;
  rows?: number;
  cols?: number;
  cancel?: boolean | undefined;
}

class Shown implements DisplayTerminal {
  readonly origin = 'agent';
  readonly exited: Promise<ExitStatus>;
  #machine: Machine;
  #core: Core;
  #status: TerminalStatus;
  #cancellable = false;
  #sized = false;
  #hooks: { changed(): void; cancel(): void | PromiseLike<void> | undefined };
  #events = new Emitter<TerminalEvents>();
  #watches = new Set<Watching>();
  #settle!: (status: ExitStatus) => void;

  constructor(
    machine: Machine, core: Core,
    readonly session: string, readonly id: string,
    hooks: { changed(): void; cancel(): void | PromiseLike<void> | undefined },
  ) {
    this.#machine = machine;
    this.#core = core;
    this.#hooks = hooks;
    machine.own(core, this);
    this.exited = new Promise((settle) => (this.#settle = settle));
    const now = Date.now();
    this.#status = {
      state: 'running', released: false, readable: true, command: '', args: [], cwd: '', pty: false,
      interactive: false, rows: 40, cols: 120, created: now, started: now, bytes: 0, kept: 0, truncated: false,
    };
  }

  get status(): TerminalStatus {
    return this.#status;
  }

  get cancellable(): boolean {
    return this.#cancellable && this.#status.state === 'running';
  }

  on<E extends keyof TerminalEvents>(event: E, listener: TerminalEvents[E]): Unsubscribe {
    return this.#events.on(event, listener);
  }

  watch(watcher: Watcher): Watch {
    const watching = new Watching(this, watcher, () => this.#watches.delete(watching));
    this.#watches.add(watching);
    watching.pump();
    return watching;
  }

  async text(): Promise<{ output: string; truncated: boolean }> {
    if (!this.#status.readable) throw new SandboxError('unknown_terminal', 'its output is gone');
    return { output: this.#machine.text(this.#machine.kept(this.#core)), truncated: this.#status.truncated };
  }

  async write(): Promise<void> {
    throw new SandboxError('input_closed', 'a terminal of the agent takes no input');
  }

  closeInput(): Promise<void> {
    return this.write();
  }

  async resize(): Promise<void> {
    throw new SandboxError('unsupported', 'a terminal of the agent has the size that the agent gives it');
  }

  async kill(): Promise<void> {
    if (!this.cancellable) throw new SandboxError('unsupported', 'its agent does not say that it can end this command');
    await this.#hooks.cancel();
  }

  /** Nothing runs here: it is the agent's to let go. */
  async release(): Promise<void> {}

  /** describe takes what the agent says of it; what is undefined it did not say. */
  describe(told: Told): void {
    const { command, cwd, rows, cols, cancel } = told;
    if (cancel !== undefined) this.#cancellable = cancel;
    if (rows !== undefined) this.#sized = true;
    this.#set({
      command: command ?? this.#status.command, cwd: cwd ?? this.#status.cwd,
      rows: rows ?? this.#status.rows, cols: cols ?? this.#status.cols,
    });
  }

  append(bytes: Bytes): void {
    const ended = this.#status.state !== 'running';
    if (ended) this.#restart(this.#machine.kept(this.#core), this.#status.truncated);
    if (!this.#status.readable) return;
    this.#machine.append(this.#core, bytes);
    this.#grown();
    if (ended) this.#machine.end(this.#core);
  }

  /** replace takes bytes in place of all output so far. */
  replace(bytes: Bytes): void {
    this.#restart(bytes, false);
    if (this.#status.state !== 'running' && this.#status.readable) this.#machine.end(this.#core);
  }

  /** reopen takes back that it has ended. */
  reopen(): void {
    if (this.#status.state === 'running') return;
    this.#restart(this.#machine.kept(this.#core), this.#status.truncated);
    const { exit: _exit, ended: _ended, endedBy: _by, ...rest } = this.#status;
    this.#status = { ...rest, state: 'running' };
    this.#set({});
  }

  end(exit: ExitStatus): void {
    if (this.#status.state === 'running') this.#machine.end(this.#core);
    this.#finish(exit, exit.signal === null ? {} : { state: 'killed', endedBy: 'signal' });
  }

  /** lose ends it because there are too many that the agent does not end. */
  lose(): void {
    this.#machine.end(this.#core);
    this.#finish({ exitCode: null, signal: null }, { state: 'killed', endedBy: 'unknown' });
  }

  /** drop forgets the output. */
  drop(): void {
    if (this.#status.readable) this.#machine.drop(this.#core);
    this.forget();
  }

  /** forget is told that the output is gone. */
  forget(): void {
    if (!this.#status.readable) return;
    this.#set({ readable: false, released: true });
    this.#settle({ exitCode: null, signal: null });
  }

  /** What a watcher gets that has drawn all before offset; undefined: it must begin anew. */
  since(offset: number): { data: Bytes; offset: number } | undefined {
    if (offset > this.#status.bytes) return undefined;
    const { output, lost } = this.#machine.since(this.#core, offset);
    return lost > 0 || output.length > BEHIND ? undefined : { data: output, offset };
  }

  /** What a watcher begins with: no screen is kept here, so it draws all the output again. */
  snapshot(): { rows: number; cols: number; data: Bytes; offset: number } {
    const { rows, cols, bytes, truncated } = this.#status;
    let kept = this.#machine.kept(this.#core);
    // What was cut may begin in an escape sequence; the next line does not.
    if (truncated) kept = kept.subarray(kept.indexOf(0x0a) + 1);
    // Programs on pipes end lines with LF alone. An agent that knows the size has a pty.
    const newlines = new TextEncoder().encode(this.#sized ? '' : '\x1b[20h');
    const data = new Uint8Array(newlines.length + kept.length);
    data.set(newlines);
    data.set(kept, newlines.length);
    return { rows, cols, data, offset: bytes };
  }

  #finish(exit: ExitStatus, how: Partial<TerminalStatus>): void {
    this.#set({ state: 'exited', ended: Date.now(), exit, ...how });
    this.#settle(exit);
    this.#grown(); // half a character at the end comes only now
  }

  /** restart has a new terminal of the machine in place of the old one, with this as output. */
  #restart(output: Bytes, truncated: boolean): void {
    this.#machine.drop(this.#core);
    const core = this.#machine.create();
    if (!core) return this.forget();
    this.#core = core;
    this.#machine.own(core, this);
    this.#machine.append(core, output);
    this.#set({ bytes: 0, truncated });
    this.#grown();
    for (const watching of this.#watches) watching.skip();
  }

  #grown(): void {
    if (!this.#status.readable) return;
    const { next } = this.#machine.since(this.#core, this.#status.bytes);
    const { limit } = this.#machine;
    this.#set({ bytes: next, kept: Math.min(next, limit), truncated: this.#status.truncated || next > limit });
  }

  #set(change: Partial<TerminalStatus>): void {
    this.#status = { ...this.#status, ...change };
    this.#events.emit('change', this.#status);
    this.#hooks.changed();
    for (const watching of this.#watches) watching.pump();
  }
}

/** One view's watch: what it was given last is awaited before there is more. */
class Watching implements Watch {
  #terminal: Shown;
  #watcher: Watcher;
  #closed: () => void;
  #open = true;
  #offset = -1; // -1: a snapshot is next
  #busy = false;
  #news = false;

  constructor(terminal: Shown, watcher: Watcher, closed: () => void) {
    this.#terminal = terminal;
    this.#watcher = watcher;
    this.#closed = closed;
  }

  skip(): void {
    this.#offset = -1;
    this.pump();
  }

  close(): void {
    this.#open = false;
    this.#closed();
  }

  /** pump hands on what there is, unless the watcher is busy; then it comes back by itself. */
  async pump(): Promise<void> {
    this.#news = true;
    if (this.#busy) return;
    this.#busy = true;
    await null; // the caller has changed several things, perhaps
    try {
      while (this.#open && this.#news) {
        this.#news = false; // and true again if something comes while a step is awaited
        while (this.#open && (await this.#step()));
      }
    } catch (e) {
      this.close();
      reportError(e);
    } finally {
      this.#busy = false;
    }
  }

  /** step makes one call, and reports whether there may be another. */
  async #step(): Promise<boolean> {
    const { state, readable } = this.#terminal.status;
    const chunk = readable && this.#offset >= 0 ? this.#terminal.since(this.#offset) : undefined;
    if (readable && !chunk) {
      const snapshot = this.#terminal.snapshot();
      this.#offset = snapshot.offset;
      await this.#watcher.snapshot(snapshot);
      return true;
    }
    if (chunk && chunk.data.length > 0) {
      this.#offset += chunk.data.length;
      await this.#watcher.output(chunk);
      return true;
    }
    if (state === 'running' && readable) return false;
    this.close();
    this.#watcher.end?.();
    return false;
  }
}
