// A client of `terrarium serve`, in a page or in Node: requests, and what its terminals do as they
// do it.

export type Topic = 'bytes' | 'screen' | 'status';

/**
 * What a command has written. `lost` bytes before it were dropped, because we have read too
 * slowly.
 */
export interface Output { sessionId: string; terminalId: string; offset: number; lost: number; data: Uint8Array }

/**
 * A part of a line that looks the same: colours are a number of the palette or "#rrggbb". `width`
 * is in cells, where that is not one for each character.
 */
export interface Run {
  text: string; width?: number; fg?: number | string; bg?: number | string; underlineColor?: number | string; link?: string;
  underline?: 'single' | 'double' | 'curly' | 'dotted' | 'dashed'; bold?: true; dim?: true; italic?: true; blink?: true;
  inverse?: true; invisible?: true; strike?: true; overline?: true;
}

/** What a terminal shows: all of its lines, a blank one without runs, and which of them are new. */
export interface Screen {
  rows: number; cols: number; alt: boolean; title: string; lines: Run[][]; changed: number[];
  cursor: { x: number; y: number; hidden?: true; shape?: 'block' | 'underline' | 'bar'; blink?: true };
}

export interface Status {
  sessionId: string; terminalId: string; state: 'running' | 'exited' | 'released' | 'gone'; rows?: number; cols?: number;
  exitStatus?: { exitCode: number | null; signal: string | null }; exec?: { path: string; argv?: string[]; via: string; sandbox?: string };
}

/**
 * Hears of what was subscribed to. Of a screen that is not there, or not any more, it hears
 * undefined.
 */
export interface Listener {
  output?(output: Output): void;
  screen?(terminalId: string, screen: Screen | undefined): void;
  status?(status: Status): void;
  /** The connection is over. */
  end?(why: Error): void;
}

/** An answer that is an error: `data.reason` is a stable word. */
export class ServeError extends Error {
  constructor(readonly code: number, message: string, readonly data?: { reason?: string; param?: string }) { super(message); }
}

/** A session's terminal, or all of them. */
interface Subject { sessionId: string; terminalId?: string }

/** What is told of a screen: of its lines those that have changed. */
type Told = Omit<Screen, 'lines' | 'changed'> & { snapshot: boolean; lines: { y: number; runs: Run[] }[] };

interface Message { id?: number; method?: string; params?: any; result?: any; error?: { code: number; message: string; data?: object } }

export class Sidecar {
  readonly #waiting = new Map<number, { resolve(result: any): void; reject(why: Error): void }>();
  readonly #screens = new Map<string, { sessionId: string; screen: Screen }>();
  readonly #watched = new Set<string>(); // whose screens we have subscribed to
  #last = 0;
  #ended: Error | undefined;

  private constructor(
    private readonly listener: Listener,
    private readonly write: (line: string) => void,
    /** Ends the connection, and with it all of its terminals. */
    readonly close: () => void,
  ) {}

  /** Speaks to `terrarium serve --listen`, whose URL and token it has printed. */
  static async connect(url: string, token: string, listener: Listener): Promise<Sidecar> {
    const socket = new WebSocket(url, ['acp', `bearer.${token}`]);
    const sidecar = new Sidecar(listener, (line) => socket.send(line), () => socket.close());
    await new Promise<void>((resolve, reject) => {
      const end = (why: string) => {
        reject(new Error(why));
        sidecar.#end(new Error(why));
      };
      socket.onopen = () => resolve();
      socket.onmessage = ({ data }) => sidecar.#take(data);
      socket.onerror = () => end('the connection has failed'); // why, no page is told
      socket.onclose = ({ code, reason }) => end(`the connection has ended: ${reason || code}`);
    });
    return sidecar;
  }

  /** Speaks to `terrarium serve --stdio` by its standard output and input. In Node that is
   * `Readable.toWeb(child.stdout)` and `Writable.toWeb(child.stdin)`. */
  static over(output: ReadableStream<Uint8Array>, input: WritableStream<Uint8Array>, listener: Listener): Sidecar {
    const writer = input.getWriter(), utf8 = new TextEncoder();
    const fail = (why: Error) => sidecar.#end(why);
    const sidecar = new Sidecar(
      listener, (line) => void writer.write(utf8.encode(`${line}\n`)).catch(fail), () => void writer.close().catch(fail),
    );
    sidecar.#read(output).then(() => sidecar.#end(new Error('the connection has ended')), fail);
    return sidecar;
  }

