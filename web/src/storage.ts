// Files that survive a reload: a copy of those in memory, in the browser's own file system. It is
// read when the sandbox starts, and written soon after a change. One sandbox at a time may have it.

import { SandboxError, messageOf } from './errors.js';
import type { Bytes } from './types.js';

/** The files in memory. They throw a SandboxError. */
export interface Memory {
  /** The type, in VS Code's numbers, and permissions of a file; undefined if there is none. */
  stat(path: string): { type: number; mode: number } | undefined;
  list(path: string): [name: string, type: number][];
  read(path: string): Bytes;
  write(path: string, data: Bytes, mode: number): void;
  mkdir(path: string): void;
  remove(path: string): void;
}

const directory = 2, link = 64;
const usualMode = 0o644;
/** How long changes are gathered before they are written, in milliseconds. */
const delayMs = 50;
/**
 * How often a directory is looked at again that can't be listed, and how many milliseconds after
 * the last look.
 */
const mostLooks = 100, lookMs = 50;
const modesFile = 'modes.json';
/** The largest file that is read, in bytes: cmd/sandbox takes no more at once. */
const maxFile = 128 << 20;

/** How many paths are named that could not be read or kept. */
const mostNamed = 10;
/** What Chromium's name of a file ends in while it is written, and after a crash. */
const unfinished = '.crswap';

/** What of the files is kept in the browser. Symbolic links are not, nor are times. */
export class Storage {
  private dirty = new Set<string>();
  private writing: Promise<void> = Promise.resolve();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private modes: Record<string, number> = {};
  /** What could not be read or kept, and why the first could not. */
  private lost: string[] = [];
  private cause: unknown;
  /** What is kept and could not be read: it stays there. */
  private readonly unread = new Set<string>();

  private constructor(
    private readonly memory: Memory,
    private readonly home: FileSystemDirectoryHandle,
    private readonly root: FileSystemDirectoryHandle,
    private readonly release: () => void,
    private readonly failed: (e: SandboxError) => void,
  ) {}

  /** Opens what is kept by that name. `failed` is told what can't be written. */
  static async open(name: string, memory: Memory, failed: (e: SandboxError) => void): Promise<Storage> {
    if (name === '' || name === '.' || name === '..' || name.includes('/')) {
      throw new SandboxError('value', `storage: "${name}" is not a name`, { param: 'storage' });
    }
    if (!navigator.storage?.getDirectory || !navigator.locks) {
      throw new SandboxError('no_storage', 'this page has no file system of its own: it needs https, or localhost');
    }
    let release: (() => void) | undefined;
    try {
      release = await lock(`terrarium:${name}`);
      if (!release) throw new SandboxError('storage_locked', `the files "${name}" are in use by another tab or sandbox`);
      const top = await navigator.storage.getDirectory();
      const all = await top.getDirectoryHandle('terrarium', { create: true });
      const home = await all.getDirectoryHandle(name, { create: true });
      const root = await home.getDirectoryHandle('files', { create: true });
      return new Storage(memory, home, root, release, failed);
    } catch (e) {
      release?.();
      if (e instanceof SandboxError) throw e;
      throw new SandboxError('no_storage', `the files "${name}" can't be opened: ${messageOf(e)}`, { cause: e });
    }
  }

  /** Puts what is kept into memory, and reports whether anything was. */
  async load(): Promise<boolean> {
    let text: string;
    try {
      text = await (await (await this.home.getFileHandle(modesFile)).getFile()).text();
    } catch {
      return false; // nothing was ever written
    }
    try {
      this.modes = { ...(JSON.parse(text) as Record<string, number> | null) };
    } catch {} // the files are worth more than their permissions
    await this.read(this.root, '');
    this.tell('read');
    return true;
  }

  private async read(dir: FileSystemDirectoryHandle, path: string): Promise<void> {
    for (const [name, handle] of await list(dir)) {
      const at = `${path}/${name}`;
      // Those of ours have their permissions in modes.
      if (name.endsWith(unfinished) && !(at in this.modes)) continue;
      try {
        await this.readOne(handle, at);
      } catch (e) {
        if (isGone(e)) continue; // the page before was just writing it
        this.lose(at, e);
        this.unread.add(at);
      }
    }
  }

  /**
   * Reads a file or directory. Who has the origin may have put there what does not fit into
   * memory, and what were names of one file has become files: that keeps nobody from the others.
   */
  private async readOne(handle: FileSystemHandle, path: string): Promise<void> {
    if (handle.kind === 'directory') {
      this.memory.mkdir(path);
      return this.read(handle as FileSystemDirectoryHandle, path);
    }
    const file = await (handle as FileSystemFileHandle).getFile();
    if (file.size > maxFile) throw new Error('too large');
    const data = new Uint8Array(await file.arrayBuffer());
    try {
      this.memory.write(path, data, this.modes[path] ?? 0);
    } catch (e) {
      // What there was room for is not the file.
      if (this.memory.stat(path)) this.memory.remove(path);
      throw e;
    }
  }

  /** Notes what has changed; 'all' is anything. */
  changed(paths: Iterable<string> | 'all'): void {
    if (paths === 'all') this.dirty.add('/');
    else for (const p of paths) this.dirty.add(p);
    if (this.dirty.size > 0) this.timer ??= setTimeout(() => void this.flush(), delayMs);
  }

