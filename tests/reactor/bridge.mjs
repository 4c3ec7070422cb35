// @ts-check

import { wasi } from '../../web/src/wasi.js';

/** The version of the ABI (cmd/reactor/ABI.md) that this file speaks. */
const VERSION = 1;

/**
 * A Reactor is one instance of core.wasm: its exports, and the bytes between
 * them and JavaScript. A call that throws has ended it.
 */
export class Reactor {
  /**
   * @param {WebAssembly.Module} module
   * @param {(text: string) => void} [log] is given what the runtime prints: why it panics
   */
  constructor(module, log = console.error) {
    const imports = wasi(() => this.memory, log);
    const exports = new WebAssembly.Instance(module, imports).exports;
    this.memory = /** @type {WebAssembly.Memory} */ (exports.memory);
    this.exports = /** @type {Record<string, Function>} */ (/** @type {unknown} */ (exports));
    this.exports._initialize();
    const version = this.exports.terrarium_abi_version();
    if (version !== VERSION) {
      throw new Error(`the reactor's ABI has version ${version}, want ${VERSION}`);
    }
    /** Where the input buffer is, and how long. */
    this.inputAt = 0;
    this.inputSize = 0;
  }

  /**
   * put writes the arguments of the next call, one after the other, into the
   * input buffer, and returns their lengths.
   *
   * @param {...Uint8Array} pieces
   * @returns {number[]}
   */
  put(...pieces) {
    const lengths = pieces.map((p) => p.length);
    const size = lengths.reduce((a, b) => a + b, 0);
    if (size > this.inputSize) {
      this.inputAt = this.exports.input(size) >>> 0;
      if (this.inputAt === 0) throw new RangeError(`the reactor takes no argument of ${size} bytes`);
      this.inputSize = size;
    }
    let at = this.inputAt;
    for (const p of pieces) {
      this.write(at, p);
      at += p.length;
    }
    return lengths;
  }

  /**
   * take copies the bytes that an export has returned.
   *
   * @param {bigint} packed their address and length
   * @returns {Uint8Array}
   */
  take(packed) {
    const bits = BigInt.asUintN(64, packed);
    return this.read(Number(bits >> 32n), Number(bits & 0xffffffffn));
  }

  /** @param {number} at @param {Uint8Array} p */
  write(at, p) {
    new Uint8Array(this.memory.buffer, at, p.length).set(p);
  }

  /** @param {number} at @param {number} n @returns {Uint8Array} a copy */
  read(at, n) {
    return new Uint8Array(this.memory.buffer, at, n).slice();
  }
}
