// The page's end of the connection to its worker.

import { SandboxError, messageOf } from './errors.js';
import type { Failed, FromWorker, Request, ToWorker } from './protocol.js';

interface Waiting {
  resolve(value: unknown): void;
  reject(e: unknown): void;
}

/** A worker, and what the page waits for from it. */
export class Link {
  readonly #waiting = new Map<number, Waiting>();
  #last = 0;
  #gone: SandboxError | undefined;
  readonly #worker: Worker;
  /** Settles when the sandbox has started. */
  readonly ready: Promise<void>;
  #started!: Waiting;

  /** Makes a worker. What it says besides answers goes to `hear`, and why it is no more, if nobody
   * closed it, to `lost`. */
  constructor(
    make: () => Worker,
    private readonly hear: (m: FromWorker) => void,
    private readonly lost: (e: SandboxError) => void,
  ) {
    if (typeof Worker !== 'function') throw new SandboxError('no_worker', 'this page can have no workers');
    try {
      this.#worker = make();
    } catch (e) {
      throw new SandboxError('no_worker', `the worker could not be made: ${messageOf(e)}`, { cause: e });
    }
    this.ready = new Promise((resolve, reject) => {
      this.#started = { resolve: () => resolve(), reject };
    });
    this.ready.catch(() => undefined); // it is told to those who wait
    let loaded = false;
    let blocked = '';
    // It is told before the worker's error, which says nothing.
    const violation = (e: SecurityPolicyViolationEvent) => {
      if (e.disposition === 'enforce' && e.effectiveDirective === 'worker-src') blocked = e.blockedURI;
    };
    addEventListener('securitypolicyviolation', violation);
    const settled = () => removeEventListener('securitypolicyviolation', violation);
    this.ready.then(settled, settled);
    this.#worker.onmessage = (e: MessageEvent<FromWorker>) => {
      loaded = true;
      this.#take(e.data);
    };
    this.#worker.onmessageerror = () => this.#fail(new SandboxError('dead', 'a message of the worker can not be read'));
    this.#worker.onerror = (e) => {
      e.preventDefault();
      const what = e.message || 'its script could not be loaded';
      this.#fail(
        loaded
          ? new SandboxError('dead', `the worker has died: ${what}`)
          : blocked
            ? new SandboxError('csp', `the page's Content-Security-Policy does not allow our worker: worker-src lacks ${blocked}`)
            : new SandboxError('worker_failed', `the worker does not start: ${what}`),
      );
    };
  }

  send(m: ToWorker, ...transfer: Transferable[]): void {
    if (!this.#gone) this.#worker.postMessage(m, transfer);
  }

  request<T>(request: Request, ...transfer: Transferable[]): Promise<T> {
    if (this.#gone) return Promise.reject(this.#gone);
    const n = ++this.#last;
    return new Promise<T>((resolve, reject) => {
      this.#waiting.set(n, { resolve: resolve as (v: unknown) => void, reject });
      this.#worker.postMessage({ to: 'request', n, request } satisfies ToWorker, transfer);
    });
  }

  /** Ends the worker. Whoever waits is told why. */
  end(why: SandboxError): void {
    if (this.#gone) return;
    this.#gone = why;
    this.#worker.onmessage = this.#worker.onerror = this.#worker.onmessageerror = null;
    this.#worker.terminate();
    this.#started.reject(why);
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const w of waiting) w.reject(why);
  }

  #fail(why: SandboxError): void {
    if (this.#gone) return;
    this.end(why);
    this.lost(why);
  }

  #take(m: FromWorker): void {
    switch (m.from) {
      case 'ready':
        return this.#started.resolve(undefined);
      case 'failed':
        return this.#fail(errorOf(m.error));
      case 'dead':
        return this.#fail(new SandboxError(m.error.reason, m.error.message, { trace: m.trace }));
      case 'reply': {
        const w = this.#waiting.get(m.n);
        this.#waiting.delete(m.n);
        if (m.error) w?.reject(errorOf(m.error));
        else w?.resolve(m.value);
        return;
      }
      default:
        this.hear(m);
    }
  }
}

function errorOf(e: Failed): SandboxError {
  return new SandboxError(e.reason, e.message, { param: e.param });
}