  /** Writes what has changed. */
  flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const dirty = [...this.dirty].sort();
    this.dirty.clear();
    return (this.writing = this.writing.then(() => this.write(dirty)));
  }

  /** Writes what is left, and lets others have it. */
  async close(): Promise<void> {
    await this.flush();
    this.release();
  }

  private async write(dirty: string[]): Promise<void> {
    if (dirty.length === 0) return;
    let done = '';
    for (const path of dirty) {
      // This one is below a directory that was written whole.
      if (done !== '' && path.startsWith(done)) continue;
      if (await this.keep(path)) done = path === '/' ? '/' : `${path}/`;
    }
    try {
      await this.put(this.home, modesFile, new TextEncoder().encode(JSON.stringify(this.modes)));
    } catch (e) {
      this.lose(modesFile, e);
    }
    this.tell('kept');
  }

  private lose(path: string, e: unknown): void {
    if (this.lost.push(path) === 1) this.cause = e;
  }

  /** Tells what could not be read or kept, and why the first could not. */
  private tell(done: 'read' | 'kept'): void {
    const { lost, cause: e } = this, more = lost.length - mostNamed;
    if (lost.length === 0) return;
    this.lost = [];
    const all = lost.slice(0, mostNamed).join(', ') + (more > 0 ? ` and ${more} more` : '');
    const full = e instanceof DOMException && e.name === 'QuotaExceededError';
    const why = full ? 'the browser has no room for it' : messageOf(e).replace(`${lost[0]}: `, '');
    this.failed(new SandboxError(full ? 'no_space' : 'no_storage', `${all} can't be ${done}: ${why}`, { cause: e }));
  }

  /**
   * Copies a path. What does not succeed keeps nothing else from it, and is tried again after the
   * next change.
   */
  private async keep(path: string): Promise<boolean> {
    try {
      return await this.copy(path);
    } catch (e) {
      this.lose(path, e);
      this.dirty.add(path);
      return false;
    }
  }

  /** Makes what is kept of a path what is in memory, and reports whether that is a directory. */
  private async copy(path: string): Promise<boolean> {
    const stat = path === '/' ? { type: directory, mode: 0 } : this.memory.stat(path);
    const name = path.slice(path.lastIndexOf('/') + 1);
    if (!stat || stat.type & link) {
      delete this.modes[path];
      await remove(await this.parent(path, false), name);
      return false;
    }
    if (stat.type !== directory) {
      if (stat.mode === usualMode && !name.endsWith(unfinished)) delete this.modes[path];
      else this.modes[path] = stat.mode;
      const data = this.memory.read(path); // now: it may be gone after the next line
      await this.put((await this.parent(path, true))!, name, data);
      return false;
    }
    const names = new Set(this.memory.list(path).map(([n]) => n));
    let dir = this.root;
    if (path !== '/') dir = await intoDirectory((await this.parent(path, true))!, name);
    const below = path === '/' ? '' : path;
    for await (const kept of dir.keys()) if (!names.has(kept) && !this.unread.has(`${below}/${kept}`)) await remove(dir, kept);
    for (const n of names) await this.keep(`${below}/${n}`);
    return true;
  }

  private async parent(path: string, create: boolean): Promise<FileSystemDirectoryHandle | undefined> {
    let dir = this.root;
    for (const name of path.split('/').slice(1, -1)) {
      try {
        dir = create ? await intoDirectory(dir, name) : await dir.getDirectoryHandle(name);
      } catch (e) {
        if (create) throw e;
        return undefined;
      }
    }
    return dir;
  }

  private async put(dir: FileSystemDirectoryHandle, name: string, data: Bytes): Promise<void> {
    let handle: FileSystemFileHandle;
    try {
      handle = await dir.getFileHandle(name, { create: true });
    } catch (e) {
      if (!(e instanceof DOMException) || e.name !== 'TypeMismatchError') throw e;
      await remove(dir, name);
      handle = await dir.getFileHandle(name, { create: true });
    }
    // It takes the place of what was there at once, when it is closed.
    const to = await handle.createWritable();
    try {
      await to.write(data);
    } catch (e) {
      await to.abort().catch(() => undefined);
      throw e;
    }
    await to.close();
  }
}

function isGone(e: unknown): boolean {
  return e instanceof DOMException && e.name === 'NotFoundError';
}

/**
 * What is in a directory. What a page was writing when it was reloaded Chromium takes away a
 * little later, and until then it can't be listed.
 */
async function list(dir: FileSystemDirectoryHandle): Promise<[string, FileSystemHandle][]> {
  for (let left = mostLooks; ; left--) {
    try {
      const entries = [];
      for await (const entry of dir.entries()) entries.push(entry);
      return entries;
    } catch (e) {
      if (left === 0 || !isGone(e)) throw e;
      await new Promise((resolve) => setTimeout(resolve, lookMs));
    }
  }
}

/** A directory by that name, in the place of a file that has it. */
async function intoDirectory(dir: FileSystemDirectoryHandle, name: string): Promise<FileSystemDirectoryHandle> {
  try {
    return await dir.getDirectoryHandle(name, { create: true });
  } catch (e) {
    if (!(e instanceof DOMException) || e.name !== 'TypeMismatchError') throw e;
    await remove(dir, name);
    return dir.getDirectoryHandle(name, { create: true });
  }
}

async function remove(dir: FileSystemDirectoryHandle | undefined, name: string): Promise<void> {
  try {
    await dir?.removeEntry(name, { recursive: true });
  } catch (e) {
    if (!isGone(e)) throw e;
  }
}

/** Takes a lock, and returns what gives it back; undefined if somebody else has it. */
function lock(name: string): Promise<(() => void) | undefined> {
  return new Promise((resolve, reject) => {
    navigator.locks
      .request(name, { ifAvailable: true }, (held) => {
        if (!held) return resolve(undefined);
        return new Promise<void>((release) => resolve(release));
      })
      .catch(reject);
  });
}
