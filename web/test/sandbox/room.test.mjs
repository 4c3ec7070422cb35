// Who waits for room (src/room.ts), in time that the test makes.

import { before, beforeEach, mock, test } from 'node:test';
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';

import { rolldown } from 'rolldown';

let Room, room;
let free, made, looks; // of the browser: see make
let clock; // what performance.now says
const makeMs = 50; // what a start of a guest takes
const patienceMs = 10_000;

before(async () => {
  const bundle = await rolldown({ input: fileURLToPath(new URL('../../src/room.ts', import.meta.url)) });
  const { output } = await bundle.generate({ format: 'esm' });
  ({ Room } = await import(`data:text/javascript,${encodeURIComponent(output[0].code)}`));
});

beforeEach(() => {
  [clock, free, made, looks] = [0, 0, 0, 0];
  mock.timers.reset();
  mock.timers.enable({ apis: ['setTimeout'] });
  mock.method(performance, 'now', () => clock);
  room = new Room(() => undefined);
});

/** A browser in which `free` guests have room. */
function make() {
  looks++;
  if (free === 0) throw new RangeError('Out of memory');
  free--, made++, (clock += makeMs);
  return { made };
}

/** Who has asked for room, and what they were told: undefined until then. */
function ask(n) {
  return Array.from({ length: n }, () => {
    const gone = new AbortController();
    const one = { kill: () => gone.abort() };
    room.take(make, gone.signal).then((instance) => (one.told = instance ? 'in' : 'no room'));
    return one;
  });
}

async function pass(ms) {
  for (; ms > 0; ms -= 10) {
    mock.timers.tick(10);
    clock += 10;
  }
  await new Promise((resolve) => setImmediate(resolve));
}

const told = (list, what) => list.filter((one) => one.told === what).length;

test('who finds none waits, and is told after a while', async () => {
  const all = ask(3);
  await pass(patienceMs - 500);
  assert.equal(told(all, undefined), 3);
  await pass(1000);
  assert.equal(told(all, 'no room'), 3);
});

test('a guest that leaves makes room for the first in line', async () => {
  const all = ask(3);
  await pass(2000);
  free = 1;
  room.left();
  await pass(100);
  assert.deepEqual(all.map((one) => one.told), ['in', undefined, undefined]);
});

test('the line moves on while others come in and leave, however slowly', async () => {
  const all = ask(320); // more than may wait
  await pass(10);
  assert.equal(told(all, 'no room'), 320 - 256);
  for (let n = 256; n > 0; n -= 2) {
    free = 2;
    room.left();
    await pass(patienceMs - 500);
    assert.equal(told(all, undefined), n - 2);
  }
});

test('the time that a hundred starts take is no time in which somebody could have left', async () => {
  const all = ask(400);
  await pass(500);
  free = 210;
  await pass(1500);
  assert.ok(free === 0 && made * makeMs > patienceMs); // all that in one look
  assert.deepEqual([told(all, 'in'), told(all, undefined)], [210, 256 - 210]);
  await pass(patienceMs - 2000);
  free = 210;
  room.left();
  await pass(100);
  assert.equal(told(all, 'in'), 256);
});

test('looks in vain are few, since the browser collects for each', async () => {
  const all = ask(200);
  for (let i = 0; i < 100; i++) room.left();
  looks = 0;
  await pass(patienceMs / 2);
  assert.equal(looks, 3);
  assert.equal(told(all, undefined), 200);
});

test('who is killed leaves the line', async () => {
  const [first, second] = ask(2);
  await pass(100);
  first.kill();
  free = 1;
  room.left();
  await pass(100);
  assert.deepEqual([first.told, second.told, made], ['no room', 'in', 1]);
});
