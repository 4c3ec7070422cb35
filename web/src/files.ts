// The files that commands see, for the page.

import { Emitter } from './emitter.js';
import type { Link } from './link.js';
import type { Bytes, FileChange, Files, FileStat, FileType, Unsubscribe } from './types.js';

/** How write_file writes: see cmd/sandbox/ABI.md. */
const makeFile = 1, replaceFile = 2, makeDirs = 4;

export class FilesImpl implements Files {
  private readonly events = new Emitter<{ change: (changes: readonly FileChange[] | 'all') => void }>();

  constructor(private readonly link: () => Link) {}

  async stat(path: string): Promise<FileStat> {
    const s = await this.link().request<{ type: FileType; size: number; mode: number; mtimeMs: number; ctimeMs: number }>({ op: 'stat', path });
    return { type: s.type, size: s.size, mode: s.mode, mtime: s.mtimeMs, ctime: s.ctimeMs };
  }

  readDirectory(path: string): Promise<[string, FileType][]> {
    return this.link().request({ op: 'list', path });
  }

  createDirectory(path: string): Promise<void> {
    return this.link().request({ op: 'mkdir', path });
  }

  readFile(path: string): Promise<Bytes> {
    return this.link().request({ op: 'read', path });
  }

  writeFile(path: string, content: string | Uint8Array, options: { create?: boolean; overwrite?: boolean; mode?: number } = {}): Promise<void> {
    const { create = true, overwrite = true, mode = 0 } = options;
    const flags = (create ? makeFile | makeDirs : 0) | (overwrite ? replaceFile : 0);
    return this.link().request({ op: 'write_file', path, data: bytesOf(content), flags, mode });
  }

  delete(path: string, options: { recursive?: boolean } = {}): Promise<void> {
    return this.link().request({ op: 'remove', path, recursive: options.recursive ?? false });
  }

  rename(from: string, to: string, options: { overwrite?: boolean } = {}): Promise<void> {
    return this.link().request({ op: 'rename', from, to, overwrite: options.overwrite ?? false });
  }

  onChange(listener: (changes: readonly FileChange[] | 'all') => void): Unsubscribe {
    return this.events.on('change', listener);
  }

  /** Tells those who listen. */
  changed(changes: readonly FileChange[] | 'all'): void {
    if (changes === 'all' || changes.length > 0) this.events.emit('change', changes);
  }
}

/** Bytes of the page's own, that a message may carry. */
export function bytesOf(content: string | Uint8Array): Bytes {
  return typeof content === 'string' ? new TextEncoder().encode(content) : content.slice() as Bytes;
}
