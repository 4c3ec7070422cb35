// @ts-check
// A file system in memory, in the form of Node's fs that Go's syscall package calls on js, and the
// process and path that go with it. It is Linux's as far as Go's tests look: permissions are kept
// and do nothing, as for root.

const typeMask = 0o170000, directory = 0o040000, regular = 0o100000, link = 0o120000;
const maxLinks = 40; // followed for one path, as on Linux

/**
 * @typedef {{ino: number, mode: number, nlink: number, times: number[], data: Uint8Array,
 *   size: number, entries: Map<string, Node>, target: string}} Node
 * @typedef {{node: Node, flags: number, at: number, path: string}} Open
 */

class FileError extends Error {
  /** @param {string} code */
  constructor(code) {
    super(code);
    this.code = code;
  }
}
/** @param {string} code @returns {never} */
const fail = (code) => {
  throw new FileError(code);
};

const constants = {
  O_WRONLY: 1, O_RDWR: 2, O_CREAT: 0o100, O_EXCL: 0o200, O_TRUNC: 0o1000, O_APPEND: 0o2000, O_DIRECTORY: 0o200000,
};

let lastIno = 0;
/** @param {number} mode @returns {Node} */
const newNode = (mode) => {
  const now = Date.now();
  return { ino: ++lastIno, mode, nlink: 1, times: [now, now, now], data: new Uint8Array(0), size: 0, entries: new Map(), target: '' };
};
/** @param {Node} n */
const isDir = (n) => (n.mode & typeMask) === directory;
/** @param {Node} n */
const touch = (n) => {
  n.times[1] = n.times[2] = Date.now();
};

const root = newNode(directory | 0o755);
let cwd = '/';
let umask = 0o022;

/** @param {string} path */
const absolute = (path) => {
  const parts = [];
  for (const p of (path.startsWith('/') ? path : cwd + '/' + path).split('/')) {
    if (p === '..') parts.pop();
    else if (p !== '' && p !== '.') parts.push(p);
  }
  return '/' + parts.join('/');
};

/**
 * Walks a path. The last part need not be there; if it is a link, it is followed if follow is true.
 * @param {string} path @param {boolean} follow
 * @returns {{parent: Node, name: string, node: Node | undefined}}
 */
const walk = (path, follow) => {
  if (path === '') fail('ENOENT');
  let parts = (path.startsWith('/') ? path : cwd + '/' + path).split('/').filter((p) => p !== '' && p !== '.');
  if (/\/\.?$/.test(path)) parts.push('.');
  /** @type {Node[]} */
  let above = [root];
  let name = '', links = 0;
  /** @type {Node | undefined} */
  let node = root;
  let parent = root;
  while (parts.length > 0) {
    const part = /** @type {string} */ (parts.shift());
    parent = above[above.length - 1] ?? root;
    if (part === '.') {
      node = parent;
      continue;
    }
    if (part === '..') {
      if (above.length > 1) above.pop();
      node = above[above.length - 1];
      continue;
    }
    if (part.length > 255) fail('ENAMETOOLONG');
    name = part;
    node = parent.entries.get(part);
    const last = parts.length === 0;
    if (!node) {
      if (last || (parts.length === 1 && parts[0] === '.')) return { parent, name, node: undefined };
      fail('ENOENT');
    }
    if ((node.mode & typeMask) === link && (!last || follow)) {
      if (++links > maxLinks) fail('ELOOP');
      if (node.target.startsWith('/')) above = [root];
      parts = [...node.target.split('/').filter((p) => p !== ''), ...parts];
      node = above[above.length - 1];
      continue;
    }
    if (isDir(node)) above.push(node);
    else if (!last) fail('ENOTDIR');
  }
  return { parent, name, node };
};

/** @param {string} path @param {boolean} [follow] */
const find = (path, follow = true) => walk(path, follow).node ?? fail('ENOENT');

/** @param {string} path @returns {{parent: Node, name: string, node: Node}} */
const entry = (path) => {
  const w = walk(path, false);
  if (!w.node) fail('ENOENT');
  if (w.node === root || w.parent.entries.get(w.name) !== w.node) fail('EBUSY');
  return /** @type {{parent: Node, name: string, node: Node}} */ (w);
};

/** @param {string} path @param {Node} node */
const put = (path, node) => {
  const w = walk(path, false);
  if (w.node) fail('EEXIST');
  w.parent.entries.set(w.name, node);
  touch(w.parent);
};

/** @param {Node} n @param {number} size */
const resize = (n, size) => {
  if (size < 0) fail('EINVAL');
  if (size > 1 << 30) fail('EFBIG');
  if (size > n.data.length) {
    const data = new Uint8Array(Math.max(size, 2 * n.data.length));
    data.set(n.data.subarray(0, n.size));
    n.data = data;
  } else if (size < n.size) n.data.fill(0, size, n.size);
  n.size = size;
};

