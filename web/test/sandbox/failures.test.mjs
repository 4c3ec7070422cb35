// What keeps a sandbox from starting, and what ends it: each has its own message.

import { after, afterEach, before, test } from 'node:test';
import assert from 'node:assert/strict';

import { hung, launch, serve, watchErrors } from '../view/serve.mjs';
import { hostile } from './hostile.mjs';

let chromium, server, page;

before(async () => (chromium = await launch()));
after(() => chromium?.close());
afterEach(async () => {
  await page?.close();
  await server?.close();
});

const limit = { timeout: hung };

/** open opens the page where files are served so. */
async function open(options) {
  server = await serve(options);
  page = await chromium.browser.newPage();
  watchErrors(page);
  await page.goto(`${server.url}/test/sandbox/page.html`);
  await page.waitForFunction('window.ready');
}

test('a policy of content without WebAssembly', limit, async () => {
  const csp = "default-src 'self'; script-src 'self' 'unsafe-inline'; worker-src 'self'";
  await open({ headers: { 'content-security-policy': csp } });
  const e = await page.evaluate(() => refusal(make()));
  assert.equal(e.reason, 'csp');
  assert.match(e.message, /wasm-unsafe-eval/);
});

test('a policy of content without workers', limit, async () => {
  await open({ headers: { 'content-security-policy': "script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'; worker-src 'none'" } });
  const e = await page.evaluate(() => refusal(make()));
  assert.equal(e.reason, 'csp');
  assert.match(e.message, /worker-src lacks http:.*\/dist\/worker\.js$/);
});

test('no worker, none that starts, and a sandbox that is something else', limit, async () => {
  await open();
  const results = await page.evaluate(async () => {
    const out = {};
    out.worker = await refusal(make({ workerFactory: () => new Worker('/test/sandbox/nothing.js', { type: 'module' }) }));
    out.thrown = await refusal(make({ workerFactory: () => { throw new Error('not here'); } }));
    out.html = await refusal(make({ wasmURL: '/test/sandbox/page.html' }));
    out.missing = await refusal(make({ wasmURL: '/nothing.wasm' }));
    out.other = await refusal(make({ wasmURL: '/dist/core.wasm' }));
    out.limits = await refusal(make({ limits: { fuel: -1 } }));
    out.cwd = await refusal(make({ cwd: 'work' }));
    out.files = await refusal(make({ files: { 'hello.txt': 'hello' } }));
    out.commands = await refusal(terrarium.createTerminals({}));
    const { Worker: own } = window;
    delete window.Worker;
    window.Worker = undefined;
    out.none = await refusal(make());
    window.Worker = own;
    return out;
  });
  const reasons = Object.fromEntries(Object.entries(results).map(([name, e]) => [name, e?.reason]));
  assert.deepEqual(reasons, {
    worker: 'worker_failed', thrown: 'no_worker', html: 'not_wasm', missing: 'fetch_failed', other: reasons.other, limits: 'range',
    cwd: 'value', files: 'invalid_path', commands: 'missing', none: 'no_worker',
  });
  // Where core.wasm is not built, it is missing.
  assert.ok(['wrong_version', 'fetch_failed'].includes(reasons.other));
  assert.match(results.files.message, /^hello\.txt: a path begins with \//);
  assert.ok(Object.values(results).every((e) => e.name === 'SandboxError' && e.message));
});

test('packed modules that become too large', limit, async () => {
  await open();
  const { reasons, messages, alive } = await page.evaluate(async () => {
    const head = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0), zeros = new Uint8Array(1 << 20);
    const packed = (megabytes) => new Response(new Blob([head, ...Array(megabytes).fill(zeros)]).stream().pipeThrough(new CompressionStream('gzip'))).blob();
    const large = await packed(130), small = new Uint8Array(await (await packed(3)).arrayBuffer());
    const out = [await refusal(make({ wasmURL: URL.createObjectURL(large) }))];
    const [box, ...others] = await plugins();
    const bytes = new Uint8Array(await large.arrayBuffer());
    await make({ commands: [box, ...others, { ...box, sum: '00'.repeat(32), commands: ['plugin'], source: bytes }, { small, endless: () => new Response(new ReadableStream({ pull: (to) => to.enqueue(zeros) })) }], limits: { module: 2 << 20 } });
    for (const name of ['plugin', 'small', 'endless']) out.push((await run(name)).error);
    return { reasons: out.map((e) => e?.reason), messages: out.map((e) => e?.message), alive: await run('echo', { args: ['alive'] }) };
  });
  assert.deepEqual(reasons, Array(4).fill('refused'), messages.join('\n'));
  for (const [i, most] of [128 << 20, 128 << 20, 2 << 20, 2 << 20].entries()) assert.match(messages[i], new RegExp(`: it has more than ${most} bytes$`));
  assert.equal(alive.output, 'alive\n');
});

