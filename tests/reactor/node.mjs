// @ts-check

// Runs reactors for node.go, which describes the frames on standard input and
// output. All numbers are little-endian.

import { readSync, writeSync } from 'node:fs';
import { Reactor } from './bridge.mjs';

/** @type {WebAssembly.Module} */
let module;
/** @type {Map<number, Reactor>} */
const reactors = new Map();
let opened = 0;

/** A Reader takes a request apart. */
class Reader {
  /** @param {Buffer} p */
  constructor(p) {
    this.p = p;
    this.i = 0;
  }
  u8() {
    return this.p[this.i++];
  }
  u32() {
    this.i += 4;
    return this.p.readUInt32LE(this.i - 4);
  }
  i64() {
    this.i += 8;
    return this.p.readBigInt64LE(this.i - 8);
  }
  bytes() {
    const n = this.u32();
    this.i += n;
    return this.p.subarray(this.i - n, this.i);
  }
}

/** @typedef {{value: bigint | number, data: Uint8Array}} Answer */

/** @type {Record<string, (r: Reader) => Answer>} */
const requests = {
  m(r) {
    module = new WebAssembly.Module(r.bytes());
    return { value: 0, data: new Uint8Array() };
  },
  o() {
    reactors.set(++opened, new Reactor(module, (text) => writeSync(2, text)));
    return { value: opened, data: new Uint8Array() };
  },
  c(r) {
    reactors.delete(r.u32());
    return { value: 0, data: new Uint8Array() };
  },
  r(r) {
    const reactor = reactors.get(r.u32());
    if (!reactor) throw new Error('no such reactor');
    const times = r.u32();
    const steps = Array.from({ length: r.u32() }, () => step(r, reactor));
    /** @type {Answer} */
    const answer = { value: 0, data: new Uint8Array() };
    for (let i = 0; i < times; i++) {
      for (const s of steps) s(answer);
    }
    return answer;
  },
};

/**
 * step reads a step of a run.
 *
 * @param {Reader} r
 * @param {Reactor} reactor
 * @returns {(a: Answer) => void}
 */
function step(r, reactor) {
  const kind = String.fromCharCode(r.u8());
  if (kind === 'c') {
    const f = reactor.exports[r.bytes().toString()];
    const args = Array.from({ length: r.u8() }, () => (r.u8() === 32 ? Number(BigInt.asIntN(32, r.i64())) : r.i64()));
    return (a) => {
      a.value = f(...args);
    };
  }
  if (kind === 't') {
    return (a) => {
      a.data = reactor.take(BigInt(a.value));
    };
  }
  const at = r.u32();
  if (kind === 'w') {
    const p = r.bytes();
    return () => reactor.write(at, p);
  }
  const n = r.u32();
  return (a) => {
    a.data = reactor.read(at, n);
  };
}

/** @param {Buffer} request @returns {{failed: number, value: bigint, data: Uint8Array}} */
function answer(request) {
  const r = new Reader(request);
  try {
    const { value, data } = requests[String.fromCharCode(r.u8())](r);
    return { failed: 0, value: BigInt.asUintN(64, BigInt(value)), data };
  } catch (err) {
    return { failed: 1, value: 0n, data: Buffer.from(String(err)) };
  }
}

/**
 * @param {number} n
 * @returns {Buffer | null} the next n bytes of standard input; null at its end
 */
function read(n) {
  const p = Buffer.alloc(n);
  for (let got = 0; got < n; ) {
    const more = readSync(0, p, got, n - got, null);
    if (more === 0) return null;
    got += more;
  }
  return p;
}

/** @param {Uint8Array} p */
function write(p) {
  for (let sent = 0; sent < p.length; ) sent += writeSync(1, p, sent);
}

for (let head = read(4); head; head = read(4)) {
  const request = read(head.readUInt32LE(0));
  if (!request) break;
  const { failed, value, data } = answer(request);
  const start = Buffer.alloc(13);
  start.writeUInt32LE(9 + data.length, 0);
  start.writeUInt8(failed, 4);
  start.writeBigUInt64LE(value, 5);
  write(start);
  write(data);
}