/** @param {Node} n */
const stat = (n) => ({
  dev: 1, ino: n.ino, mode: n.mode, nlink: n.nlink, uid: 0, gid: 0, rdev: 0,
  size: isDir(n) ? 4096 : n.target ? n.target.length : n.size, blksize: 4096, blocks: Math.ceil(n.size / 512),
  atimeMs: n.times[0], mtimeMs: n.times[1], ctimeMs: n.times[2], isDirectory: () => isDir(n),
});

/** @type {Map<number, Open>} */
const opened = new Map();
/** @param {number} fd */
const file = (fd) => opened.get(fd) ?? fail('EBADF');

/** Gets what is written to descriptors 1 and 2: set by the worker. */
export const output = {
  write: (/** @type {number} */ fd, /** @type {Uint8Array} */ b) => console.log(fd, b),
  /** Whether Go is where it may not block. */
  calling: () => false,
};

/** The calls of fs without their callbacks: each returns what the callback gets. */
const calls = {
  /** @param {string} path @param {number} flags @param {number} mode */
  open(path, flags, mode) {
    let { parent, name, node } = walk(path, (flags & constants.O_EXCL) === 0);
    if (node && flags & constants.O_EXCL && flags & constants.O_CREAT) fail('EEXIST');
    if (!node) {
      if (!(flags & constants.O_CREAT)) fail('ENOENT');
      node = newNode(regular | (mode & 0o7777 & ~umask));
      parent.entries.set(name, node);
      touch(parent);
    }
    const writes = (flags & (constants.O_WRONLY | constants.O_RDWR)) !== 0;
    if (isDir(node) && writes) fail('EISDIR');
    if (!isDir(node) && (flags & constants.O_DIRECTORY || path.endsWith('/'))) fail('ENOTDIR');
    if (flags & constants.O_TRUNC && writes) resize(node, 0);
    let fd = 3;
    while (opened.has(fd)) fd++;
    opened.set(fd, { node, flags, at: 0, path: absolute(path) });
    return fd;
  },
  /** @param {number} fd */
  close(fd) {
    if (fd > 2 && !opened.delete(fd)) fail('EBADF');
  },
  /**
   * @param {number} fd
   * @param {Uint8Array} b
   * @param {number} offset
   * @param {number} n
   * @param {number | null} position
   */
  read(fd, b, offset, n, position) {
    if (fd === 0) return 0;
    const f = file(fd);
    if (isDir(f.node)) fail('EISDIR');
    if ((f.flags & 3) === constants.O_WRONLY) fail('EBADF');
    const at = position ?? f.at;
    const got = f.node.data.subarray(Math.min(at, f.node.size), Math.min(at + n, f.node.size));
    b.set(got, offset);
    if (position === null) f.at += got.length;
    return got.length;
  },
  /**
   * @param {number} fd
   * @param {Uint8Array} b
   * @param {number} offset
   * @param {number} n
   * @param {number | null} position
   */
  write(fd, b, offset, n, position) {
    if (fd === 1 || fd === 2) {
      output.write(fd, b.slice(offset, offset + n));
      return n;
    }
    const f = file(fd);
    if ((f.flags & 3) === 0) fail('EBADF');
    const at = f.flags & constants.O_APPEND ? f.node.size : (position ?? f.at);
    if (at + n > f.node.size) resize(f.node, at + n);
    f.node.data.set(b.subarray(offset, offset + n), at);
    if (position === null) f.at = at + n;
    touch(f.node);
    return n;
  },
  /** @param {number} fd */
  fstat: (fd) => (fd <= 2 ? { ...stat(newNode(0o020620)), ino: 0 } : stat(file(fd).node)),
  /** @param {string} path */
  stat: (path) => stat(find(path)),
  /** @param {string} path */
  lstat: (path) => stat(find(path, false)),
  /** @param {number} _fd */
  fsync(_fd) {},
  /** @param {number} fd @param {number} n */
  ftruncate(fd, n) {
    const f = file(fd);
    if ((f.flags & 3) === 0) fail('EINVAL');
    resize(f.node, n);
    touch(f.node);
  },
  /** @param {string} path @param {number} n */
  truncate(path, n) {
    const f = find(path);
    if (isDir(f)) fail('EISDIR');
    resize(f, n);
    touch(f);
  },
  /** @param {string} path @param {number} mode */
  mkdir(path, mode) {
    put(path, newNode(directory | (mode & 0o7777 & ~umask)));
  },
  /** @param {string} path */
  readdir(path) {
    const n = find(path);
    if (!isDir(n)) fail('ENOTDIR');
    return [...n.entries.keys()];
  },
  /** @param {string} path */
  rmdir(path) {
    const { parent, name, node } = entry(path);
    if (!isDir(node)) fail('ENOTDIR');
    if (node.entries.size > 0) fail('ENOTEMPTY');
    parent.entries.delete(name);
    touch(parent);
  },
  /** @param {string} path */
  unlink(path) {
    const { parent, name, node } = entry(path);
    if (isDir(node)) fail('EISDIR');
    parent.entries.delete(name);
    node.nlink--;
    touch(parent);
  },
  /** @param {string} from @param {string} to */
  rename(from, to) {
    const a = entry(from), b = walk(to, false);
    if (b.node === a.node) return;
    if (b.node) {
      if (isDir(b.node) && !isDir(a.node)) fail('EISDIR');
      if (!isDir(b.node) && isDir(a.node)) fail('ENOTDIR');
      if (isDir(b.node) && b.node.entries.size > 0) fail('ENOTEMPTY');
    }
    if (isDir(a.node) && (absolute(to) + '/').startsWith(absolute(from) + '/')) fail('EINVAL');
    a.parent.entries.delete(a.name);
    b.parent.entries.set(b.name, a.node);
    touch(a.parent);
    touch(b.parent);
  },
  /** @param {string} target @param {string} path */
  symlink(target, path) {
    const n = newNode(link | 0o777);
    n.target = target;
    put(path, n);
  },
  /** @param {string} from @param {string} to */
  link(from, to) {
    const n = find(from, false);
    if (isDir(n)) fail('EPERM');
    put(to, n);
    n.nlink++;
  },
  /** @param {string} path */
  readlink: (path) => find(path, false).target || fail('EINVAL'),
  /** @param {string} path @param {number} mode */
  chmod(path, mode) {
    const n = find(path);
    n.mode = (n.mode & typeMask) | (mode & 0o7777);
  },
  /** @param {number} fd @param {number} mode */
  fchmod(fd, mode) {
    const n = file(fd).node;
    n.mode = (n.mode & typeMask) | (mode & 0o7777);
  },
  /** @param {string} path */
  chown(path) {
    find(path);
  },
  /** @param {string} path */
  lchown(path) {
    find(path, false);
  },
  /** @param {number} fd */
  fchown(fd) {
    file(fd);
  },
  /** @param {string} path @param {number} atime @param {number} mtime */
  utimes(path, atime, mtime) {
    const n = find(path);
    n.times = [atime * 1000, mtime * 1000, Date.now()];
  },
};

