// The page's own files, for the sandbox: what is asked of its providers, and what they announce.
// Nothing that they say is trusted.

import { messageOf } from './errors.js';
import type { Ask } from './protocol.js';
import type { Bytes, FileSystemProvider, Unsubscribe } from './types.js';

const defaultTimeoutMs = 10_000;
/** The largest file, in bytes, and how many names of a directory, that are handed over. */
const maxFile = 128 << 20, maxNames = 100_000;
/** How many changes are handed over at once: with more, everything is to be looked at again. */
const maxChanges = 5000;

/** The words of cmd/sandbox for the codes of VS Code's FileSystemError, and for Node's of what has
 * none there. */
const reasons: Readonly<Record<string, string>> = {
  FileNotFound: 'file_not_found', FileExists: 'file_exists', FileNotADirectory: 'not_a_directory',
  FileIsADirectory: 'is_a_directory', NoPermissions: 'no_permission', Unavailable: 'unavailable',
  ENOTEMPTY: 'not_empty', ENOSPC: 'no_space',
};

/** What cmd/sandbox is answered: what was asked for, or why not, as JSON. */
export interface Answer {
  failed: boolean;
  data: Bytes | string;
}

export class Providers {
  /** Where they are mounted, for cmd/sandbox. */
  readonly infos: { path: string; timeoutMs: number }[];
  readonly #all: FileSystemProvider[];
  #watches: Unsubscribe[] = [];

  constructor(mounts: Readonly<Record<string, FileSystemProvider>>, readonly timeoutMs = defaultTimeoutMs) {
    this.infos = Object.keys(mounts).map((path) => ({ path, timeoutMs }));
    this.#all = Object.values(mounts);
  }

  /** Asks a provider. It never rejects, though it may never settle. */
  async answer(ask: Ask, data: Bytes | undefined): Promise<Answer> {
    try {
      return { failed: false, data: await this.#perform(this.#all[ask.mount]!, ask, data) };
    } catch (e) {
      return { failed: true, data: JSON.stringify(failureOf(e)) };
    }
  }

  async #perform(p: FileSystemProvider, ask: Ask, data: Bytes | undefined): Promise<Bytes | string> {
    switch (ask.op) {
      case 'stat':
        return statOf(await p.stat(ask.path));
      case 'readDirectory':
        return listOf(await p.readDirectory(ask.path));
      case 'readFile':
        return bytesOf(await p.readFile(ask.path));
      case 'writeFile':
        await p.writeFile(ask.path, data ?? new Uint8Array(0), { create: ask.create, overwrite: ask.overwrite });
        return '';
      case 'createDirectory':
        await p.createDirectory(ask.path);
        return '';
      case 'delete':
        await p.delete(ask.path, { recursive: false });
        return '';
      case 'rename':
        await p.rename(ask.path, ask.to, { overwrite: true });
        return '';
    }
  }

  /** Has what the providers announce told, until `unwatch`. */
  watch(tell: (mount: number, changes: [type: number, path: string][]) => void): void {
    this.unwatch();
    this.#watches = this.#all.flatMap((p, mount) => {
      try {
        const stop = p.watch?.((changes) => {
          tell(mount, changes.slice(0, maxChanges).map((c) => [Number(c.type), String(c.path)]));
        });
        return stop ? [stop] : [];
      } catch (e) {
        reportError(e);
        return [];
      }
    });
  }

  unwatch(): void {
    const watches = this.#watches;
    this.#watches = [];
    for (const stop of watches) {
      try {
        stop();
      } catch (e) {
        reportError(e);
      }
    }
  }
}

function statOf(s: unknown): string {
  const { type, size, mtime = 0, ctime = 0, permissions = 0 } = (s ?? {}) as Record<string, unknown>;
  return JSON.stringify({
    type: whole(type, 'type'), size: whole(size, 'size'), mtimeMs: whole(mtime, 'mtime'), ctimeMs: whole(ctime, 'ctime'),
    readOnly: (whole(permissions, 'permissions') & 1) !== 0,
  });
}

function whole(n: unknown, what: string): number {
  if (typeof n !== 'number' || !Number.isFinite(n)) throw new Refused('invalid', `${what} is no number`);
  return Math.trunc(n);
}

function listOf(list: unknown): string {
  if (!Array.isArray(list)) throw new Refused('invalid', 'it is no array');
  if (list.length > maxNames) throw new Refused('too_many', 'it has too many names');
  return JSON.stringify(Array.from(list, (entry: unknown) => {
    const [name, type] = Array.isArray(entry) ? (entry as unknown[]) : [];
    if (typeof name !== 'string') throw new Refused('invalid', 'a name is no string');
    return [name, whole(type, 'type')];
  }));
}

function bytesOf(data: unknown): Bytes {
  if (!ArrayBuffer.isView(data)) throw new Refused('invalid', 'it is no Uint8Array');
  if (data.byteLength > maxFile) throw new Refused('too_large', 'it is too large');
  // A copy, for what is handed over is taken away, and memory that is shared can't be.
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength).slice() as Bytes;
}

/** An answer that is not taken. */
class Refused extends Error {
  constructor(readonly reason: string, message: string) {
    super(message);
  }
}

/** What was thrown, for cmd/sandbox; it may be anything. */
function failureOf(e: unknown): { reason: string; message: string } {
  try {
    const code = String((e as { code?: unknown } | null)?.code);
    const reason = e instanceof Refused ? e.reason : Object.hasOwn(reasons, code) ? reasons[code]! : 'failed';
    return { reason, message: messageOf(e).slice(0, 1000) };
  } catch {
    return { reason: 'failed', message: 'what it has thrown can not be read' };
  }
}
