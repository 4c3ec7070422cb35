// Room for the memories of guests. Browsers have room for little more than a hundred, and take
// those of guests that have ended when they collect.

/**
 * How long somebody waits for room while nobody leaves and nobody comes in: so many ticks, of so
 * many milliseconds each. A tick that comes late is one tick all the same: the time that a look,
 * the start of a hundred guests or a paused page takes is no time in which somebody could have
 * left.
 */
const patience = 40, tickMs = 250;
/** How many wait at the most. */
const maxLine = 256;
/**
 * How soon we look for room after a guest has ended, in milliseconds, and how many ticks after
 * that we look again.
 */
const soonMs = 20, againTicks = 4;
/**
 * How often we look in vain until another guest has ended: the browser collects each time, for
 * which all others wait.
 */
const maxLooks = 3;

interface Waiting {
  make: () => WebAssembly.Instance;
  /** Ticks until it is told that there is no room. */
  ticks: number;
  resolve(instance: WebAssembly.Instance | undefined): void;
  reject(e: unknown): void;
}

/** Those who wait for room stand in line. */
export class Room {
  readonly #line: Waiting[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined; // of the next tick
  #looks = 0; // how often we look before another guest has ended
  #untilLook = 0; // ticks until then

  /** Where there is none, `short` gives up what nobody needs. */
  constructor(private readonly short: () => void) {}

  /**
   * What `make` makes, or undefined if there is no room for long, or when `gone` is aborted
   * before.
   */
  async take(make: () => WebAssembly.Instance, gone: AbortSignal): Promise<WebAssembly.Instance | undefined> {
    const instance = this.#line.length === 0 ? made(make) : undefined;
    if (instance || gone.aborted || this.#line.length >= maxLine) return instance;
    this.short();
    return new Promise((resolve, reject) => {
      const waiting = { make, ticks: patience, resolve, reject };
      if (this.#line.push(waiting) === 1) {
        // What ended before may not have been collected.
        [this.#looks, this.#untilLook] = [1, againTicks];
        this.#tickIn(tickMs);
      }
      gone.addEventListener('abort', () => {
        const at = this.#line.indexOf(waiting);
        if (at >= 0) this.#line.splice(at, 1);
        resolve(undefined);
      });
    });
  }

  /** Somebody has left. */
  left(): void {
    if (this.#line.length === 0) return;
    this.#renew();
    // Many leave at once: the look is due.
    if (this.#looks === maxLooks && this.#untilLook === 1) return;
    [this.#looks, this.#untilLook] = [maxLooks, 1];
    this.#tickIn(soonMs);
  }

  /** Whoever waits is patient again: on a busy machine those before leave, and start, slowly. */
  #renew(): void {
    for (const waiting of this.#line) waiting.ticks = patience;
  }

  #tickIn(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#tick(), ms);
  }

  #tick(): void {
    if (this.#looks > 0 && --this.#untilLook <= 0) this.#look();
    for (const waiting of this.#line) waiting.ticks--;
    while (this.#line[0] && this.#line[0].ticks <= 0) this.#line.shift()!.resolve(undefined);
    if (this.#line[0]) this.#tickIn(tickMs);
  }

  #look(): void {
    this.#untilLook = againTicks;
    for (let first; (first = this.#line[0]); this.#line.shift()) {
      try {
        const instance = made(first.make);
        if (!instance) {
          this.#looks--;
          return;
        }
        first.resolve(instance);
        this.#renew();
      } catch (e) {
        first.reject(e);
      }
    }
  }
}

/** An instance, or undefined if there is no room for it. */
function made(make: () => WebAssembly.Instance): WebAssembly.Instance | undefined {
  try {
    return make();
  } catch (e) {
    if (e instanceof WebAssembly.RuntimeError || e instanceof WebAssembly.LinkError) throw e;
    // V8 says "RangeError: WebAssembly.Instance(): Out of memory: Cannot allocate Wasm memory for
    // new instance".
    return undefined;
  }
}
