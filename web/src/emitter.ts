// Listeners of one object, by event.

import type { Unsubscribe } from './types.js';

export class Emitter<E extends { [K in keyof E]: (...args: never[]) => void }> {
  readonly #listeners = new Map<keyof E, Set<E[keyof E]>>();

  on<K extends keyof E>(event: K, listener: E[K]): Unsubscribe {
    // A listener may be there twice: each has a subscription of its own.
    const own = ((...args: never[]) => listener(...args)) as E[K];
    let set = this.#listeners.get(event);
    if (!set) this.#listeners.set(event, (set = new Set()));
    set.add(own);
    return () => void set.delete(own);
  }

  /** Calls the listeners. One that throws keeps nothing from the others, nor from us. */
  emit<K extends keyof E>(event: K, ...args: Parameters<E[K]>): void {
    for (const listener of [...(this.#listeners.get(event) ?? [])]) {
      try {
        listener(...args);
      } catch (e) {
        reportError(e);
      }
    }
  }
}