  /** Sends a request, `terminal/create` say, and settles with its result or a `ServeError`. */
  request<T = unknown>(method: string, params: object): Promise<T> {
    return this.#request(method, params, () => undefined);
  }

  /**
   * Has the listener hear of a terminal, or of all of a session, also of those to come. Subscribe
   * to screens before you create terminals: others have none.
   */
  subscribe(to: Subject, what: Topic[]): Promise<void> {
    return this.#request('_terrarium/subscribe', { ...to, what }, () => this.#watch(to, what.includes('screen')));
  }

  unsubscribe(from: Subject): Promise<void> {
    return this.#request('_terrarium/unsubscribe', from, () => this.#watch(from, false));
  }

  /** Calls `then` with the result, before the next line is read. */
  #request<T>(method: string, params: object, then: () => void): Promise<T> {
    if (this.#ended) return Promise.reject(this.#ended);
    return new Promise((resolve, reject) => {
      const id = ++this.#last;
      this.write(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
      this.#waiting.set(id, { resolve: (result) => { then(); resolve(result); }, reject });
    });
  }

  /** Notes whether screens are subscribed to, and forgets those that are not any more. */
  #watch({ sessionId, terminalId }: Subject, on: boolean): void {
    const key = (id?: string) => JSON.stringify([sessionId, id]);
    this.#watched[on ? 'add' : 'delete'](key(terminalId));
    for (const [id, of] of this.#screens) {
      if (of.sessionId === sessionId && !this.#watched.has(key()) && !this.#watched.has(key(id))) this.#screens.delete(id);
    }
  }

  async #read(output: ReadableStream<Uint8Array>): Promise<void> {
    const reader = output.getReader(), utf8 = new TextDecoder();
    let parts: string[] = []; // of a line
    for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
      const [rest, ...lines] = utf8.decode(value, { stream: true }).split('\n');
      parts.push(rest!);
      for (const next of lines) {
        this.#take(parts.join(''));
        parts = [next];
      }
    }
  }

  #take(line: string): void {
    if (this.#ended) return;
    let message: Message;
    try {
      message = Object(JSON.parse(line));
    } catch {
      this.#end(new Error(`what has come is no message: ${String(line).slice(0, 80)}`));
      return this.close();
    }
    const { id, method, params, result, error } = message;
    if (method) {
      try {
        return this.#told(method, params, id);
      } catch (e) {
        return queueMicrotask(() => { throw e; }); // it is the listener's, as of any event
      }
    }
    const waiting = this.#waiting.get(id!);
    this.#waiting.delete(id!);
    if (error) waiting?.reject(new ServeError(error.code, error.message, error.data));
    else waiting?.resolve(result);
  }

  #told(method: string, params: any, id: unknown): void {
    if (method === '_terrarium/output') {
      this.listener.output?.({ lost: 0, ...params, data: Uint8Array.from(atob(params.data), (c) => c.charCodeAt(0)) });
    } else if (method === '_terrarium/screen') {
      this.listener.screen?.(params.terminalId, this.#draw(params, params.screen));
    } else if (method === '_terrarium/status') {
      if (params.state === 'gone') this.#watch(params, false); // the server has forgotten it
      this.listener.status?.(params);
    } else if (id !== undefined) { // a question, which only comes to who has said that it answers
      this.write(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } }));
    }
  }

  /** Makes a whole screen of what has changed. */
  #draw({ sessionId, terminalId }: Required<Subject>, told: Told | null): Screen | undefined {
    const before = this.#screens.get(terminalId)?.screen;
    this.#screens.delete(terminalId);
    if (!told) return undefined;
    const { snapshot, lines: changes, ...rest } = told;
    const lines = snapshot || !before ? Array.from({ length: rest.rows }, (): Run[] => []) : [...before.lines];
    for (const { y, runs } of changes) lines[y] = runs;
    const screen = { ...rest, lines, changed: snapshot ? [...lines.keys()] : changes.map(({ y }) => y) };
    this.#screens.set(terminalId, { sessionId, screen });
    return screen;
  }

  #end(why: Error): void {
    if (this.#ended) return;
    this.#ended = why;
    for (const { reject } of this.#waiting.values()) reject(why);
    for (const kept of [this.#waiting, this.#screens, this.#watched]) kept.clear();
    this.listener.end?.(why);
  }
}
