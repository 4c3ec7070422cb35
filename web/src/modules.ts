// How the worker gets a module: fetched, unpacked if it is gzip, and found to be WebAssembly.

import { SandboxError, messageOf } from './errors.js';
import type { Bytes } from './types.js';

/** Told how much has come, in bytes as they are fetched. */
export type Progress = (loaded: number, total: number | undefined) => void;

const gzip = [0x1f, 0x8b];
const wasm = [0x00, 0x61, 0x73, 0x6d];

/** Fetches a module, unpacked. */
export async function fetchModule(name: string, url: string, progress: Progress): Promise<Response> {
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
  return opened(name, url, counted);
}

/** Unpacks a stream if it is gzip, and finds out whether it is a module. */
export async function opened(name: string, from: string, stream: ReadableStream<Bytes>): Promise<Response> {
  let { head, rest } = await peek(stream);
  if (begins(head, gzip)) {
    const unpacked = rest.pipeThrough(new DecompressionStream('gzip'));
    ({ head, rest } = await peek(unpacked as ReadableStream<Bytes>));
  }
  if (!begins(head, wasm)) {
    await rest.cancel();
    const html = /^\s*</.test(new TextDecoder().decode(head));
    throw new SandboxError('not_wasm', `${name}: ${from} is ${html ? 'HTML' : 'something else'}, not WebAssembly`);
  }
  return new Response(rest, { headers: { 'content-type': 'application/wasm' } });
}

function begins(p: Uint8Array, magic: number[]): boolean {
  return magic.every((b, i) => p[i] === b);
}

/** Returns the first bytes of a stream, and a stream that has them still. */
async function peek(stream: ReadableStream<Bytes>): Promise<{ head: Bytes; rest: ReadableStream<Bytes> }> {
  const reader = stream.getReader();
  const chunks: Bytes[] = [];
  let head = new Uint8Array(0);
  while (head.length < wasm.length) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    head = join(head, value);
  }
  const rest = new ReadableStream<Bytes>({
    async pull(to) {
      const first = chunks.shift();
      if (first) return to.enqueue(first);
      const { done, value } = await reader.read();
      if (done) to.close();
      else to.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return { head, rest };
}

function join(a: Bytes, b: Bytes): Bytes {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

/** Reads a module of at most so many bytes: what was packed may become any size. */
export async function bytesOf(name: string, response: Response, most: number): Promise<Bytes> {
  const chunks: Bytes[] = [];
  let size = 0;
  for await (const chunk of response.body!) {
    if ((size += chunk.length) > most) throw new SandboxError('refused', `${name}: it has more than ${most} bytes`);
    chunks.push(chunk);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

/** Compiles a module as it comes in. */
export async function compile(name: string, response: Response): Promise<WebAssembly.Module> {
  try {
    return await WebAssembly.compileStreaming(response);
  } catch (e) {
    throw notCompiled(name, e);
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
