import type { Watch, Watcher } from '../types.js';
import type { Shown } from './shown.js';

/** One view's watch: what it was given last is awaited before there is more. */
export class Watching implements Watch {
  #terminal: Shown;
  #watcher: Watcher;
  #closed: () => void;
  #open = true;
  #offset = -1; // -1: a snapshot is next
  #busy = false;
  #news = false;

  constructor(terminal: Shown, watcher: Watcher, closed: () => void) {
    this.#terminal = terminal;
    this.#watcher = watcher;
    this.#closed = closed;
  }

  skip(): void {
    this.#offset = -1;
    this.pump();
  }

  close(): void {
    this.#open = false;
    this.#closed();
  }

  /** pump hands on what there is, unless the watcher is busy; then it comes back by itself. */
  async pump(): Promise<void> {
    this.#news = true;
    if (this.#busy) return;
    this.#busy = true;
    await null; // the caller has changed several things, perhaps
    try {
      while (this.#open && this.#news) {
        this.#news = false; // and true again if something comes while a step is awaited
        while (this.#open && (await this.#step()));
      }
    } catch (e) {
      this.close();
      reportError(e);
    } finally {
      this.#busy = false;
    }
  }

  /** step makes one call, and reports whether there may be another. */
  async #step(): Promise<boolean> {
    const { state, readable } = this.#terminal.status;
    const chunk = readable && this.#offset >= 0 ? this.#terminal.since(this.#offset) : undefined;
    if (readable && !chunk) {
      const snapshot = this.#terminal.snapshot();
      this.#offset = snapshot.offset;
      await this.#watcher.snapshot(snapshot);
      return true;
    }
    if (chunk && chunk.data.length > 0) {
      this.#offset += chunk.data.length;
      await this.#watcher.output(chunk);
      return true;
    }
    if (state === 'running' && readable) return false;
    this.close();
    this.#watcher.end?.();
    return false;
  }
}
