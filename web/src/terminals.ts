// Terminals in this page: what createTerminals returns.

import { Peer, attach, methodsOf } from './acp.js';
import { mostOfOthers } from './bounded.js';
import { Emitter } from './emitter.js';
import { SandboxError, messageOf } from './errors.js';
import { FilesImpl, bytesOf } from './files.js';
import { Link } from './link.js';
import type { Config, FromWorker, SandboxEvent, TerminalInfo, ToWorker } from './protocol.js';
import type { Providers } from './providers.js';
import { Sources, baseURL } from './sources.js';
import { TerminalImpl, type View } from './terminal.js';
import type {
  AcpClientApp, AcpClientMethods, AttachOptions, CreateOptions, PolicyAnswer, Terminal, Terminals, TerminalsEvents,
  TerminalsOptions, TerminalsState, Unsubscribe,
} from './types.js';

/** How many terminals stay listed that have failed to start, or whose sandbox has died. */
const maxGone = 64;
/** How long commands may take to end when all is closed. */
const closeMs = 2000;
/** How much longer the browser may take to write the files that are kept. */
const keepMs = 60_000;
/** The most that is handed on of why a policy says no, in UTF-16 units. */
const maxReason = 4096;

export class TerminalsImpl implements Terminals {
  readonly clientCapabilities = { terminal: true } as const;
  readonly files: FilesImpl;
  state: TerminalsState = 'starting';
  ready: Promise<void> = Promise.resolve();

  private readonly events = new Emitter<TerminalsEvents>();
  private readonly terminals = new Map<string, TerminalImpl>();
  private readonly views = new Map<number, View>();
  private readonly questions = new Map<number, AbortController>();
  private readonly sources: Sources;
  private providers: Providers | undefined;
  private link: Link | undefined;
  private peer: Peer | undefined;
  private peerNumber = 0;
  private closed: (() => void) | undefined;
  private death: SandboxError | undefined;

  constructor(
    private readonly options: TerminalsOptions,
    private readonly worker: () => Worker,
    private readonly wasmURL: string | URL,
  ) {
    this.sources = new Sources(options.commands, this.moduleLimit);
    this.files = new FilesImpl(() => this.live());
    this.start();
  }

  // Its life.

  private start(): void {
    this.setState('starting');
    this.ready = this.boot();
    this.ready.catch(() => undefined); // it is told to those who wait for it
  }

  private async boot(): Promise<void> {
    const o = this.options;
    if (o.mounts && !this.providers) {
      const { Providers } = await import('./providers.js').catch((e: unknown) => {
        throw new SandboxError('fetch_failed', `providers.js: ${messageOf(e)}`, { cause: e });
      });
      this.providers = new Providers(o.mounts, o.limits?.providerMs);
      if (this.state === 'closed') throw new SandboxError('closed', 'the sandbox was closed');
    }
    const link = new Link(
      o.workerFactory ?? this.worker,
      (m) => this.hear(link, m),
      (e) => this.lost(link, e),
    );
    this.link = link;
    link.send({
      to: 'boot',
      wasmURL: new URL(this.wasmURL, baseURL()).href,
      config: this.config(),
      modules: this.sources.infos,
      files: Object.entries(o.files ?? {}).map(([path, content]) => [path, bytesOf(content)]),
      ...(o.storage !== undefined && { storage: o.storage }),
      moduleLimit: this.moduleLimit,
    });
    try {
      await link.ready;
      this.providers?.watch((mount, changes) => link.send({ to: 'provider_changed', mount, changes }));
      const number = await link.request<number>({ op: 'open_peer', options: { lenient: o.lenient ?? false, interactive: o.agentInput ?? false } });
      this.peerNumber = number;
      this.peer = new Peer((text, id) => link.send({ to: 'line', peer: number, text, id }));
    } catch (e) {
      this.lost(link, e as SandboxError);
      throw e;
    }
    if (this.link === link) this.setState('ready');
  }

  private get moduleLimit(): number {
    return this.options.limits?.module ?? mostOfOthers;
  }

  private config(): Config {
    const o = this.options;
    const { module: _, providerMs: __, ...limits } = o.limits ?? {};
    return {
      modules: this.sources.infos.map(({ name, commands, sum }) => (sum === undefined ? { name, commands } : { name, commands, sum })),
      cwd: o.cwd ?? '/work',
      env: Object.entries(o.env ?? {}).map(([name, value]) => `${name}=${value}`),
      deterministic: o.deterministic ?? false,
      ask: o.policy !== undefined,
      mounts: this.providers?.infos ?? [],
      limits: limits as Record<string, number>,
    };
  }

