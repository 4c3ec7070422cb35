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

/** The requests of the page's clients, with numbers of its own in the place of their ids. */
export class Peer {
  readonly #waiting = new Map<number, Waiting>();
  /** The number that a request of handleMessage has, by its id as JSON. */
  readonly #numbers = new Map<string, number>();
  #last = 0;
  #gone: RpcError | undefined;

  constructor(private readonly send: (line: string) => void) {}

  /** Takes lines of the sandbox. */
  take(text: string): void {
    for (const line of text.split('\n')) {
      if (line === '') continue;
      const m = JSON.parse(line) as Message;
      const w = this.#waiting.get(m.id as number);
      if (!w) continue;
      this.#waiting.delete(m.id as number);
      if (m.error) w.reject(new AnswerError(m.error));
      else w.resolve(m.result);
    }
  }

  /** Answers all that wait, and all that will be asked, with an error. */
  end(reason: string, message: string): void {
    this.#gone = { code: internalError, message, data: { reason } };
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const w of waiting) w.reject(new AnswerError(this.#gone));
  }

  request(method: string, params: unknown, signal?: AbortSignal, key?: string): Promise<unknown> {
    if (this.#gone) return Promise.reject(new AnswerError(this.#gone));
    const id = ++this.#last;
    const cancel = () => this.#notify('$/cancel_request', { requestId: id });
    if (key !== undefined) this.#numbers.set(key, id);
    const answer = new Promise<unknown>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
      if (signal?.aborted) cancel();
      else signal?.addEventListener('abort', cancel, { once: true });
    });
    return answer.finally(() => {
      signal?.removeEventListener('abort', cancel);
      if (key !== undefined && this.#numbers.get(key) === id) this.#numbers.delete(key);
    });
  }

  #notify(method: string, params: unknown): void {
    if (!this.#gone) this.send(JSON.stringify({ jsonrpc: '2.0', method, params }));
  }

  /** Answers one message; undefined is no answer. */
  async handle(m: unknown): Promise<object | undefined> {
    const refuse = (code: number, message: string, id: unknown = null) => ({ jsonrpc: '2.0', id, error: { code, message } });
    if (typeof m !== 'object' || m === null || Array.isArray(m)) return refuse(-32600, 'Invalid request');
    const { jsonrpc, id, method, params } = m as Message;
    const known = id === null || typeof id === 'string' || typeof id === 'number';
    if (method === undefined) return undefined; // a response: we have asked nothing
    if (jsonrpc !== '2.0' || typeof method !== 'string') return refuse(-32600, 'Invalid request', known ? id : null);
    if (id === undefined) {
      if (method === '$/cancel_request') this.#cancel(params);
      else this.#notify(method, params);
      return undefined;
    }
    if (!known) return refuse(-32600, 'Invalid request');
    try {
      return { jsonrpc: '2.0', id, result: await this.request(method, params, undefined, JSON.stringify(id)) };
    } catch (e) {
      return { jsonrpc: '2.0', id, error: (e as AnswerError).error };
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
