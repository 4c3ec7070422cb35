// What a page may say of its sandbox: a policy, limits, commands of its own, an ACP client.

import { after, before, beforeEach, test } from 'node:test';
import assert from 'node:assert/strict';

import { hung, launch, serve, watchErrors } from '../view/serve.mjs';

let server, chromium, page, errors;

before(async () => {
  server = await serve();
  chromium = await launch();
});

after(async () => {
  await chromium?.close();
  await server?.close();
  assert.deepEqual(errors, []);
});

beforeEach(async () => {
  await page?.close();
  page = await chromium.browser.newPage();
  errors = watchErrors(page);
  await page.goto(`${server.url}/test/sandbox/page.html`);
  await page.waitForFunction('window.ready');
});

const limit = { timeout: hung };

test('a policy is asked, and what fails denies', limit, async () => {
  const result = await page.evaluate(async () => {
    const asked = [];
    let aborted;
    await make({
      policy: async (r) => {
        asked.push({ argv: r.argv, path: r.path, cwd: r.cwd, roots: r.roots, env: r.env, state: r.terminal.status.state });
        switch (r.argv.at(-1)) {
          case 'allowed': return 'allow';
          case 'denied': return { allow: false, reason: 'not today' };
          case 'thrown': throw new Error('broken');
          case 'odd': return 1;
          case 'getter': return { get allow() { throw new Error('broken'); } };
          case 'unspoken': return { allow: false, reason: Object.create(null) };
          case 'long': return { allow: false, reason: 'x'.repeat(130 << 20) };
          case 'forever': return new Promise((resolve) => r.signal.addEventListener('abort', () => (aborted = true, resolve('allow'))));
        }
      },
    });
    const results = {};
    window.onerror = () => true;
    for (const a of ['allowed', 'denied', 'thrown', 'odd', 'getter', 'unspoken', 'long', 'nothing']) results[a] = await run('echo', { args: [a], env: { A: '1' } });
    const t = await terminals.create({ command: 'echo', args: ['forever'] });
    if (t.status.state !== 'asking') await until((f) => t.on('change', f), (s) => s.state === 'asking');
    await t.kill();
    await t.exited;
    const agent = await terminals.handleMessage({ jsonrpc: '2.0', id: 1, method: 'terminal/create', params: { sessionId: 's', command: 'echo', args: ['denied'] } });
    return { asked, results, killed: t.status, aborted, agent };
  });
  assert.deepEqual(result.asked[0], {
    argv: ['echo', 'allowed'], path: '/bin/echo', cwd: '/work', roots: ['/'], env: [{ name: 'A', value: '1' }], state: 'asking',
  });
  assert.equal(result.results.allowed.output, 'allowed\n');
  for (const a of ['denied', 'thrown', 'odd', 'getter', 'unspoken', 'long', 'nothing']) assert.equal(result.results[a].error?.reason, 'denied', a);
  assert.match(result.results.denied.error.message, /not today/);
  assert.deepEqual([result.killed.state, result.killed.endedBy, result.aborted], ['killed', 'person', true]);
  assert.match(result.agent.error.message, /denied/);
});

test('an ACP client of the SDK', limit, async () => {
  const result = await page.evaluate(async () => {
    const acp = await import('@agentclientprotocol/sdk');
    await make();
    const client = terminals.attach(acp.client({ name: 'ide' }), { RequestError: acp.RequestError });
    const out = {};
    await client.connectWith(acp.agent({ name: 'agent' }).onRequest('initialize', () => ({ protocolVersion: 1 })), async () => undefined).catch((e) => (out.connect = e.message));
    const agent = acp.agent({ name: 'agent' });
    await agent.connectWith(client, async (context) => {
      const ask = (method, params) => context.request(method, params);
      const { terminalId } = await ask('terminal/create', { sessionId: 's', command: 'echo hello; exit 4' });
      const one = { sessionId: 's', terminalId };
      out.exit = await ask('terminal/wait_for_exit', one);
      out.output = await ask('terminal/output', one);
      out.release = await ask('terminal/release', one);
      out.error = await ask('terminal/output', one).catch((e) => ({ code: e.code, message: e.message, data: e.data }));
    });
    const old = terminals.client();
    const { terminalId } = await old.createTerminal({ sessionId: 's', command: 'echo', args: ['old'] });
    out.old = [await old.waitForTerminalExit({ sessionId: 's', terminalId }), await old.terminalOutput({ sessionId: 's', terminalId })];
    return out;
  });
  assert.deepEqual({ exitCode: 4, signal: null }, { exitCode: result.exit.exitCode, signal: result.exit.signal ?? null });
  assert.equal(result.output.output, 'hello\n');
  assert.deepEqual([result.error.code, result.error.data.reason], [-32602, 'released']);
  assert.equal(result.old[1].output, 'old\n');
});

