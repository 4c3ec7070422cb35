// The module between a guest and us: a guest's imports are its functions. guests.ts says why.

/** One import of a module, as Go has linked it. */
export interface Link {
  module: string;
  name: string;
  kind: 'func' | 'refill' | 'grow';
  params: string;
  results: string;
  /** Whether the guest has the adapter's function, and may be suspended. */
  adapted: boolean;
}

// The letters of types, and how the binary format has them.
export const letters = 'iIfF';
const valueTypes: Record<string, number> = { i: 0x7f, I: 0x7e, f: 0x7d, F: 0x7c };

/**
 * The module between a guest and us, in the binary format:
 * https://www.w3.org/TR/wasm-core-2/#binary-format. Its function N calls our function N, and then a
 * Suspending one if its global "waits" is not 0:
 *
 *   (func (export "N") (param …) (result t) (local $result t)
 *     (local.set $result (call $ours.N (local.get 0) …))
 *     (if (global.get $waits) (then (local.set $result (call $waits.t))))
 *     (local.get $result))
 */
export function adapter(links: Link[]): Uint8Array<ArrayBuffer> {
  const adapted = [...links.entries()].filter(([, link]) => link.adapted);
  const waits = ['', ...letters];
  const types: number[][] = waits.map((t) => [0x60, 0, ...list(t)]);
  const imports = waits.map((t, i) => [...text('waits'), ...text(t), 0, ...u32(i)]);
  const funcs: number[][] = [], exports = [[...text('waits'), 3, 0]], bodies: number[][] = [];
  for (const [n, [index, { params, results }]] of adapted.entries()) {
    const type = u32(types.length), result = u32(params.length);
    types.push([0x60, ...list(params), ...list(results)]);
    imports.push([...text('ours'), ...text(String(index)), 0, ...type]);
    funcs.push(type);
    exports.push([...text(String(index)), 0, ...u32(waits.length + adapted.length + n)]);
    const set = results === '' ? [] : [0x21, ...result], get = results === '' ? [] : [0x20, ...result];
    const code = results === '' ? [0] : [1, 1, valueTypes[results]!];
    for (let i = 0; i < params.length; i++) code.push(0x20, ...u32(i));
    code.push(0x10, ...u32(waits.length + n), ...set);
    code.push(0x23, 0, 0x04, 0x40, 0x10, ...u32(waits.indexOf(results)), ...set, 0x0b, ...get, 0x0b);
    bodies.push([...u32(code.length), ...code]);
  }
  return new Uint8Array([
    0, 0x61, 0x73, 0x6d, 1, 0, 0, 0,
    ...section(1, types), ...section(2, imports), ...section(3, funcs),
    ...section(6, [[0x7f, 1, 0x41, 0, 0x0b]]), ...section(7, exports), ...section(10, bodies),
  ]);
}

function section(id: number, entries: number[][]): number[] {
  const body = [...u32(entries.length), ...entries.flat()];
  return [id, ...u32(body.length), ...body];
}

function list(types: string): number[] {
  return [...u32(types.length), ...[...types].map((t) => valueTypes[t]!)];
}

function text(s: string): number[] {
  return [...u32(s.length), ...new TextEncoder().encode(s)]; // s is ASCII
}

function u32(n: number): number[] {
  const b: number[] = [];
  for (; n > 0x7f; n >>>= 7) b.push((n & 0x7f) | 0x80);
  return [...b, n];
}
