// Terminals for agents, in a page: createTerminals makes a sandbox in a worker.

import { SandboxError } from './errors.js';
import { TerminalsImpl } from './terminals.js';
import type { Terminals, TerminalsOptions } from './types.js';

export { SandboxError } from './errors.js';
export { FileChangeType, FileType } from './types.js';
export type * from './types.js';

/** Makes a sandbox, and settles when commands can run. It rejects with a `SandboxError` that says
 * why they can't: `no_jspi`, `no_worker`, `csp`, `worker_failed`, `fetch_failed`, `not_wasm`,
 * `wrong_version` and others. */
export async function createTerminals(options: TerminalsOptions): Promise<Terminals> {
  if (typeof options?.commands !== 'object') {
    throw new SandboxError('missing', 'commands is missing: an object of names and sources, or a list of plugins', { param: 'commands' });
  }
  // Bundlers look for exactly this, so it is not to be made any nicer.
  const worker = () => new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
  const terminals = new TerminalsImpl(options, worker, options.wasmURL ?? new URL('./sandbox.wasm.gz', import.meta.url));
  const close = () => void terminals.close();
  options.signal?.addEventListener('abort', close);
  if (options.signal?.aborted) close();
  await terminals.ready;
  return terminals;
}
