// @ts-check

/**
 * The part of WASI preview 1 that a reactor written in Go imports, for an embedder that hands over
 * nothing: no files, no arguments, no environment. It is not TypeScript, so that Node runs it as it
 * is in tests of the reactor.
 *
 * https://github.com/WebAssembly/WASI/blob/main/legacy/preview1/docs.md
 */

const SUCCESS = 0;
const EBADF = 8;
const CHARACTER_DEVICE = 2;

/** What getRandomValues fills in one call, in bytes. */
const MOST_RANDOM = 65536;

/**
 * wasi returns the imports of one instance.
 *
 * @param {() => WebAssembly.Memory} memory the instance's memory, once it is there
 * @param {(text: string) => void} log is given what the runtime prints: why it panics
 * @returns {WebAssembly.Imports}
 */
export function wasi(memory, log) {
  const view = () => new DataView(memory().buffer); // memory grows, and old views detach
  const bytes = (/** @type {number} */ at, /** @type {number} */ n) => new Uint8Array(memory().buffer, at, n);
  const isStdio = (/** @type {number} */ fd) => fd >= 0 && fd <= 2;

  /** An empty list of strings: their number, and the bytes they take. */
  const none = (/** @type {number} */ count, /** @type {number} */ size) => {
    view().setUint32(count, 0, true);
    view().setUint32(size, 0, true);
    return SUCCESS;
  };

  return {
    wasi_snapshot_preview1: {
      args_sizes_get: none,
      args_get: () => SUCCESS,
      environ_sizes_get: none,
      environ_get: () => SUCCESS,

      /** Clock 0 is the time of day, clock 1 is monotonic. */
      clock_time_get(/** @type {number} */ clock, /** @type {bigint} */ _precision, /** @type {number} */ out) {
        const ms = clock === 0 ? Date.now() : performance.now();
        view().setBigUint64(out, BigInt(Math.round(ms * 1e6)), true);
        return SUCCESS;
      },

      random_get(/** @type {number} */ at, /** @type {number} */ n) {
        for (const end = at + n; at < end; at += MOST_RANDOM) crypto.getRandomValues(bytes(at, Math.min(MOST_RANDOM, end - at)));
        return SUCCESS;
      },

      fd_write(/** @type {number} */ fd, /** @type {number} */ iovs, /** @type {number} */ count, /** @type {number} */ out) {
        if (fd !== 1 && fd !== 2) return EBADF;
        let written = 0;
        for (let i = 0; i < count; i++) {
          const at = view().getUint32(iovs + 8 * i, true);
          const n = view().getUint32(iovs + 8 * i + 4, true);
          log(new TextDecoder().decode(bytes(at, n)));
          written += n;
        }
        view().setUint32(out, written, true);
        return SUCCESS;
      },

      fd_fdstat_get(/** @type {number} */ fd, /** @type {number} */ out) {
        if (!isStdio(fd)) return EBADF;
        bytes(out, 24).fill(0);
        view().setUint8(out, CHARACTER_DEVICE);
        return SUCCESS;
      },
      fd_fdstat_set_flags: (/** @type {number} */ fd) => (isStdio(fd) ? SUCCESS : EBADF),
      fd_prestat_get: () => EBADF, // there is no directory
      fd_prestat_dir_name: () => EBADF,

      sched_yield: () => SUCCESS,

      /**
       * Go waits with this, which the reactor never does: what it might ask for is there at once.
       */
      poll_oneoff(/** @type {number} */ subscriptions, /** @type {number} */ events, /** @type {number} */ count, /** @type {number} */ out) {
        for (let i = 0; i < count; i++) {
          const from = subscriptions + 48 * i;
          const to = events + 32 * i;
          bytes(to, 32).fill(0);
          view().setBigUint64(to, view().getBigUint64(from, true), true); // userdata
          view().setUint8(to + 10, view().getUint8(from + 8)); // type
        }
        view().setUint32(out, count, true);
        return SUCCESS;
      },

      proc_exit(/** @type {number} */ code) {
        throw new Error(`exited with code ${code}`);
      },
    },
  };
}
