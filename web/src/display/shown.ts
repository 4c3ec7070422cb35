import type { DisplayTerminal } from '../display.js';
import { Emitter } from '../emitter.js';
import { SandboxError } from '../errors.js';
import type { Bytes, ExitStatus, TerminalEvents, TerminalStatus, Unsubscribe, Watch, Watcher } from '../types.js';
import type { Core, Machine } from './machine.js';
import { Watching } from './watching.js';

/** A watcher that is further behind begins anew, in bytes. */
const BEHIND = 1 << 20;

/** The size of a terminal whose agent tells none. */
const SIZE = { rows: 40, cols: 120 };

/** What an agent says of a terminal; what it does not say is undefined. */
interface Told {
  command?: string | undefined;
  /** What it calls the command, as long as it tells none. */
  title?: string | undefined;
  cwd?: string | undefined;
  /** null: it is known no longer. */
  size?: { rows: number; cols: number } | null | undefined;
  cancel?: boolean | undefined;
}

/** A terminal as it is shown: its status is what the agent told, its output the machine's. */
export class Shown implements DisplayTerminal {
  readonly origin = 'agent';
  readonly exited: Promise<ExitStatus>;
  #machine: Machine;
  #core: Core;
  #status: TerminalStatus;
  #cancellable = false;
  #sized = false;
  #named = false; // its status has the command, not a title
  #announced = false;
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
      interactive: false, ...SIZE, created: now, started: now, bytes: 0, kept: 0, truncated: false,
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
    const { command, title, cwd, size, cancel } = told;
    if (cancel !== undefined) this.#cancellable = cancel;
    if (command !== undefined) this.#named = command !== '';
    const shown = this.#named || command !== undefined ? command : title;
    const sized = size === undefined ? this.#sized : size !== null;
    const anew = sized !== this.#sized; // its lines end otherwise: see snapshot
    this.#sized = sized;
    this.#set({ command: shown ?? this.#status.command, cwd: cwd ?? this.#status.cwd, ...(size === null ? SIZE : size) });
    if (anew) for (const watching of this.#watches) watching.skip();
  }

  /**
   * announce is told that its agent begins to tell of it: what is told again takes the place of
   * what has ended.
   */
  announce(): void {
    if (this.#announced && this.#status.state !== 'running') {
      this.reopen();
      this.replace(new Uint8Array());
    }
    this.#announced = true;
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
