// What the worker tells a view, with Go in the place of a fake.

import { test } from 'node:test';
import assert from 'node:assert/strict';

const posted = [];
globalThis.postMessage = (m) => posted.push(m);
const { Views } = await import('../../dist/views.js');

test('output that is told while the last is taken is not lost', () => {
  let written = 'first', meanwhile = () => {};
  const take = () => {
    const data = new Uint8Array(8 + written.length);
    new TextEncoder().encodeInto(written, data.subarray(8));
    result = data;
    written = '';
    meanwhile(); // a goroutine that had to wait for the lock goes on before the export returns
    return 0;
  };
  let result = new Uint8Array(24);
  const views = new Views({
    dead: false,
    call: (f) => f({ watch: () => 1, take }),
    quietly: (f) => f(),
    result: () => result,
  });
  const { watch } = views.watch('t', 0);
  meanwhile = () => {
    meanwhile = () => {};
    written = 'second';
    views.tell(watch, 'telling');
  };
  views.tell(watch, 'telling');
  views.next(watch);
  views.next(watch);
  assert.deepEqual(posted.map((m) => new TextDecoder().decode(m.data)), ['first', 'second']);
});
