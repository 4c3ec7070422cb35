// What the worker says to the page.

import { SandboxError, messageOf } from './errors.js';
import type { Failed, FromWorker, ToWorker } from './protocol.js';

/** This worker's scope: TypeScript has the types of a page. */
export const scope = globalThis as unknown as {
  postMessage(message: FromWorker, transfer: Transferable[]): void;
  onmessage: ((e: MessageEvent<ToWorker>) => void) | null;
};

export function post(message: FromWorker, ...transfer: Transferable[]): void {
  scope.postMessage(message, transfer);
}

export function failedOf(e: unknown): Failed {
  if (e instanceof SandboxError) {
    return e.param === undefined ? { reason: e.reason, message: e.message } : { reason: e.reason, message: e.message, param: e.param };
  }
  return { reason: 'failed', message: messageOf(e) };
}
