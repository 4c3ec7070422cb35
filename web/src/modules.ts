// How the worker gets a module: fetched, unpacked if it is gzip, and found to be WebAssembly.

import { bounded } from './bounded.js';
import { SandboxError, messageOf } from './errors.js';
import type { Bytes } from './types.js';

/** Told how much has come, in bytes as they are fetched. */
export type Progress = (loaded: number, total: number | undefined) => void;

/** How many packed bytes are unpacked at once: they can become a thousand times as many. */
const atOnce = 32 << 10;

const gzip = [0x1f, 0x8b];
const wasm = [0x00, 0x61, 0x73, 0x6d];

/** A module as it comes in. */
export interface Opened {
  body: ReadableStream<Bytes>;
  /** Why the body has failed, which compileStreaming does not tell. */
  failure?: SandboxError;
}

/** Fetches a module, unpacked, of at most so many bytes. */
export async function fetchModule(name: string, url: string, most: number, progress: Progress): Promise<Opened> {
  let response: Response;
  try {
    response = await fetch(url);
  } catch (e) {
    throw new SandboxError('fetch_failed', `${name}: ${url} could not be fetched: ${messageOf(e)}`, { cause: e });
  }
  if (!response.ok || !response.body) {
    throw new SandboxError('fetch_failed', `${name}: ${url}: ${response.status} ${response.statusText}`.trimEnd());
  }
  const length = Number(response.headers.get('content-length') ?? NaN);
  const total = length > 0 ? length : undefined;
  let loaded = 0;
  const counted = response.body.pipeThrough(
    new TransformStream<Bytes, Bytes>({
      transform(chunk, to) {
        progress((loaded += chunk.length), total);
        to.enqueue(chunk);
      },
    }),
  );
  return opened(name, url, counted, most);
}

/**
 * Unpacks a stream if it is gzip, and finds out whether it is a module. The body fails when it has
 * more bytes than `most`: what was packed, or has no end, may become any size.
 */
export async function opened(name: string, from: string, stream: ReadableStream<Bytes>, most: number): Promise<Opened> {
  let { head, rest } = await peek(stream);
  if (begins(head, gzip)) {
    const unpacked = rest.pipeThrough(new DecompressionStream('gzip'));
    ({ head, rest } = await peek(unpacked as ReadableStream<Bytes>));
  }
  if (!begins(head, wasm)) {
    await rest.cancel();
    const html = /^\s*</.test(String.fromCharCode(...head));
    throw new SandboxError('not_wasm', `${name}: ${from} is ${html ? 'HTML' : 'something else'}, not WebAssembly`);
  }
  const module: Opened = { body: rest.pipeThrough(bounded(name, most, (e) => (module.failure = e))) };
  return module;
}

function begins(p: number[], magic: number[]): boolean {
  return magic.every((b, i) => p[i] === b);
}

/**
 * Returns the first bytes of a stream, four or more, and a stream that has them still, in small
 * pieces.
 */
async function peek(stream: ReadableStream<Bytes>): Promise<{ head: number[]; rest: ReadableStream<Bytes> }> {
  const reader = stream.getReader();
  const chunks: Bytes[] = [];
  const head: number[] = [];
  while (head.length < wasm.length) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    head.push(...value.subarray(0, 99));
  }
  const rest = new ReadableStream<Bytes>({
    async pull(to) {
      const chunk = chunks.shift() ?? (await reader.read()).value;
      if (!chunk) return to.close();
      let at = 0; // an empty one is passed on too: else nobody would pull again
      do to.enqueue(chunk.subarray(at, (at += atOnce)));
      while (at < chunk.length);
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return { head, rest };
}

/** Compiles a module as it comes in. */
export async function compile(name: string, module: Opened): Promise<WebAssembly.Module> {
  try {
    return await WebAssembly.compileStreaming(new Response(module.body, { headers: { 'content-type': 'application/wasm' } }));
  } catch (e) {
    throw module.failure ?? notCompiled(name, e);
  }
}

/** Says why the browser does not compile a module. */
export function notCompiled(name: string, e: unknown): SandboxError {
  const message = messageOf(e);
  if (e instanceof WebAssembly.CompileError && /unsafe-eval|content security policy/i.test(message)) {
    return new SandboxError('csp', `the page's Content-Security-Policy does not allow WebAssembly: script-src lacks 'wasm-unsafe-eval'`, { cause: e });
  }
  if (e instanceof WebAssembly.CompileError) {
    return new SandboxError('refused', `${name}: the browser does not compile it: ${message}`, { cause: e });
  }
  return new SandboxError('fetch_failed', `${name}: ${message}`, { cause: e });
}