test('modules that never come to an end hold nobody else', limit, async () => {
  await open({ instead: { '/never.wasm': (response) => response.writeHead(200).write('\0asm') } });
  const result = await page.evaluate(async () => {
    const out = {};
    await make({ commands: [...(await plugins()), { never: '/never.wasm', again: '/never.wasm' }] });
    const waiting = await Promise.all(Array.from({ length: 20 }, (_, i) => terminals.create({ command: i % 2 ? 'never' : 'again', pty: false })));
    out.beside = await run('echo', { args: ['beside'] });
    await waiting[0].kill();
    await waiting[0].exited;
    out.killed = waiting[0].status.state;
    await terminals.close();
    out.ended = await Promise.all(waiting.map((t) => t.exited.then(() => t.status.state)));
    // Nobody has the sandbox yet that does not start: its signal ends it.
    const giveUp = new AbortController();
    const starting = refusal(make({ wasmURL: '/never.wasm', signal: giveUp.signal }));
    giveUp.abort();
    out.start = await starting;
    return out;
  });
  assert.equal(result.beside.output, 'beside\n');
  assert.equal(result.killed, 'killed');
  assert.ok(result.ended.every((s) => ['killed', 'failed'].includes(s)), JSON.stringify(result));
  assert.equal(result.start.reason, 'closed', JSON.stringify(result));
});

test('a browser without JSPI', limit, async () => {
  await open();
  const e = await page.evaluate(() => refusal(make({ workerFactory: patched('delete WebAssembly.Suspending') })));
  assert.equal(e.reason, 'no_jspi');
  assert.match(e.message, /Promise Integration/);
});

test('what did not start says why when it is asked for its output', limit, async () => {
  await open();
  const said = await page.evaluate(async () => {
    await make({ commands: { gone: '/nothing.wasm' } });
    const t = await terminals.create({ command: 'gone', pty: false });
    await t.exited;
    return [(await refusal(t.text())).message, t.status.error.message];
  });
  assert.match(said[0], /nothing\.wasm/);
  assert.equal(said[0], said[1]);
});

test('a dead worker: whoever waits is told, and another one works', limit, async () => {
  await open();
  const result = await page.evaluate(async () => {
    let worker;
    const states = [];
    await make({ workerFactory: () => (worker = new Worker('/dist/worker.js', { type: 'module' })) });
    terminals.on('state', (s) => states.push(s));
    const t = await terminals.create({ command: 'cat' });
    const screen = new Screen(t);
    await screen.shows((s) => s.snapshots > 0);
    const ask = (id) => terminals.handleMessage({ jsonrpc: '2.0', id, method: 'terminal/create', params: { sessionId: 's', command: 'sleep 100' } });
    const { terminalId } = (await ask(1)).result;
    const waiting = terminals.handleMessage({ jsonrpc: '2.0', id: 2, method: 'terminal/wait_for_exit', params: { sessionId: 's', terminalId } });
    const dead = until((f) => terminals.on('state', f), (s) => s === 'dead');
    worker.onerror(new ErrorEvent('error', { message: 'as if it had died' }));
    const [, error] = await dead;
    const out = {
      error: { reason: error.reason, message: error.message }, waited: await waiting, exit: await t.exited, status: t.status,
      write: await refusal(t.write('x')), create: await refusal(terminals.create({ command: 'ls' })), later: await ask(3),
      files: await refusal((async () => terminals.files.stat('/work'))()), ended: screen.ended,
    };
    await terminals.restart();
    out.again = await run('echo', { args: ['again'] });
    out.listed = terminals.list().map((t) => t.status.state);
    await terminals.close();
    out.closed = await refusal(terminals.create({ command: 'ls' }));
    out.restart = await refusal(terminals.restart());
    out.states = states;
    return out;
  });
  assert.equal(result.error.reason, 'dead');
  assert.deepEqual([result.waited.error.code, result.waited.error.data.reason], [-32603, 'dead']);
  assert.deepEqual([result.status.state, result.status.endedBy, result.status.readable], ['killed', 'sandbox', false]);
  assert.deepEqual(result.exit, { exitCode: null, signal: null });
  assert.deepEqual([result.write.reason, result.create.reason, result.files.reason], ['dead', 'dead', 'dead']);
  assert.equal(result.later.error.data.reason, 'dead');
  assert.equal(result.ended, true);
  assert.equal(result.again.output, 'again\n');
  assert.deepEqual(result.listed, ['killed', 'killed', 'exited']);
  assert.deepEqual([result.closed.reason, result.restart.reason], ['closed', 'closed']);
  assert.deepEqual(result.states, ['dead', 'starting', 'ready', 'closed']);
});