/**
 * Callbacks come later, as Node's do: Go runs all its goroutines inside a call that answers at
 * once. Only a guest's call, which may not block, is answered so: that of a test that reports what
 * it sees there.
 * @param {(...args: any[]) => any} call
 */
const later = (call) => (/** @type {any[]} */ ...args) => {
  const callback = args.pop();
  let result, error = null;
  try {
    result = call(...args);
  } catch (e) {
    if (!(e instanceof FileError)) throw e;
    error = e;
  }
  if (output.calling()) callback(error, result);
  else queueMicrotask(() => callback(error, result));
};

const g = /** @type {any} */ (globalThis);
g.fs = {
  constants,
  writeSync: (/** @type {number} */ fd, /** @type {Uint8Array} */ b) => calls.write(fd, b, 0, b.length, null),
  ...Object.fromEntries(Object.entries(calls).map(([name, call]) => [name, later(call)])),
};
g.path = { resolve: (/** @type {string[]} */ ...p) => absolute(p.join('/')) };
g.process = {
  getuid: () => 0, getgid: () => 0, geteuid: () => 0, getegid: () => 0, getgroups: () => [0],
  pid: 1, ppid: 0,
  umask(/** @type {number} */ mask) {
    const old = umask;
    umask = mask & 0o777;
    return old;
  },
  cwd: () => cwd,
  chdir(/** @type {string} */ path) {
    if (!isDir(find(path))) fail('ENOTDIR');
    cwd = absolute(path);
  },
};

/** Makes a directory and those above it. @param {string} path @param {number} [mode] */
export const mkdirAll = (path, mode = 0o755) => {
  let n = root;
  for (const part of absolute(path).split('/').filter((p) => p !== '')) {
    let next = n.entries.get(part);
    if (!next) n.entries.set(part, (next = newNode(directory | mode)));
    n = next;
  }
};

/**
 * Makes a file and the directories above it.
 * @param {string} path
 * @param {number} mode
 * @param {Uint8Array} data
 */
export const addFile = (path, mode, data) => {
  mkdirAll(path.slice(0, path.lastIndexOf('/')) || '/');
  const n = newNode(regular | (mode & 0o7777));
  n.data = data;
  n.size = data.length;
  put(path, n);
};
