// Bodies of responses, which may become any size.

import { SandboxError } from './errors.js';
import type { Bytes } from './types.js';

/** The largest module of ours that is taken, unpacked, in bytes: seven times what there is. */
export const mostOfOurs = 128 << 20;
/** The largest of others, unless limits say another. */
export const mostOfOthers = 32 << 20;

/** Passes on at most so many bytes, and fails then; `failed` is told first. */
export function bounded(name: string, most: number, failed?: (e: SandboxError) => void): TransformStream<Bytes, Bytes> {
  let size = 0;
  return new TransformStream({
    transform(chunk, to) {
      if ((size += chunk.length) <= most) return to.enqueue(chunk);
      const e = new SandboxError('refused', `${name}: it has more than ${most} bytes`);
      failed?.(e);
      throw e;
    },
  });
}

/** Reads all of a stream. */
export async function bytesOf(stream: ReadableStream<Bytes>): Promise<Bytes> {
  const chunks: Bytes[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}
