// The worker: it carries what the page says to Go's sandbox.wasm, and what Go tells to the page.
// cmd/sandbox/ABI.md is the boundary to Go, protocol.ts that to the page.

import { SandboxError } from './errors.js';
import { missing } from './guests.js';
import { Loader, progress } from './loader.js';
import { notCompiled } from './modules.js';
import { News } from './news.js';
import { failedOf, post, scope } from './post.js';
import type { Ask, Request, SandboxEvent, ToWorker } from './protocol.js';
import { Later, Sandbox, more } from './sandbox.js';
import { Storage, type Memory } from './storage.js';
import type { Bytes } from './types.js';
import { Views } from './views.js';

/** A smallest module, to see whether there may be any. */
const empty = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);

class Service {
  private readonly sandbox = new Sandbox((message, trace) => {
    post({ from: 'dead', error: { reason: 'dead', message }, trace });
    scope.onmessage = null;
  });
  private readonly views = new Views(this.sandbox);
  private readonly news = new News(this.sandbox, (paths) => {
    this.storage?.changed(paths === 'all' ? paths : paths.filter((path) => !this.mounted(path)));
  });
  private loader!: Loader;
  /** Requests of the page that wait for a provider; undefined where nobody wants the outcome. */
  private readonly later = new Map<number, { n: number; op: Request['op'] } | undefined>();
  private mounts: string[] = [];
  private storage: Storage | undefined;
  private readonly memory: Memory = {
    stat: (path) => {
      try {
        this.sandbox.callFile((x, p) => x.file_stat(p), path);
      } catch (e) {
        if (e instanceof SandboxError && e.reason !== 'dead') return undefined;
        if (!(e instanceof Later)) throw e;
        this.later.set(e.request, undefined); // a link to what is not in memory
        return undefined;
      }
      return this.sandbox.json();
    },
    list: (path) => {
      this.sandbox.callFile((x, p) => x.file_list(p), path);
      const names = this.sandbox.json<[string, number][]>();
      return names.filter(([name]) => !this.mounted(path === '/' ? `/${name}` : `${path}/${name}`));
    },
    read: (path) => {
      this.sandbox.callFile((x, p) => x.file_read(p), path);
      return this.sandbox.result();
    },
    write: (path, data, mode) => void this.sandbox.callFile((x, p, n) => x.file_write(p, n, 7, mode), path, data),
    mkdir: (path) => void this.sandbox.callFile((x, p) => x.file_mkdir(p), path),
    remove: (path) => void this.sandbox.callFile((x, p) => x.file_remove(p, 0), path),
  };

  async boot(m: ToWorker & { to: 'boot' }): Promise<void> {
    const lack = missing();
    if (lack) throw new SandboxError('no_jspi', `this browser lacks ${lack}: Chromium 137, Firefox 153 and Safari 27 have it`);
    try {
      new WebAssembly.Module(empty);
    } catch (e) {
      throw notCompiled('sandbox', e);
    }
    await this.sandbox.start(m.wasmURL, this.imports, (loaded, total) => progress('sandbox', 'fetch', loaded, total));
    progress('sandbox', 'done');
    this.loader = new Loader(this.sandbox, m.modules, m.moduleLimit);
    this.sandbox.configure(m.config);
    this.mounts = m.config.mounts.map(({ path }) => path);
    await this.fill(m.storage, m.files);
  }

  /** Puts in the files what was kept, or what they begin with. */
  private async fill(storage: string | undefined, files: [string, Bytes][]): Promise<void> {
    let kept = false, opened: Storage | undefined;
    if (storage !== undefined) {
      opened = await Storage.open(storage, this.memory, (e) => post({ from: 'storage', error: failedOf(e) }));
      kept = await opened.load();
    }
    for (const [path, data] of kept ? [] : files) {
      if (this.mounted(path)) throw new SandboxError('value', `files: ${path} is in a mount`, { param: 'files' });
      if (path.endsWith('/')) this.memory.mkdir(path.replace(/\/+$/, '') || '/');
      else this.memory.write(path, data, 0);
    }
    this.news.forgetChanges();
    this.storage = opened; // not before: of what is half read, the rest would be removed
    if (!kept) this.storage?.changed('all');
  }

  /** Whether a path is that of a mount, or lies in one. */
  private mounted(path: string): boolean {
    return this.mounts.some((m) => path === m || path.startsWith(`${m}/`));
  }

  // What Go tells. None of these may call Go.

  private readonly imports = {
    event: (at: number, n: number) => this.hear(JSON.parse(this.sandbox.shown(at, n)) as SandboxEvent),
    output: (watch: number) => this.views.tell(watch, 'telling'),
    ended: (watch: number) => this.views.tell(watch, 'ended'),
    changed: () => this.news.filesChanged(),
    ask: (at: number, n: number, data: number, size: number) => {
      const ask = JSON.parse(this.sandbox.shown(at, n)) as Ask;
      if (ask.op !== 'writeFile') return post({ from: 'ask', ask });
      const content = this.sandbox.lent(data, size);
      post({ from: 'ask', ask, data: content }, content.buffer);
    },
    line: (peer: number, at: number, n: number) => {
      const text = this.sandbox.shown(at, n);
      this.news.now(); // what an answer speaks of, the page has heard of before
      post({ from: 'lines', peer, text, bytes: n });
    },
  };