  /** The worker, if there is one. */
  private live(): Link {
    if (this.link && this.state !== 'dead' && this.state !== 'closed') return this.link;
    throw this.death ?? new SandboxError('closed', 'the sandbox was closed');
  }

  /** The worker is no more, and nobody has closed it. */
  private lost(link: Link, e: SandboxError): void {
    if (this.link !== link || this.state === 'closed') return;
    this.end(e);
    this.setState('dead', e);
  }

  /** Ends what the worker has had. */
  private end(e: SandboxError): void {
    const link = this.link;
    this.death = e;
    this.link = undefined;
    link?.end(e);
    this.providers?.unwatch();
    this.peer?.end(e.reason, e.message);
    this.peer = undefined;
    for (const q of this.questions.values()) q.abort(e);
    this.questions.clear();
    this.views.clear();
    const { reason, message } = e;
    for (const t of this.terminals.values()) t.die({ reason, message });
    this.forget();
  }

  async restart(): Promise<void> {
    if (this.state === 'closed') throw new SandboxError('closed', 'the sandbox was closed');
    if (this.link) this.end(new SandboxError('dead', 'the sandbox was restarted'));
    this.start();
    await this.ready;
  }

  async close(): Promise<void> {
    if (this.state === 'closed') return;
    const link = this.link;
    if (link && this.state === 'ready') {
      await new Promise<void>((resolve) => {
        this.closed = resolve;
        // What commands have written to the page's own files, and to those that are kept, is
        // written yet.
        const kept = this.options.storage ? keepMs : 0;
        setTimeout(resolve, closeMs + kept + 2 * (this.providers?.timeoutMs ?? 0));
        link.send({ to: 'close' });
      });
    }
    this.end(new SandboxError('closed', 'the sandbox was closed'));
    this.setState('closed');
  }

  private setState(state: TerminalsState, error?: SandboxError): void {
    this.state = state;
    this.events.emit('state', state, error);
  }

  // Terminals.

  async create(options: CreateOptions): Promise<Terminal> {
    const { env, ...rest } = options;
    const command = { ...rest, env: Object.entries(env ?? {}).map(([name, value]) => ({ name, value })) };
    await this.ready;
    const link = this.live();
    const info = await link.request<TerminalInfo>({ op: 'create', command });
    return this.terminals.get(info.id) ?? this.open(link, info);
  }

  get(id: string): Terminal | undefined {
    return this.terminals.get(id);
  }

  list(): Terminal[] {
    return [...this.terminals.values()];
  }

  on<E extends keyof TerminalsEvents>(event: E, listener: TerminalsEvents[E]): Unsubscribe {
    return this.events.on(event, listener);
  }

  private open(link: Link, info: TerminalInfo): TerminalImpl {
    const t = new TerminalImpl(info, link, this.views);
    this.terminals.set(t.id, t);
    t.on('change', () => this.events.emit('change', t));
    this.events.emit('open', t);
    return t;
  }

  /** Drops the oldest of those that have nothing to read. */
  private forget(): void {
    const gone = [...this.terminals.values()].filter((t) => !t.status.readable);
    for (const t of gone.slice(0, Math.max(0, gone.length - maxGone))) {
      this.terminals.delete(t.id);
      this.events.emit('evict', t);
    }
  }

  // What the worker says.

