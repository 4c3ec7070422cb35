// A client of `terrarium serve`, in a page or in Node: requests, and what its terminals do as they do it.

export type Topic = 'bytes' | 'screen' | 'status';

/** What a command has written. `lost` bytes before it were dropped, because we have read too slowly. */
export interface Output { sessionId: string; terminalId: string; offset: number; lost: number; data: Uint8Array }

/** A part of a line that looks the same: colours are a number of the palette or "#rrggbb". `width` is in
 * cells, where that is not one for each character. */
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

/** Hears of what was subscribed to. Of a screen that is not there, or not any more, it hears undefined. */
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

interface Message { id?: number; method?: string; params?: any; result?: any; error?: { code: number; message: string; data?: object } }

export class Sidecar {
  readonly #waiting = new Map<number, { resolve(result: any): void; reject(why: Error): void }>();
  readonly #screens = new Map<string, Screen>();
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
    if (this.#ended) return Promise.reject(this.#ended);
    const id = ++this.#last;
    this.write(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  /** Has the listener hear of a terminal, or of all of a session, also of those to come. Subscribe to
   * screens before you create terminals: others have none. */
  async subscribe(to: { sessionId: string; terminalId?: string }, what: Topic[]): Promise<void> {
    await this.request('_terrarium/subscribe', { ...to, what });
  }

  async unsubscribe(from: { sessionId: string; terminalId?: string }): Promise<void> {
    await this.request('_terrarium/unsubscribe', from);
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
    const { id, method, params, result, error }: Message = JSON.parse(line);
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
      this.listener.screen?.(params.terminalId, this.#draw(params.terminalId, params.screen));
    } else if (method === '_terrarium/status') {
      this.listener.status?.(params);
    } else if (id !== undefined) { // a question, which only comes to who has said that it answers
      this.write(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } }));
    }
  }

  /** Makes a whole screen of what has changed. */
  #draw(terminalId: string, told: (Omit<Screen, 'lines'> & { snapshot: boolean; lines: { y: number; runs: Run[] }[] }) | null): Screen | undefined {
    const before = this.#screens.get(terminalId);
    this.#screens.delete(terminalId);
    if (!told) return undefined;
    const { snapshot, lines: changes, ...rest } = told;
    const lines = snapshot || !before ? Array.from({ length: rest.rows }, (): Run[] => []) : [...before.lines];
    for (const { y, runs } of changes) lines[y] = runs;
    const screen = { ...rest, lines, changed: snapshot ? [...lines.keys()] : changes.map(({ y }) => y) };
    this.#screens.set(terminalId, screen);
    return screen;
  }

  #end(why: Error): void {
    if (this.#ended) return;
    this.#ended = why;
    for (const { reject } of this.#waiting.values()) reject(why);
    this.listener.end?.(why);
  }
}