  private hear(e: SandboxEvent): void {
    switch (e.event) {
      case 'load':
        return this.loader.find(e.request, e.module);
      case 'file':
        return queueMicrotask(() => this.finish(e.request));
      case 'compiling':
        return progress(e.name, e.done ? 'done' : 'compile');
      default:
        this.news.hear(e);
    }
  }

  // What the page says.

  take(m: ToWorker): void {
    switch (m.to) {
      case 'boot':
        this.boot(m).then(
          () => post({ from: 'ready' }),
          (e) => post({ from: 'failed', error: failedOf(e) }),
        );
        return;
      case 'request':
        return this.answer(m.n, m.request);
      case 'next':
        return this.views.next(m.watch);
      case 'skip':
        return this.views.skip(m.watch, m.history);
      case 'unwatch':
        return this.views.unwatch(m.watch);
      case 'decide':
        return this.sandbox.tell((x, n) => x.decide(m.request, m.allow ? 1 : 0, n), m.reason);
      case 'found':
        return void this.loader.found(m.request, m.found);
      case 'provided':
        return this.sandbox.tell((x, n) => x.provided(m.request, m.failed ? 1 : 0, n), m.data);
      case 'provider_changed':
        return this.sandbox.tell((x, n) => x.provider_changed(m.mount, n), JSON.stringify(m.changes));
      case 'line':
        return this.line(m.peer, m.text, m.id);
      case 'taken':
        return this.sandbox.tell((x) => x.peer_taken(m.peer, m.bytes));
      case 'close_peer':
        return this.sandbox.tell((x) => x.close_peer(m.peer));
      case 'heard':
        return this.news.heard();
      case 'close':
        return void this.close();
    }
  }

  private async close(): Promise<void> {
    await this.storage?.close();
    this.sandbox.tell((x) => x.close_all());
  }

  private answer(n: number, request: Request): void {
    try {
      const [value, ...transfer] = this.perform(request);
      post({ from: 'reply', n, value }, ...transfer);
    } catch (e) {
      if (e instanceof Later) this.later.set(e.request, { n, op: request.op });
      else post({ from: 'reply', n, error: failedOf(e) });
    }
  }

  /** Answers a request that had to wait for a provider. */
  private finish(request: number): void {
    const asked = this.later.get(request);
    this.later.delete(request);
    try {
      this.sandbox.callFile((x) => x.file_result(request));
      if (!asked) return;
      const [value, ...transfer] = this.outcome(asked.op);
      post({ from: 'reply', n: asked.n, value }, ...transfer);
    } catch (e) {
      if (asked) post({ from: 'reply', n: asked.n, error: failedOf(e) });
    }
  }

  /** What the last call about files has found out, and what of it is handed over. */
  private outcome(op: Request['op']): [value?: unknown, ...transfer: Transferable[]] {
    switch (op) {
      case 'stat':
      case 'list':
        return [this.sandbox.json()];
      case 'read': {
        const data = this.sandbox.result();
        return [data, data.buffer];
      }
    }
    return [];
  }

  /** Does what a request says, and returns its value and what of it is handed over. */
  private perform(r: Request): [value?: unknown, ...transfer: Transferable[]] {
    const { sandbox } = this;
    switch (r.op) {
      case 'create':
        sandbox.call((x, n) => x.create(n), JSON.stringify(r.command));
        return [this.news.terminal(sandbox.text())];
      case 'write':
        sandbox.call((x, id, n) => x.write(id, n), r.id, r.data);
        return [];
      case 'close_input':
      case 'kill':
      case 'release':
        sandbox.call((x, id) => x[r.op as 'kill'](id), r.id);
        return [];
      case 'resize':
        sandbox.call((x, id) => x.resize(id, r.rows, r.cols), r.id);
        return [];
      case 'text': {
        const truncated = sandbox.call((x, id) => x.output(id), r.id) === more;
        return [{ output: sandbox.text(), truncated }];
      }
      case 'watch': {
        const view = this.views.watch(r.id, r.history);
        return [view, view.snapshot.data.buffer];
      }
      case 'open_peer':
        return [sandbox.call((x, n) => x.open_peer(n), JSON.stringify(r.options))];
      case 'stat':
      case 'list':
        sandbox.callFile((x, p) => (r.op === 'stat' ? x.file_stat(p) : x.file_list(p)), r.path);
        return this.outcome(r.op);
      case 'read':
        sandbox.callFile((x, p) => x.file_read(p), r.path);
        return this.outcome(r.op);
      case 'mkdir':
        this.memory.mkdir(r.path);
        return [];
      case 'write_file':
        sandbox.callFile((x, p, n) => x.file_write(p, n, r.flags, r.mode), r.path, r.data);
        return [];
      case 'remove':
        sandbox.callFile((x, p) => x.file_remove(p, r.recursive ? 1 : 0), r.path);
        return [];
      case 'rename':
        sandbox.callFile((x, from, to) => x.file_rename(from, to, r.overwrite ? 1 : 0), r.from, r.to);
        return [];
    }
  }

  private line(peer: number, text: string, id?: number | null | undefined): void {
    try {
      this.sandbox.call((x, n) => x.peer_line(peer, n), text);
    } catch (e) {
      if (id === undefined) return; // nobody waits
      const { reason, message } = failedOf(e);
      const answer = JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32603, message, data: { reason } } });
      post({ from: 'lines', peer, text: answer + '\n', bytes: 0 });
    }
  }
}

const service = new Service();
scope.onmessage = (e) => service.take(e.data);
