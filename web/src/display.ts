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
import { Machine } from './display/machine.js';
import { Shown } from './display/shown.js';
import { Reactor, type WasmSource } from './reactor.js';
import type { Bytes, ExitStatus, Terminal, Unsubscribe } from './types.js';

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

/**
 * What an ACP client of version 1 says in `initialize` for agents to report their terminals. With
 * `terminal_output_delta` some would report commands too that they give no terminal and no end.
 */
export const clientCapabilities = { _meta: { terminal_output: true } } as const;

/** The longest id that is taken, and how much of a command or path is kept, in characters. */
const MAX_ID = 1024;
const MAX_TEXT = 8192;

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
    const at = (name: string) => {
      const value = object(meta?.[name]);
      return value && isID(value['terminal_id']) ? value : undefined;
    };
    const info = at('terminal_info');
    const output = at('terminal_output') ?? at('terminal_output_delta');
    const exit = at('terminal_exit');
    const told = { title: text(update['title']), command: text(object(update['rawInput'])?.['command']) };
    if (info) {
      const terminal = this.#open(session, info['terminal_id'] as string);
      // A session that is loaded again tells all from the beginning.
      if (update['sessionUpdate'] === 'tool_call') terminal?.announce();
      terminal?.describe({ ...told, cwd: text(info['cwd']) });
    } else if (isID(update['toolCallId'])) {
      // Many tell the command only when it is there in full. They name a terminal after its call.
      this.#terminals.get(key(session, update['toolCallId']))?.describe(told);
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
    const { command, cwd, output, size, capabilities, exitStatus: exit } = update;
    const bytes = base64(output === null ? '' : object(output)?.['data']);
    const terminal = this.#open(session, id);
    if (!terminal) return true;
    terminal.describe({
      command: command === null ? '' : text(command),
      cwd: cwd === null ? '' : text(cwd),
      size: size === null ? null : dimensions(size),
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
function dimensions(size: unknown): { rows: number; cols: number } | undefined {
  const most = 1000;
  const fits = (n: unknown): n is number => Number.isInteger(n) && (n as number) >= 1;
  const { rows, cols } = object(size) ?? {};
  return fits(rows) && fits(cols) ? { rows: Math.min(rows, most), cols: Math.min(cols, most) } : undefined;
}

function base64(data: unknown): Bytes | undefined {
  if (typeof data !== 'string') return undefined;
  try {
    return Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
  } catch {
    return undefined;
  }
}