test("a person takes over an agent's terminal, where that is allowed", limit, async () => {
  const result = await page.evaluate(async () => {
    const out = [];
    for (const agentInput of [false, true]) {
      await make({ agentInput });
      const { terminalId } = await terminals.client().createTerminal({ sessionId: 's', command: 'read x; echo got $x' });
      const t = terminals.get(terminalId);
      if (agentInput) await t.write('typed\r');
      await t.exited;
      out.push([t.status.interactive, (await t.text()).output]);
      await terminals.close();
    }
    return out;
  });
  assert.deepEqual(result, [[false, 'got\n'], [true, 'typed\ngot typed\n']]);
});

test('sessions see what they hand over', limit, async () => {
  const result = await page.evaluate(async () => {
    await make({ files: { '/a/x': 'in a', '/b/y': 'in b' } });
    await terminals.openSession('narrow', { cwd: '/a' });
    const run = async (sessionId, command) => {
      const old = terminals.client();
      const { terminalId } = await old.createTerminal({ sessionId, command });
      await old.waitForTerminalExit({ sessionId, terminalId });
      return (await old.terminalOutput({ sessionId, terminalId })).output;
    };
    const out = [await run('narrow', 'pwd; cat x; ls /; cat /b/y'), await run('wide', 'pwd; cat /b/y')];
    await terminals.closeSession('narrow');
    return out;
  });
  assert.match(result[0], /^\/a\nin a/);
  assert.doesNotMatch(result[0], /in b|\nb\n/);
  assert.equal(result[1], '/work\nin b');
});

test('modules of others, metered in the page, and limits', limit, async () => {
  const result = await page.evaluate(async () => {
    const h = (s) => Uint8Array.from(s.match(/../g).map((x) => parseInt(x, 16)));
    // (module (memory (export "memory") 1) (func (export "_start") BODY))
    const module = (body) => {
      const code = [0, ...body, 0x0b];
      return Uint8Array.from([
        ...h('0061736d01000000' + '010401600000' + '03020100' + '0503010001'), 7, 0x13, 2, 6, ...new TextEncoder().encode('memory'), 2, 0,
        6, ...new TextEncoder().encode('_start'), 0, 0, 0x0a, code.length + 2, 1, code.length, ...code,
      ]);
    };
    const end = module([]), loop = module([0x03, 0x40, 0x0c, 0, 0x0b]), trap = module([0x00]);
    const recurse = module([0x10, 0]);
    const malformed = end.slice(0, -3);
    await make({
      commands: [
        { end, loop, trap, recurse, malformed, lazy: async () => new Response(end), compiled: await WebAssembly.compile(end), html: '/test/sandbox/page.html', none: '/none.wasm' },
        ...(await plugins()),
        { ...(await plugins())[0], name: 'other', by: 'another version', sum: '00'.repeat(32), commands: ['other'] },
      ],
      limits: { fuel: 50_000_000, module: 1 << 20, outputByteLimit: 1000 },
    });
    const out = {};
    for (const name of ['end', 'loop', 'trap', 'recurse', 'malformed', 'lazy', 'compiled', 'html', 'none', 'other']) out[name] = await run(name, { args: ['x'] });
    const long = await terminals.create({ command: 'seq 1 1000', interactive: false });
    await long.exited;
    return { out, long: { ...(await long.text()), status: long.status } };
  });
  const { out, long } = result;
  assert.deepEqual([out.end.exitCode, out.lazy.exitCode], [0, 0]);
  assert.deepEqual([out.loop.state, out.loop.endedBy], ['killed', 'fuel']);
  assert.deepEqual([out.trap.state, out.trap.endedBy], ['killed', 'trap']);
  assert.deepEqual([out.recurse.state, out.recurse.endedBy], ['killed', 'stack']);
  assert.equal(out.malformed.state, 'failed');
  for (const [name, reason] of Object.entries({ compiled: 'refused', html: 'not_wasm', none: 'fetch_failed', other: 'wrong_version' })) {
    assert.equal(out[name].error?.reason, reason, `${name}: ${JSON.stringify(out[name])}`);
  }
  assert.match(out.html.error.message, /HTML/);
  assert.ok(long.truncated && long.output.length <= 1000 && long.output.endsWith('1000\n'));
  assert.equal(long.status.truncated, true);
});

