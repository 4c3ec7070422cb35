import type { Reason, SandboxError as Shape } from './types.js';

/** What the API rejects with: `reason` is a stable word, `message` is for people. */
export class SandboxError extends Error implements Shape {
  override readonly name = 'SandboxError';
  readonly param?: string;
  readonly trace?: string;

  constructor(
    readonly reason: Reason,
    message: string,
    more: { param?: string | undefined; trace?: string | undefined; cause?: unknown } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    if (more.param !== undefined) this.param = more.param;
    if (more.trace !== undefined) this.trace = more.trace;
  }
}

/** What is thrown, in words. */
export function messageOf(e: unknown): string {
  return e instanceof Error ? e.message : String(e);
}