/** How Go may die when kill was called: there, in a timer of its own later, and by its own end. */
const deaths = {
  'in an export': { how: 'die()', says: /unreachable/, trace: /panic: as if[^]*RuntimeError/ },
  'in a timer': { how: 'setTimeout(() => (resume = die), 400), 0', says: /unreachable/, trace: /panic: as if[^]*RuntimeError/ },
  'by its end': { how: 'setTimeout(() => (resume = () => (go._scheduledTimeouts.clear(), (go.exited = true))), 400), 0', says: /has exited/, trace: /has exited/ },
};

for (const [where, { how, says, trace }] of Object.entries(deaths)) {
  test(`Go dies ${where}: every terminal ends, and what it has written is there for a report`, limit, async () => {
    await open();
    const result = await page.evaluate(async (how) => {
      const code = `
        let go, resume;
        const die = () => {
          fs.writeSync(2, new TextEncoder().encode('panic: as if'));
          throw new WebAssembly.RuntimeError('unreachable');
        };
        Object.defineProperty(globalThis, 'Go', { configurable: true, set: (Go) => Object.defineProperty(globalThis, 'Go', {
          value: class extends Go { constructor() { super(); go = this; } },
        }) });
        const { instantiate } = WebAssembly;
        WebAssembly.instantiate = async (...args) => {
          const { exports } = await instantiate(...args);
          resume = exports.resume;
          const kill = (n) => (exports.kill(n), ${how});
          return Object.create(WebAssembly.Instance.prototype, { exports: { value: { ...exports, kill, resume: () => resume() } } });
        };`;
      await make({ workerFactory: patched(code) });
      const t = await terminals.create({ command: 'cat' });
      await terminals.create({ command: 'sleep', args: ['2'] });
      const dead = until((f) => terminals.on('state', f), (s) => s === 'dead');
      const other = await terminals.create({ command: 'sleep', args: ['100'] });
      t.kill().catch(() => undefined);
      const [, { reason, message, trace }] = await dead;
      return { reason, message, trace, exit: await other.exited, status: other.status, next: await refusal(t.write('x')) };
    }, how);
    assert.deepEqual([result.reason, result.next.reason], ['dead', 'dead']);
    assert.match(result.message, says);
    assert.match(result.trace ?? '', trace);
    assert.deepEqual([result.status.state, result.status.endedBy, result.status.error.reason], ['killed', 'sandbox', 'dead']);
  });
}

const seconds = process.env.TERRARIUM_LONG ? 300 : 2;

// cmd/sandbox/ABI.md
test('no argument makes an export trap, or block', { timeout: limit.timeout + seconds * 1000 }, async () => {
  await open();
  const seed = process.env.TERRARIUM_LONG ? Date.now() >>> 0 : 1;
  const got = await page.evaluate(async ({ code, options }) => {
    const body = `(${code})(${JSON.stringify({ ...options, base: location.origin })}).then((v) => postMessage(v), (e) => postMessage({ dead: String(e.stack) }))`;
    const worker = new Worker(URL.createObjectURL(new Blob([body], { type: 'text/javascript' })), { type: 'module' });
    return new Promise((resolve) => {
      worker.onmessage = (e) => resolve(e.data);
      worker.onerror = (e) => resolve({ dead: e.message });
    });
  }, { code: String(hostile), options: { seconds, least: 501, seed } });
  console.log(`# ${got.calls} calls of ${got.names} exports, ${got.megabytes} MiB, seed ${seed}`);
  assert.equal(got.dead, undefined);
  assert.ok(got.names > 25, JSON.stringify(got));
  assert.ok(got.megabytes <= 512, `${got.megabytes} MiB`);
});