test('others have their turns while a large module is hashed, metered and compiled', limit, async () => {
  const result = await page.evaluate(async () => {
    const u32 = (n) => [(n & 0x7f) | 0x80, ((n >> 7) & 0x7f) | 0x80, ((n >> 14) & 0x7f) | 0x80, n >> 21];
    const section = (id, n, more) => [id, ...u32(4 + more), ...u32(n)];
    // (module (memory (export "memory") 1) (func (export "_start")) (func nop nop …) …), of 6 MB
    const functions = 30_000, nops = 200, size = nops + 6;
    const parts = [
      [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 4, 1, 0x60, 0, 0], section(3, functions, functions), new Uint8Array(functions), [5, 3, 1, 0, 1],
      [7, 0x13, 2, 6, ...new TextEncoder().encode('memory'), 2, 0, 6, ...new TextEncoder().encode('_start'), 0, 0],
      section(10, functions, functions * size), ...Array(functions).fill(Uint8Array.from([...u32(nops + 2), 0, ...Array(nops).fill(1), 0x0b])),
    ];
    const large = new Uint8Array(await new Blob(parts.map((p) => (Array.isArray(p) ? Uint8Array.from(p) : p))).arrayBuffer());
    await make({ commands: [...(await plugins()), { large }] });
    const t = await terminals.create({ command: 'cat', interactive: true });
    if (t.status.state !== 'running') await until((f) => t.on('change', f), (s) => s.state === 'running');
    const screen = new Screen(t);
    let begin = performance.now(), longest = 0, keys = 0, ended = false;
    const exit = run('large').finally(() => (ended = true));
    for (; !ended; keys++) {
      const at = performance.now(), offset = screen.at ?? 0;
      await t.write('x');
      await screen.shows((s) => s.at > offset);
      longest = Math.max(longest, performance.now() - at);
      await new Promise((resolve) => setTimeout(resolve));
    }
    return { exit: await exit, longest, keys, ms: performance.now() - begin };
  });
  console.log(`# ${result.keys} keys in ${result.ms.toFixed()} ms, the longest ${result.longest.toFixed()} ms`);
  assert.equal(result.exit.exitCode, 0, JSON.stringify(result.exit));
  assert.ok(result.longest < result.ms / 3, JSON.stringify(result)); // two thirds, without turns
});

test('a page that is paused while a command floods it', limit, async () => {
  const result = await page.evaluate(async () => {
    await make();
    const t = await terminals.create({ command: 'seq 1 1500000', interactive: false });
    const screen = new Screen(t);
    await screen.shows((s) => s.text.includes('\n'));
    for (const until = performance.now() + 1500; performance.now() < until; );
    const exit = await t.exited;
    await screen.shows((s) => s.text.includes('1500000'));
    return { exit, bytes: t.status.bytes, snapshots: screen.snapshots };
  });
  assert.equal(result.exit.exitCode, 0);
  assert.ok(result.bytes > 10_000_000);
});

test('sixty processes at once, more than there is room for, and a hundred and sixty that end', { timeout: hung }, async () => {
  const result = await page.evaluate(async () => {
    await make();
    const bash = await terminals.create({ command: 'bash', env: { PS1: '> ' } });
    const screen = new Screen(bash);
    await screen.shows((s) => s.plain.includes('> '));
    const start = (n, command) => Promise.all(Array.from({ length: n }, () => terminals.create({ command, pty: false, interactive: command === 'cat' })));
    const settled = (t, ...states) => states.includes(t.status.state) || until((f) => t.on('change', f), (s) => states.includes(s.state));
    const end = async (list) => {
      await Promise.all(list.map((t) => t.closeInput().catch(() => undefined)));
      const exits = await Promise.all(list.map((t) => t.exited));
      await Promise.all(list.map((t) => t.release().catch(() => undefined)));
      return exits.filter((e) => e.exitCode === 0).length;
    };
    const out = {};
    const sixty = await start(60, 'cat');
    await Promise.all(sixty.map((t) => settled(t, 'running')));
    out.sixty = await end(sixty);

    // Those that there is no room for wait, and are told so in the end.
    const many = await start(160, 'cat');
    await Promise.all(many.map((t) => settled(t, 'running', 'failed')));
    const refused = many.filter((t) => t.status.state === 'failed');
    out.refused = refused.length;
    out.errors = [...new Set(refused.map((t) => `${t.status.error.reason}: ${t.status.error.message}`))];

    // One that waits is killed at once; a shell tells of it, and goes on.
    const [queued] = await start(1, 'cat');
    const begin = performance.now();
    await queued.kill();
    await queued.exited;
    // That is sooner than it would be told in any case.
    out.killed = [queued.status.state, performance.now() - begin < 8000];
    await bash.write('git --version || echo "no"room\r');
    await screen.shows((s) => s.plain.includes('noroom\r\n> '));
    out.bash = screen.plain;

    out.ended = await end(many) + out.refused;
    out.finish = await end(await start(160, 'sleep 1'));
    out.after = (await run('echo', { args: ['after'] })).output;
    return out;
  });
  const { bash, refused, ...rest } = result;
  assert.deepEqual(rest, {
    sixty: 60, errors: ['no_resources: cat: no room for another process'], killed: ['killed', true], ended: 160, finish: 160, after: 'after\n',
  });
  console.log(`# at once: ${160 - refused} and a shell`);
  assert.match(bash, /git: .*Resource temporarily unavailable/);
});
