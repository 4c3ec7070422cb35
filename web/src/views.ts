// What the page sees of terminals: one piece at a time, when it wants the next.

import { post } from './post.js';
import type { SnapshotMessage } from './protocol.js';
import { lost, more, type Sandbox } from './sandbox.js';

/** How much output goes to the page at once. */
const batch = 64 << 10;

/** What a view was given, and what it waits for. */
interface View {
  wanting: boolean;
  telling: boolean;
  ended: boolean;
}

/** The views of all terminals. */
export class Views {
  readonly #views = new Map<number, View>();

  constructor(private readonly sandbox: Sandbox) {}

  /** Begins a view, with the snapshot that it begins with. */
  watch(id: string, history: number): { watch: number; snapshot: SnapshotMessage } {
    const watch = this.sandbox.call((x, id) => x.watch(id, history), id);
    const snapshot = this.#shot();
    this.#view(watch);
    return { watch, snapshot };
  }

  next(watch: number): void {
    const v = this.#views.get(watch);
    if (!v) return;
    v.wanting = true;
    this.#show(watch, v);
  }

  skip(watch: number, history: number): void {
    const v = this.#views.get(watch);
    if (!v) return;
    this.sandbox.quietly(() => {
      this.sandbox.call((x) => x.snapshot(watch, history));
      const snapshot = this.#shot();
      v.wanting = false;
      post({ from: 'snapshot', watch, snapshot }, snapshot.data.buffer);
    });
  }

  /** Hands on what there is, if the view wants it: one piece at a time. */
  #show(watch: number, v: View): void {
    if (!v.wanting || this.sandbox.dead) return;
    this.sandbox.quietly(() => {
      if (v.telling) {
        v.telling = false; // it may be told again before the call returns
        const status = this.sandbox.call((x) => x.take(watch, batch));
        if (status === more) v.telling = true;
        if (status === lost) {
          v.wanting = false;
          return post({ from: 'output', watch, offset: -1, data: new Uint8Array(0) });
        }
        const b = this.sandbox.result();
        if (b.length > 8) {
          v.wanting = false;
          const data = b.slice(8);
          return post({ from: 'output', watch, offset: Number(new DataView(b.buffer).getBigUint64(0, true)), data }, data.buffer);
        }
      }
      if (v.ended) {
        v.wanting = false;
        post({ from: 'ended', watch });
      }
    });
  }

  unwatch(watch: number): void {
    this.#views.delete(watch);
    this.sandbox.tell((x) => x.unwatch(watch));
  }

  /** There is output, or nothing more will be. Go tells so, and may not be called now. */
  tell(watch: number, what: 'telling' | 'ended'): void {
    const v = this.#view(watch);
    v[what] = true;
    if (v.wanting) queueMicrotask(() => this.#show(watch, v));
  }

  /** The snapshot that is the last call's result. */
  #shot(): SnapshotMessage {
    const b = this.sandbox.result(), v = new DataView(b.buffer);
    return { offset: Number(v.getBigUint64(0, true)), rows: v.getUint32(8, true), cols: v.getUint32(12, true), data: b.slice(24) };
  }

  #view(watch: number): View {
    let v = this.#views.get(watch);
    if (!v) this.#views.set(watch, (v = { wanting: false, telling: false, ended: false }));
    return v;
  }
}
