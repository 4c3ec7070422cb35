// A terminal as the page has it, and those who watch it.

import { Emitter } from './emitter.js';
import { SandboxError, messageOf } from './errors.js';
import type { Link } from './link.js';
import type { SnapshotMessage, TerminalInfo } from './protocol.js';
import type {
  Chunk, EndedBy, ExitStatus, Failure, Snapshot, Terminal, TerminalEvents, TerminalStatus, Unsubscribe, Watch,
  WatchOptions, Watcher,
} from './types.js';

const defaultHistory = 1000;

/** What a view is about to be told. */
type Told = { snapshot: Snapshot } | { chunk: Chunk } | 'end';

/** One view. What the worker sends for it is handed on one piece at a time. */
export class View implements Watch {
  #number: number | undefined;
  #closed = false;
  #skipping = false;
  #turn = Promise.resolve();

  constructor(
    private readonly terminal: TerminalImpl,
    private readonly watcher: Watcher,
    private readonly history: number,
    private readonly link: Link,
    private readonly views: Map<number, View>,
  ) {
    link
      .request<{ watch: number; snapshot: SnapshotMessage }>({ op: 'watch', id: terminal.id, history })
      .then(
        ({ watch, snapshot }) => {
          if (this.#closed) return link.send({ to: 'unwatch', watch });
          this.#number = watch;
          views.set(watch, this);
          this.#tell({ snapshot });
        },
        () => this.#tell('end'), // it is gone
      );
  }

  /** Takes what the worker sends. */
  output(chunk: Chunk): void {
    if (chunk.offset < 0 || this.#skipping) return this.#again();
    this.#tell({ chunk });
  }

  snapshot(snapshot: Snapshot): void {
    this.#skipping = false;
    this.#tell({ snapshot });
  }

  end(): void {
    this.#tell('end');
  }

  skip(): void {
    this.#skipping = true;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.terminal.drop(this);
    if (this.#number === undefined) return;
    this.views.delete(this.#number);
    this.link.send({ to: 'unwatch', watch: this.#number });
  }

  /** Asks for a snapshot in the place of what is left out. */
  #again(): void {
    if (this.#number !== undefined) this.link.send({ to: 'skip', watch: this.#number, history: this.history });
  }

  #tell(told: Told): void {
    this.#turn = this.#turn.then(() => this.#hand(told));
  }

  async #hand(told: Told): Promise<void> {
    if (this.#closed) return;
    try {
      if (told === 'end') {
        this.close();
        return this.watcher.end?.();
      }
      if ('snapshot' in told) await this.watcher.snapshot(told.snapshot);
      else await this.watcher.output(told.chunk);
    } catch (e) {
      reportError(e);
      this.close(); // a view that throws is shown nothing more
      return;
    }
    if (this.#closed || this.#number === undefined) return;
    if (this.#skipping) this.#again();
    else this.link.send({ to: 'next', watch: this.#number });
  }
}

export class TerminalImpl implements Terminal {
  readonly #events = new Emitter<TerminalEvents>();
  readonly #watching = new Set<View>();
  #settle!: (s: ExitStatus) => void;
  readonly exited: Promise<ExitStatus>;
  #begin!: () => void;
  /** Settles when it runs, or never will: nothing can be typed before. */
  readonly #begun = new Promise<void>((resolve) => (this.#begin = resolve));
  readonly origin: 'page' | 'agent';
  readonly session: string;
  readonly id: string;
  status!: TerminalStatus;

  constructor(
    info: TerminalInfo,
    private readonly link: Link,
    private readonly views: Map<number, View>,
  ) {
    this.id = info.id;
    this.origin = info.peer === 0 ? 'page' : 'agent';
    this.session = info.session;
    this.exited = new Promise((resolve) => (this.#settle = resolve));
    this.#change(statusOf(info, Date.now()));
  }

  on<E extends keyof TerminalEvents>(event: E, listener: TerminalEvents[E]): Unsubscribe {
    return this.#events.on(event, listener);
  }

  watch(watcher: Watcher, options: WatchOptions = {}): Watch {
    const history = Math.max(0, Math.min(options.history ?? defaultHistory, 100_000));
    const view = new View(this, watcher, history, this.link, this.views);
    this.#watching.add(view);
    return view;
  }

  drop(view: View): void {
    this.#watching.delete(view);
  }

  async text(): Promise<{ output: string; truncated: boolean }> {
    const { state, error } = this.status;
    if (state === 'failed' && error) throw new SandboxError(error.reason, error.message);
    return this.link.request({ op: 'text', id: this.id });
  }

  async write(data: string | Uint8Array): Promise<void> {
    const p = typeof data === 'string' ? new TextEncoder().encode(data) : data.slice();
    await this.#begun;
    await this.link.request({ op: 'write', id: this.id, data: p as Uint8Array<ArrayBuffer> });
  }

  async closeInput(): Promise<void> {
    await this.#begun;
    await this.link.request({ op: 'close_input', id: this.id });
  }

  resize(rows: number, cols: number): Promise<void> {
    return this.link.request({ op: 'resize', id: this.id, rows, cols });
  }

  kill(): Promise<void> {
    return this.link.request({ op: 'kill', id: this.id });
  }

  release(): Promise<void> {
    return this.link.request({ op: 'release', id: this.id });
  }

  /** Takes what the sandbox tells. */
  take(info: TerminalInfo): void {
    this.#change(statusOf(info, this.status.created));
  }

  count(bytes: number, kept: number, truncated: boolean): void {
    this.#change({ ...this.status, bytes, kept, truncated });
  }

  /** Its output can't be read any longer. */
  evict(): void {
    this.#change({ ...this.status, readable: false, released: true });
    this.#endViews();
  }

  /** The worker is no more. */
  die(error: Failure): void {
    const { state } = this.status;
    const ended = state === 'exited' || state === 'killed' || state === 'failed';
    this.#change({
      ...this.status,
      readable: false,
      ...(ended ? {} : { state: 'killed' as const, endedBy: 'sandbox' as const, error, ended: Date.now(), exit: { exitCode: null, signal: null } }),
    });
    this.#endViews();
  }

  #endViews(): void {
    for (const view of [...this.#watching]) view.end();
  }

  #change(status: TerminalStatus): void {
    this.status = status;
    if (status.state !== 'queued' && status.state !== 'asking') this.#begin();
    if (status.exit) this.#settle(status.exit);
    else if (status.state === 'failed' || status.state === 'killed') this.#settle({ exitCode: null, signal: null });
    this.#events.emit('change', status);
  }
}

function statusOf(t: TerminalInfo, created: number): TerminalStatus {
  return {
    state: t.state,
    released: t.released,
    readable: t.state !== 'failed' && (t.state !== 'killed' || t.exit !== undefined),
    command: t.command,
    args: t.args,
    ...(t.argv && { argv: t.argv }),
    ...(t.path !== undefined && { path: t.path }),
    ...(t.via && { via: t.via }),
    cwd: t.cwd,
    pty: t.pty,
    interactive: t.interactive,
    rows: t.rows,
    cols: t.cols,
    created,
    ...(t.startedMs !== undefined && { started: t.startedMs }),
    ...(t.endedMs !== undefined && { ended: t.endedMs }),
    ...(t.exit && { exit: t.exit }),
    ...(t.endedBy !== undefined && { endedBy: t.endedBy as EndedBy }),
    ...(t.error && { error: t.error }),
    bytes: t.bytes,
    kept: t.kept,
    truncated: t.truncated,
  };
}

/** Why a terminal has failed, as an error. */
export function failureOf(e: unknown): Failure {
  return e instanceof SandboxError ? { reason: e.reason, message: e.message } : { reason: 'failed', message: messageOf(e) };
}
