// The modules of commands: found by the page when one is first used, and compiled here or by Go.

import { bytesOf, mostOfOurs } from './bounded.js';
import { SandboxError } from './errors.js';
import { compile, fetchModule, opened, type Opened } from './modules.js';
import { failedOf, post } from './post.js';
import type { Found, ModuleInfo } from './protocol.js';
import type { Sandbox } from './sandbox.js';
import type { Bytes } from './types.js';

/** Tells the page how far a module is. */
export function progress(name: string, phase: 'fetch' | 'compile' | 'done' | 'failed', loaded = 0, total?: number): void {
  post(total === undefined ? { from: 'load', name, phase, loaded } : { from: 'load', name, phase, loaded, total });
}

/** The modules that one sandbox may have. */
export class Loader {
  /** By Go's request: which module it is. */
  readonly #places = new Map<number, number>();

  constructor(
    private readonly sandbox: Sandbox,
    private readonly modules: ModuleInfo[],
    /** The largest module that Go meters, in bytes. */
    private readonly limit: number,
  ) {}

  /** Asks the page for a module. */
  find(request: number, place: number): void {
    this.#places.set(request, place);
    post({ from: 'find', request, place });
  }

  /** Takes what the page has found. */
  async found(request: number, found: Found): Promise<void> {
    const m = this.modules[this.#places.get(request) ?? -1];
    this.#places.delete(request);
    if (!m) return;
    try {
      if (m.sum !== undefined) await this.#plugin(request, m as ModuleInfo & { sum: string }, found);
      else await this.#foreign(request, m, found);
    } catch (e) {
      progress(m.name, 'failed');
      const { reason, message } = failedOf(e);
      this.sandbox.tell((x, n) => x.module_failed(request, n), JSON.stringify({ reason, message }));
    }
  }

  /** Compiles a plugin as it comes. */
  async #plugin(request: number, m: ModuleInfo & { sum: string }, found: Found): Promise<void> {
    if (m.by !== undefined && m.by !== this.sandbox.by) {
      throw new SandboxError('wrong_version', `${m.name}: it was made for another version of the sandbox: for "${m.by}", not "${this.sandbox.by}"`);
    }
    const module = 'module' in found ? found.module : await compile(m.name, await this.#open(m.name, found, mostOfOurs));
    if (!WebAssembly.Module.exports(module).some((e) => e.name === 'terrarium.fuel')) {
      throw new SandboxError('refused', `${m.name}: it is not metered, so nothing could end it`);
    }
    this.sandbox.guests.register(m.sum, this.sandbox.by, module);
    progress(m.name, 'done');
    this.sandbox.call((x) => x.module_compiled(request));
  }

  /** Hands a module over that Go meters. */
  async #foreign(request: number, m: ModuleInfo, found: Found): Promise<void> {
    if ('module' in found) throw new SandboxError('refused', `${m.name}: a compiled module can't be metered: hand over its bytes or its URL`);
    const wasm = await bytesOf((await this.#open(m.name, found, this.limit)).body);
    progress(m.name, 'done', wasm.length, wasm.length);
    this.sandbox.call((x, n) => x.module_bytes(request, n), wasm);
  }

  #open(name: string, found: Exclude<Found, { module: WebAssembly.Module }>, most: number): Promise<Opened> {
    if ('failure' in found) throw new SandboxError(found.failure.reason, found.failure.message);
    if ('url' in found) return fetchModule(name, found.url, most, (loaded, total) => progress(name, 'fetch', loaded, total));
    return opened(name, 'what was handed over', new Response(found.bytes).body as ReadableStream<Bytes>, most);
  }
}
