/**
 * The part of WASI preview 1 that a reactor written in Go imports, for an embedder that hands over
 * nothing: no files, no arguments, no environment.
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
 * @param memory the instance's memory, once it is there
 * @param log is given what the runtime prints, which is why it panics
 */
export function wasi(memory: () => WebAssembly.Memory, log: (text: string) => void): WebAssembly.Imports {
  const view = () => new DataView(memory().buffer); // memory grows, and old views detach
  const bytes = (at: number, n: number) => new Uint8Array(memory().buffer, at, n);
  const isStdio = (fd: number) => fd >= 0 && fd <= 2;

  /** An empty list of strings: their number, and the bytes they take. */
  const none = (count: number, size: number) => {
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
      clock_time_get(clock: number, _precision: bigint, out: number) {
        const ms = clock === 0 ? Date.now() : performance.now();
        view().setBigUint64(out, BigInt(Math.round(ms * 1e6)), true);
        return SUCCESS;
      },

      random_get(at: number, n: number) {
        for (const end = at + n; at < end; at += MOST_RANDOM) {
          crypto.getRandomValues(new Uint8Array(memory().buffer as ArrayBuffer, at, Math.min(MOST_RANDOM, end - at)));
        }
        return SUCCESS;
      },

      fd_write(fd: number, iovs: number, count: number, out: number) {
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

      fd_fdstat_get(fd: number, out: number) {
        if (!isStdio(fd)) return EBADF;
        bytes(out, 24).fill(0);
        view().setUint8(out, CHARACTER_DEVICE);
        return SUCCESS;
      },
      fd_fdstat_set_flags: (fd: number) => (isStdio(fd) ? SUCCESS : EBADF),
      fd_prestat_get: () => EBADF, // there is no directory
      fd_prestat_dir_name: () => EBADF,

      sched_yield: () => SUCCESS,

      /** Go waits with this, which the reactor never does: what it might ask for is there at once. */
      poll_oneoff(subscriptions: number, events: number, count: number, out: number) {
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

      proc_exit(code: number) {
        throw new Error(`exited with code ${code}`);
      },
    },
  };
}
