// ACP clients: their requests go to the sandbox as they are, and what it answers comes back.

import type {
  AcpClientApp, AcpClientMethods, AttachOptions, ExitStatus, RpcError,
} from './types.js';

/** What a client of a sandbox serves. */
export const terminalMethods = [
  'terminal/create', 'terminal/output', 'terminal/wait_for_exit', 'terminal/kill', 'terminal/release',
] as const;

const internalError = -32603;

/** An answer of the sandbox that is an error. */
export class AnswerError extends Error {
  constructor(readonly error: RpcError) {
    super(error.message);
  }
}

interface Waiting {
  resolve(result: unknown): void;
  reject(e: AnswerError): void;
}

interface Message {
  jsonrpc?: unknown;
  id?: unknown;
  method?: unknown;
  params?: unknown;
  result?: unknown;
  error?: RpcError;
}

/** How deep JSON may be nested for the sandbox to read it. */
const mostDepth = 512;

/**
 * How deep a text of JSON is nested. Strings are cut out in two steps: a regular expression for
 * all of one runs out of stack where that is long.
 */
function depth(text: string): number {
  let now = 0, most = 0;
  const outside = text.replace(/\\./g, '').split('"').filter((_, i) => i % 2 === 0);
  for (const [bracket] of outside.join('').matchAll(/[[\]{}]/g)) {
    most = Math.max(most, (now += '[{'.includes(bracket) ? 1 : -1));
  }
  return most;
}

/** The requests of the page's clients, with numbers of its own in the place of their ids. */
export class Peer {
  readonly #waiting = new Map<number, Waiting>();
  /** The number that a request of handleMessage has, by its id as JSON. */
  readonly #numbers = new Map<string, number>();
  readonly #unnamed: Waiting[] = [];
  #last = 0;
  #gone: RpcError | undefined;

  /** send has a line go to the sandbox; id is that of the answer to come, if one will. */
  constructor(private readonly send: (line: string, id?: number | null) => void) {}

  /** Takes lines of the sandbox. */
  take(text: string): void {
    for (const line of text.split('\n')) {
      if (line === '') continue;
      const m = JSON.parse(line) as Message;
      const w = m.id === null ? this.#unnamed.shift() : this.#waiting.get(m.id as number);
      if (!w) continue;
      this.#waiting.delete(m.id as number);
      if (m.error) w.reject(new AnswerError(m.error));
      else w.resolve(m.result);
    }
  }

  /** Answers all that wait, and all that will be asked, with an error. */
  end(reason: string, message: string): void {
    this.#gone = { code: internalError, message, data: { reason } };
    const waiting = [...this.#waiting.values(), ...this.#unnamed.splice(0)];
    this.#waiting.clear();
    for (const w of waiting) w.reject(new AnswerError(this.#gone));
  }

  request(method: string, params: unknown, signal?: AbortSignal): Promise<unknown> {
    return this.#ask({ jsonrpc: '2.0', method, params }, signal);
  }

  /** Sends a message that will be answered, with a number for its id. */
  #ask(message: object, signal?: AbortSignal, key?: string): Promise<unknown> {
    if (this.#gone) return Promise.reject(new AnswerError(this.#gone));
    const id = ++this.#last;
    const cancel = () => this.#notify('$/cancel_request', { requestId: id });
    if (key !== undefined) this.#numbers.set(key, id);
    const answer = new Promise<unknown>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.send(JSON.stringify({ ...message, id }), id);
      if (signal?.aborted) cancel();
      else signal?.addEventListener('abort', cancel, { once: true });
    });
    return answer.finally(() => {
      signal?.removeEventListener('abort', cancel);
      if (key !== undefined && this.#numbers.get(key) === id) this.#numbers.delete(key);
    });
  }

  /**
   * Sends what has no id that an answer could name: it is answered at once, and before what is
   * sent later.
   */
  #nameless(text: string): Promise<object> {
    if (this.#gone) return Promise.reject(new AnswerError(this.#gone));
    return new Promise((resolve, reject) => {
      this.#unnamed.push({ resolve: resolve as Waiting['resolve'], reject });
      this.send(text, null);
    });
  }

  #notify(method: string, params: unknown): void {
    if (!this.#gone) this.send(JSON.stringify({ jsonrpc: '2.0', method, params }));
  }

  /** Answers one message, which is the value of a text of JSON; undefined is no answer. */
  async handle(m: unknown, text = JSON.stringify(m) ?? 'null'): Promise<object | undefined> {
    const { jsonrpc, id, method, params, ...rest } = (typeof m === 'object' && !Array.isArray(m) && m ? m : {}) as Message;
    const answers = 'result' in rest || 'error' in rest;
    if (method === undefined && answers) return undefined; // we have asked nothing
    const key = JSON.stringify(id), line = text.replaceAll('\n', ' ');
    if (id === undefined && jsonrpc === '2.0' && typeof method === 'string' && typeof (params ?? {}) === 'object' && !answers) {
      if (method === '$/cancel_request') this.#cancel(params);
      else if (!this.#gone) this.send(line);
      return undefined;
    }
    const named = (id === null || typeof id === 'string' || Number.isInteger(id)) && depth(text) <= mostDepth;
    const twice = id !== null && this.#numbers.has(key);
    try {
      if (!named) return await this.#nameless(line);
      if (twice) return { jsonrpc: '2.0', id, error: { code: -32600, message: 'Invalid Request', data: { reason: 'duplicate_id' } } };
      return { jsonrpc: '2.0', id, result: await this.#ask(m as object, undefined, key) };
    } catch (e) {
      return { jsonrpc: '2.0', id: named ? id : null, error: (e as AnswerError).error };
    }
  }

  #cancel(params: unknown): void {
    const theirs = (params as { requestId?: unknown } | null | undefined)?.requestId;
    const ours = this.#numbers.get(JSON.stringify(theirs ?? null));
    if (ours !== undefined) this.#notify('$/cancel_request', { requestId: ours });
  }
}

/** Asks, and throws what the SDK passes on. */
async function ask(peer: Peer, o: AttachOptions, method: string, params: unknown, signal?: AbortSignal): Promise<unknown> {
  try {
    return await peer.request(method, params, signal);
  } catch (e) {
    const { code, message, data } = (e as AnswerError).error;
    throw o.RequestError ? new o.RequestError(code, message, data) : e;
  }
}

/** Serves the terminal methods of a ClientApp of the SDK's 2.x. */
export function attach<T extends AcpClientApp>(peer: () => Peer, client: T, o: AttachOptions): T {
  for (const method of terminalMethods) {
    client.onRequest(method, ({ params, signal }: { params: unknown; signal?: AbortSignal }) => ask(peer(), o, method, params, signal));
  }
  return client;
}

/** The same in the shape of a Client of the SDK's 1.x. */
export function methodsOf(peer: () => Peer, o: AttachOptions): AcpClientMethods {
  const call = <R>(method: string) => (params: object) => ask(peer(), o, method, params) as Promise<R>;
  return {
    createTerminal: call<{ terminalId: string }>('terminal/create'),
    terminalOutput: call<{ output: string; truncated: boolean; exitStatus?: ExitStatus | null }>('terminal/output'),
    waitForTerminalExit: call<ExitStatus>('terminal/wait_for_exit'),
    killTerminal: call<object>('terminal/kill'),
    releaseTerminal: call<object>('terminal/release'),
  };
}