  private hear(link: Link, m: FromWorker): void {
    if (this.link !== link) return;
    switch (m.from) {
      case 'events':
        for (const e of m.events) this.take(link, e);
        if (m.changes) this.files.changed(m.changes);
        return link.send({ to: 'heard' });
      case 'find':
        return void this.sources.find(m.place).then((found) => {
          const own = 'bytes' in found ? [found.bytes.buffer] : [];
          link.send({ to: 'found', request: m.request, found } satisfies ToWorker, ...own);
        });
      case 'ask':
        return void this.providers?.answer(m.ask, m.data).then(({ failed, data }) => {
          const own = typeof data === 'string' ? [] : [data.buffer];
          link.send({ to: 'provided', request: m.ask.request, failed, data }, ...own);
        });
      case 'load':
        return this.events.emit('load', { name: m.name, phase: m.phase, loaded: m.loaded, ...(m.total !== undefined && { total: m.total }) });
      case 'storage':
        // Of the start it is told when there may be listeners.
        return void this.ready.then(() => setTimeout(() => this.events.emit('storage', new SandboxError(m.error.reason, m.error.message))), () => 0);
      case 'output':
        return this.views.get(m.watch)?.output({ offset: m.offset, data: m.data });
      case 'snapshot':
        return this.views.get(m.watch)?.snapshot(m.snapshot);
      case 'ended':
        return this.views.get(m.watch)?.end();
      case 'lines':
        if (m.peer === this.peerNumber) this.peer?.take(m.text);
        return link.send({ to: 'taken', peer: m.peer, bytes: m.bytes });
    }
  }

  private take(link: Link, e: SandboxEvent): void {
    switch (e.event) {
      case 'terminal': {
        const t = this.terminals.get(e.terminal.id);
        if (t) t.take(e.terminal);
        else this.open(link, e.terminal);
        if (e.terminal.state === 'failed') this.forget();
        return;
      }
      case 'counts':
        return this.terminals.get(e.id)?.count(e.bytes, e.kept, e.truncated);
      case 'evicted': {
        const t = this.terminals.get(e.id);
        this.terminals.delete(e.id);
        t?.evict();
        if (t) this.events.emit('evict', t);
        return;
      }
      case 'asking':
        return void this.ask(link, e);
      case 'asked':
        this.questions.get(e.request)?.abort();
        this.questions.delete(e.request);
        return;
      case 'provider':
        return this.events.emit('provider', new SandboxError(e.reason, e.message));
      case 'closed':
        return this.closed?.();
    }
  }

  /** Asks the policy. What throws, or is no answer, denies. */
  private async ask(link: Link, e: SandboxEvent & { event: 'asking' }): Promise<void> {
    const terminal = this.terminals.get(e.id), policy = this.options.policy;
    const question = new AbortController();
    this.questions.set(e.request, question);
    let decision = { allow: false, reason: '' };
    try {
      if (terminal && policy) {
        decision = decided(await policy({ terminal, path: e.path, argv: e.argv, cwd: e.cwd, roots: e.roots, env: e.env, signal: question.signal }));
      }
    } catch (error) {
      reportError(error);
      decision.reason = 'the policy has failed';
    }
    if (this.questions.get(e.request) !== question) return;
    this.questions.delete(e.request);
    link.send({ to: 'decide', request: e.request, ...decision });
  }

  // ACP.

  private served(): Peer {
    if (this.peer) return this.peer;
    const e = this.death ?? new SandboxError('starting', 'the sandbox has not started');
    const none = new Peer(() => undefined);
    none.end(e.reason, e.message);
    return none;
  }

  attach<T extends AcpClientApp>(client: T, options: AttachOptions = {}): T {
    return attach(() => this.served(), client, options);
  }

  client(options: AttachOptions = {}): AcpClientMethods {
    return methodsOf(() => this.served(), options);
  }

  handleMessage(message: string): Promise<string | undefined>;
  handleMessage(message: object): Promise<object | undefined>;
  async handleMessage(message: string | object): Promise<string | object | undefined> {
    if (typeof message !== 'string') return this.served().handle(message);
    if (message.trim() === '') return undefined; // a line without a message
    let parsed: unknown; // undefined is no message, which the sandbox says
    try {
      parsed = JSON.parse(message);
    } catch {}
    const answer = await this.served().handle(parsed, message);
    return answer && JSON.stringify(answer);
  }

  async openSession(sessionId: string, roots: { cwd: string; additionalDirectories?: readonly string[] }): Promise<void> {
    await this.served().request('_terrarium/session_open', { sessionId, ...roots });
  }

  async closeSession(sessionId: string): Promise<void> {
    await this.served().request('_terrarium/session_close', { sessionId });
  }
}

/** What a policy's answer comes to. It is anybody's object, and may throw. */
function decided(answer: PolicyAnswer): { allow: boolean; reason: string } {
  const { allow, reason = '' } = typeof answer === 'object' && answer !== null ? answer : { allow: answer === 'allow' };
  return { allow: allow === true, reason: String(reason).slice(0, maxReason) };
}
