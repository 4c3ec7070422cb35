// The client of `terrarium serve`, against that: on its standard streams, and by WebSocket.

import { after, before, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';

const binary = process.env.TERRARIUM ?? fileURLToPath(new URL('../../../terrarium', import.meta.url));
const client = new URL('../../dist/sidecar.js', import.meta.url);
const bundled = existsSync(client);
const unbuilt = existsSync(binary) && bundled ? false : 'make build has not been run';
const { Sidecar } = bundled ? await import(client) : {};

/** What has happened, and a wait for more of it. */
class Heard {
  output = Buffer.alloc(0);
  lost = 0;
  screens = [];
  statuses = [];
  #changed = () => undefined;
  listener = {
    output: ({ offset, lost, data }) => {
      assert.equal(offset, this.output.length + this.lost + lost);
      this.output = Buffer.concat([this.output, data]);
      this.lost += lost;
      this.#changed();
    },
    screen: (_, screen) => {
      this.screens.push(screen && { ...screen, text: screen.lines.map((runs) => runs.map((r) => r.text).join('')).join('\n').trimEnd() });
      this.#changed();
    },
    status: (status) => {
      this.statuses.push(status);
      this.#changed();
    },
    end: (why) => {
      this.ended = why;
      this.#changed();
    },
  };

  /** Settles when the condition holds. */
  async until(condition) {
    while (!condition()) {
      assert.ok(!this.ended, this.ended?.message);
      await new Promise((resolve) => (this.#changed = resolve));
    }
  }

  get states() {
    return this.statuses.map((s) => s.state);
  }
}

/** Starts `terrarium serve`, which ends with its input. */
function serve(...args) {
  const child = spawn(binary, ['serve', ...args], { stdio: ['pipe', 'pipe', 'pipe'] });
  const exited = new Promise((resolve) => child.on('exit', resolve));
  return { child, exited };
}

/** The ways to connect: each calls use with what makes a Sidecar of a listener. */
const ways = {
  async 'standard streams'(use) {
    const { child, exited } = serve('--stdio');
    child.stderr.pipe(process.stderr);
    try {
      await use(async (listener) => Sidecar.over(Readable.toWeb(child.stdout), Writable.toWeb(child.stdin), listener));
    } finally {
      child.kill();
      await exited;
    }
  },
  async WebSocket(use) {
    const { child, exited } = serve('--listen', '127.0.0.1:0');
    try {
      let url, token;
      for await (const line of createInterface(child.stderr)) {
        url ??= /listening on (\S+)/.exec(line)?.[1];
        token ??= /token (\S+)/.exec(line)?.[1];
        if (url && token) break;
      }
      await use((listener) => Sidecar.connect(url, token, listener), url);
    } finally {
      child.kill();
      await exited;
    }
  },
};

const limit = { timeout: 600_000 };

for (const [name, way] of Object.entries(ways)) {
  const skip = unbuilt || (name === 'WebSocket' && !globalThis.WebSocket ? 'this Node needs --experimental-websocket' : false);
  describe(name, { skip }, () => {
    test('a session that was subscribed to before it had terminals', limit, () => way(async (connect) => {
      const heard = new Heard();
      const sidecar = await connect(heard.listener);
      await sidecar.subscribe({ sessionId: 's' }, ['bytes', 'screen', 'status']);
      const { terminalId } = await sidecar.request('terminal/create', {
        sessionId: 's', command: `printf 'one\\n\\033[31mr\\303\\251d\\033[m\\n'; sleep 0.2; printf '\\033[1;1Hdone'; exit 3`,
      });
      await heard.until(() => heard.states.includes('exited'));
      assert.equal(heard.output.toString(), 'one\n\x1b[31mréd\x1b[m\n\x1b[1;1Hdone');
      assert.equal(heard.lost, 0);
      const screen = heard.screens.at(-1);
      assert.equal(screen.text, 'done\nréd');
      assert.deepEqual(screen.lines[1], [{ text: 'réd', fg: 1 }]);
      // "running" is not told of what has ended by the time that something is.
      assert.deepEqual(heard.states.filter((s) => s !== 'running').slice(0, 1), ['exited']);
      assert.equal(heard.statuses[0].terminalId, terminalId);
      assert.match(heard.statuses[0].exec.path, /sh$/);
      assert.deepEqual(heard.statuses.find((s) => s.state === 'exited').exitStatus, { exitCode: 3, signal: null });

      await sidecar.request('terminal/release', { sessionId: 's', terminalId });
      await heard.until(() => heard.states.includes('released') && heard.screens.at(-1) === undefined);
      await sidecar.unsubscribe({ sessionId: 's' });
      const told = heard.statuses.length;
      const other = await sidecar.request('terminal/create', { sessionId: 's', command: 'true' });
      await sidecar.request('terminal/wait_for_exit', { sessionId: 's', terminalId: other.terminalId });
      await sidecar.request('terminal/output', { sessionId: 's', terminalId: other.terminalId });
      assert.equal(heard.statuses.length, told);
      sidecar.close();
    }));

    test('a flood does not hold up what is asked meanwhile', limit, () => way(async (connect) => {
      const heard = new Heard();
      const sidecar = await connect(heard.listener);
      await sidecar.subscribe({ sessionId: 's' }, ['bytes', 'screen', 'status']);
      const { terminalId } = await sidecar.request('terminal/create', {
        sessionId: 's', command: `head -c 3000000 /dev/zero | tr '\\0' x; printf '\\nthe end'`,
      });
      await sidecar.request('terminal/output', { sessionId: 's', terminalId });
      await heard.until(() => heard.states.includes('exited'));
      assert.equal(heard.output.length + heard.lost, 3_000_008);
      assert.match(heard.screens.at(-1).text, /the end$/);
      assert.equal(heard.output.subarray(-7).toString(), 'the end');
      sidecar.close();
    }));

    test('what is wrong is said', limit, () => way(async (connect, url) => {
      const heard = new Heard();
      const sidecar = await connect(heard.listener);
      await assert.rejects(sidecar.subscribe({ sessionId: 's' }, ['sounds']), { code: -32602, data: { reason: 'unknown_topic', param: 'what' } });
      await assert.rejects(sidecar.subscribe({ sessionId: 's', terminalId: 'term_1' }, ['bytes']), (e) => e.data.reason === 'unknown_terminal');
      if (url) await assert.rejects(Sidecar.connect(url, 'not-the-token', {}), /the connection has (failed|ended)/);
    }));

    test('the end of the connection is told to who waits', limit, () => way(async (connect) => {
      const heard = new Heard();
      const sidecar = await connect(heard.listener);
      const { terminalId } = await sidecar.request('terminal/create', { sessionId: 's', command: 'sleep 100' });
      const exit = sidecar.request('terminal/wait_for_exit', { sessionId: 's', terminalId });
      sidecar.close();
      // The server still tells how it ended where we still read.
      await exit.then((status) => assert.equal(status.signal, 'SIGTERM'), (e) => assert.ok(e instanceof Error));
      await heard.until(() => heard.ended).catch(() => undefined);
      await assert.rejects(sidecar.request('terminal/create', { sessionId: 's', command: 'true' }), Error);
    }));
  });
}

/** A Sidecar on standard streams whose server is the test. */
function played() {
  const heard = { screens: [], ends: [] };
  const utf8 = new TextEncoder();
  let output, closed = false;
  const sidecar = Sidecar.over(
    new ReadableStream({ start: (controller) => void (output = controller) }),
    new WritableStream({ close: () => void (closed = true) }),
    { screen: (_, screen) => heard.screens.push(screen?.lines.map((runs) => runs.map((r) => r.text).join(''))), end: (why) => heard.ends.push(why) },
  );
  return {
    sidecar, heard, isClosed: () => closed,
    say: (...lines) => output.enqueue(utf8.encode(lines.map((l) => `${typeof l === 'string' ? l : JSON.stringify({ jsonrpc: '2.0', ...l })}\n`).join(''))),
  };
}

const answer = (id) => ({ id, result: {} });
const screen = (snapshot, y, text) => ({
  method: '_terrarium/screen',
  params: { sessionId: 's', terminalId: 't', screen: { rows: 2, cols: 9, alt: false, title: '', cursor: { x: 0, y: 0 }, snapshot, lines: [{ y, runs: [{ text }] }] } },
});

describe('a server that is played', { skip: bundled ? false : 'make build has not been run' }, () => {
  test('a screen that nobody follows any more is forgotten, and no other', limit, async () => {
    const { sidecar, heard, say } = played();
    const all = { sessionId: 's' }, one = { sessionId: 's', terminalId: 't' };
    const asked = [sidecar.subscribe(all, ['screen']), sidecar.subscribe(one, ['screen', 'status']), sidecar.unsubscribe(one)];
    say(answer(1), screen(true, 0, 'old'), answer(2), answer(3), screen(false, 1, 'more'));
    await Promise.all(asked);
    assert.deepEqual(heard.screens.at(-1), ['old', 'more']);
    // What was asked for at once is answered at once: only what comes between the answers is
    // forgotten.
    const again = [sidecar.unsubscribe(all), sidecar.subscribe(all, ['screen'])];
    say(answer(4), screen(false, 1, 'late'), answer(5), screen(true, 0, 'new'), screen(false, 1, 'er'));
    await Promise.all(again);
    assert.deepEqual(heard.screens.slice(-3), [['', 'late'], ['new', ''], ['new', 'er']]);
  });

  test('what is no message ends the connection, for who waits too', limit, async () => {
    for (const line of ['garbage', '']) {
      const { sidecar, heard, say, isClosed } = played();
      const waiting = sidecar.request('terminal/create', {});
      say('null', '7', line, { id: 1, result: {} });
      await assert.rejects(waiting, /no message/);
      await assert.rejects(sidecar.request('terminal/create', {}), /no message/);
      assert.equal(heard.ends.length, 1);
      assert.ok(isClosed());
    }
  });

  test('nor does it throw where a WebSocket calls', limit, async () => {
    const before = globalThis.WebSocket;
    let socket, closed = 0;
    globalThis.WebSocket = class {
      constructor() { socket = this; }
      send() {}
      close() { closed++; }
    };
    try {
      const ends = [];
      const connecting = Sidecar.connect('ws://x', 't', { end: (why) => ends.push(why) });
      socket.onopen();
      const waiting = (await connecting).request('terminal/create', {});
      socket.onmessage({ data: 'garbage' });
      socket.onmessage({ data: '{"id":1,"result":{}}' });
      socket.onclose({ code: 1000, reason: '' });
      await assert.rejects(waiting, /no message: garbage/);
      assert.deepEqual([ends.length, closed], [1, 1]);
    } finally {
      globalThis.WebSocket = before;
    }
  });

  test('a request that can not be sent is rejected', limit, async () => {
    const before = globalThis.WebSocket;
    let socket;
    globalThis.WebSocket = class {
      constructor() { socket = this; }
      send() { throw new Error('not open'); }
    };
    try {
      const connecting = Sidecar.connect('ws://x', 't', {});
      socket.onopen();
      await assert.rejects((await connecting).request('terminal/create', {}), /not open/);
    } finally {
      globalThis.WebSocket = before;
    }
  });
});
