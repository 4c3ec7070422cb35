// What has happened, for the page: told in one piece, once it has heard the last.

import { post } from './post.js';
import type { SandboxEvent, TerminalInfo } from './protocol.js';
import { more, type Sandbox } from './sandbox.js';
import type { FileChange } from './types.js';

/** How many changes of files are kept that the page has not heard of. */
const maxChanges = 4096;

/** What the page is told of terminals and files. */
export class News {
  /** What the page has not got; of each terminal the last only. */
  #events: SandboxEvent[] = [];
  #unheard = false;
  #changed = false;
  #changes: FileChange[] | 'all' | undefined;
  #flushing = false;

  /** `written` is told of the files that have changed. */
  constructor(
    private readonly sandbox: Sandbox,
    private readonly written: (paths: string[] | 'all') => void,
  ) {}

  /** Go tells what has happened, and may not be called now. */
  hear(e: SandboxEvent): void {
    switch (e.event) {
      case 'terminal': {
        // What the page has not heard of the same terminal is told by this.
        const id = e.terminal.id;
        const i = this.#events.findIndex((o) => o.event === 'terminal' && o.terminal.id === id);
        if (i >= 0 && !this.#events.slice(i).some((o) => o.event === 'asking' && o.id === id)) {
          this.#events[i] = e;
          return this.#soon();
        }
        break;
      }
      case 'counts':
        this.#events = this.#events.filter((o) => o.event !== 'counts' || o.id !== e.id);
    }
    this.#events.push(e);
    this.#soon();
  }

  /** Go tells that files have changed. */
  filesChanged(): void {
    this.#changed = true;
    this.#soon();
  }

  /** Forgets which files have changed. */
  forgetChanges(): void {
    this.sandbox.call((x) => x.file_changes());
    this.#changes = undefined;
  }

  /** A terminal that the page has not heard of. */
  terminal(id: string): TerminalInfo | undefined {
    for (const e of this.#events) if (e.event === 'terminal' && e.terminal.id === id) return e.terminal;
    return undefined;
  }

  /** The page has heard the last. */
  heard(): void {
    this.#unheard = false;
    this.#flush();
  }

  /** Tells the page at once: what follows speaks of it. */
  now(): void {
    if (this.#events.length > 0) this.#tell(undefined);
  }

  #soon(): void {
    if (this.#flushing) return;
    this.#flushing = true;
    queueMicrotask(() => {
      this.#flushing = false;
      this.#flush();
    });
  }

  /** Tells the page what it has not heard, once it has heard the last. */
  #flush(): void {
    if (this.sandbox.dead) return;
    if (this.#changed) this.sandbox.quietly(() => this.#gather());
    if (this.#unheard || (this.#events.length === 0 && this.#changes === undefined)) return;
    const changes = this.#changes;
    this.#changes = undefined;
    this.#tell(changes);
  }

  /** Takes what has changed among the files, for the page and for what is kept of them. */
  #gather(): void {
    this.#changed = false;
    const all = this.sandbox.call((x) => x.file_changes()) === more;
    const list = this.sandbox.json<[FileChange['type'], string][]>().map(([type, path]) => ({ type, path }));
    this.written(all ? 'all' : list.map((c) => c.path));
    if (all || this.#changes === 'all' || (this.#changes?.length ?? 0) + list.length > maxChanges) this.#changes = 'all';
    else this.#changes = [...(this.#changes ?? []), ...list];
  }

  #tell(changes: FileChange[] | 'all' | undefined): void {
    const events = this.#events;
    this.#events = [];
    this.#unheard = true;
    post({ from: 'events', events, changes });
  }
}
