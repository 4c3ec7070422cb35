// Room for the memories of guests. Browsers have room for little more than a hundred, and take those
// of guests that have ended when they collect.

/** How long somebody waits for room while nobody leaves, in milliseconds. */
const patienceMs = 5000;
/** How many wait at the most. */
const maxLine = 256;
/** How soon we look for room after a guest has ended, and how long after that we look again, in
 * milliseconds. */
const soonMs = 20, againMs = 1000;
/** How often we look in vain until another guest has ended: the browser collects each time, for which
 * all others wait. */
const maxLooks = 3;

interface Waiting {
  make: () => WebAssembly.Instance;
  until: number;
  resolve(instance: WebAssembly.Instance | undefined): void;
  reject(e: unknown): void;
}

/** Those who wait for room stand in line. */
export class Room {
  readonly #line: Waiting[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #due = Infinity; // when we look again
  #looks = 0;

  /** Where there is none, `short` gives up what nobody needs. */
  constructor(private readonly short: () => void) {}

  /** What `make` makes, or undefined if there is no room for long, or when `gone` is aborted before. */
  async take(make: () => WebAssembly.Instance, gone: AbortSignal): Promise<WebAssembly.Instance | undefined> {
    const instance = this.#line.length === 0 ? made(make) : undefined;
    if (instance || gone.aborted || this.#line.length >= maxLine) return instance;
    this.short();
    return new Promise((resolve, reject) => {
      const waiting = { make, until: performance.now() + patienceMs, resolve, reject };
      this.#line.push(waiting);
      this.#looks ||= 1; // what ended before may not have been collected
      gone.addEventListener('abort', () => {
        const at = this.#line.indexOf(waiting);
        if (at >= 0) this.#line.splice(at, 1);
        resolve(undefined);
      });
      this.#lookIn(againMs);
    });
  }

  /** Somebody has left. Whoever waits is patient again: on a busy machine those before leave slowly. */
  left(): void {
    if (this.#line.length === 0) return;
    for (const waiting of this.#line) waiting.until = performance.now() + patienceMs;
    this.#looks = maxLooks;
    this.#lookIn(soonMs);
  }

  #lookIn(ms: number): void {
    const due = performance.now() + ms;
    if (this.#due <= due) return;
    clearTimeout(this.#timer);
    this.#due = due;
    this.#timer = setTimeout(() => {
      this.#due = Infinity;
      this.#look();
    }, ms);
  }

  #look(): void {
    for (let first; this.#looks > 0 && (first = this.#line[0]); this.#line.shift()) {
      try {
        const instance = made(first.make);
        if (!instance) {
          this.#looks--;
          break;
        }
        first.resolve(instance);
      } catch (e) {
        first.reject(e);
      }
    }
    const now = performance.now();
    while (this.#line[0] && this.#line[0].until <= now) this.#line.shift()!.resolve(undefined);
    if (this.#line[0]) this.#lookIn(Math.min(this.#looks > 0 ? againMs : Infinity, this.#line[0].until - now));
  }
}

/** An instance, or undefined if there is no room for it. */
function made(make: () => WebAssembly.Instance): WebAssembly.Instance | undefined {
  try {
    return make();
  } catch (e) {
    if (e instanceof WebAssembly.RuntimeError || e instanceof WebAssembly.LinkError) throw e;
    return undefined; // V8: "RangeError: WebAssembly.Instance(): Out of memory: Cannot allocate Wasm memory for new instance"
  }
}
