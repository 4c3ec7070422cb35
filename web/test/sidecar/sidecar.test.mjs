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
const unbuilt = existsSync(binary) && existsSync(client) ? false : 'make build has not been run';
const { Sidecar } = unbuilt ? {} : await import(client);

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

const limit = { timeout: 120_000 };

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
