// Budgets: what a page fetches, and how long commands take. A ratio is of two things on this
// machine in this run, done in turns, and the best of each counts: what else the machine does can
// make both slower only. How many turns there are is fixed, for who goes on until it is enough
// measures luck. A time fails only with TERRARIUM_LONG=1; processor time fails always, for it does
// not contain how long a thread waits for a processor.

import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gunzipSync } from 'node:zlib';

import { hung, launch, serve } from '../view/serve.mjs';

const long = process.env.TERRARIUM_LONG === '1';
const limit = { timeout: hung };
const web = (name) => fileURLToPath(new URL(`../../${name}`, import.meta.url));

/** within prints a figure, and fails if it is over its budget and counts here. */
function within(what, got, most, unit, counts) {
  console.log(`# ${what}: ${got.toFixed(2)} ${unit} (at most ${most})`);
  if (counts) assert.ok(got <= most, `${what}: ${got.toFixed(2)} ${unit}, want at most ${most}`);
}

/** best returns the least of what all have by this name. */
const best = (all, name) => Math.min(...all.map((t) => t[name]));

/**
 * Of what takes long, how often it is done: the best of 20 counts, but make test has no time for
 * that.
 */
const few = long ? 20 : 5;
/** The same where only the time would count. */
const once = long ? 20 : 1;

/**
 * rounds calls f so often, and returns what it returned. Beside other work the best of those may
 * be none of the good ones: while they are not enough, it is called four times as often.
 */
async function rounds(n, f, enough = () => true) {
  const all = [];
  while (all.length < n || (all.length < 4 * n && !enough(all))) all.push(await f());
  return all;
}

/** ratio returns the best of what all have by one name, by the best by another. */
const ratio = (all, name, other) => best(all, name) / best(all, other);

// What the worker does besides, in tests of times: it tells what it did since it was last asked,
// and how long bare instances of the box take.
const timed = `
  const { Instance, Module } = WebAssembly, post = self.postMessage.bind(self);
  const decoder = new TextDecoder(), shown = (m) => m.from === 'output' ? m.data : m.value?.snapshot?.data;
  let box, began = 0, wanted = '', seen;
  WebAssembly.Instance = new Proxy(Instance, { construct(target, [module, imports]) {
    const instance = Reflect.construct(target, [module, imports]);
    if (instance.exports['terrarium.fuel']) box = module;
    return instance;
  } });
  self.postMessage = (m, transfer) => {
    const data = shown(m);
    if (data && decoder.decode(data).includes(wanted)) seen?.(performance.now() - began);
    post(m, transfer);
  };
  self.addEventListener('message', (e) => {
    if (e.data.to === 'request' && e.data.request.op === wait) began = performance.now();
  });
  let wait = '';
  new BroadcastChannel('timed').onmessage = async function (e) {
    if (e.data.bare) {
      const imports = {};
      for (const i of Module.imports(box)) (imports[i.module] ??= {})[i.name] = () => 0;
      const began = performance.now();
      new Instance(box, imports);
      this.postMessage({ ms: performance.now() - began });
    } else if (e.data.op) {
      [wait, wanted] = [e.data.op, e.data.text];
      seen = (ms) => { seen = undefined; this.postMessage({ ms }); };
      this.postMessage({ ready: true });
    }
  };
`;

let server, chromium, processes, page;

before(async () => {
  server = await serve();
  chromium = await launch();
  processes = await chromium.browser.browser().newBrowserCDPSession();
  page = await chromium.browser.newPage();
  await page.goto(`${server.url}/test/sandbox/page.html`);
  await page.waitForFunction('window.ready');
  await page.evaluate(async (timed) => {
    await make({ workerFactory: patched(timed) });
    const channel = new BroadcastChannel('timed');
    window.ask = (question) => new Promise((resolve) => {
      channel.onmessage = (e) => resolve(e.data);
      channel.postMessage(question);
    });
    // Calls f, and returns how long it takes until text comes from a request op: here, and in the
    // worker.
    window.take = async (op, text, f) => {
      await ask({ op, text });
      const inWorker = new Promise((resolve) => (channel.onmessage = (e) => resolve(e.data.ms)));
      const began = performance.now();
      await f();
      return { page: performance.now() - began, worker: await inWorker };
    };
    window.idle = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
    // The browser compiles what is used often better.
    for (let i = 0; i < 30; i++) await run('echo', { args: ['warm'] });
  }, timed);
});

after(async () => {
  await page?.evaluate(() => terminals.close());
  await chromium?.close();
  await server?.close();
});

test('what a page fetches', limit, async () => {
  for (const [name, gzip, brotli] of [['dist/sandbox.wasm.gz', 1.75, 1.3], ['plugins/box.wasm.gz', 4.6, 3.1], ['plugins/git.wasm.gz', 3.6, 2.5]]) {
    within(`${name}, gzip`, statSync(web(name)).size / 1e6, gzip, 'MB', true);
    if (!long) continue; // it takes a minute
    const wasm = gunzipSync(readFileSync(web(name)));
    const small = await promisify(brotliCompress)(wasm, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: wasm.length },
    });
    within(`${name}, brotli`, small.length / 1e6, brotli, 'MB', true);
  }
});

/** processorTime returns how long the browser's pages and workers have used a processor, in s. */
async function processorTime() {
  const { processInfo } = await processes.send('SystemInfo.getProcessInfo');
  return processInfo.filter((p) => p.type === 'renderer').reduce((sum, p) => sum + p.cpuTime, 0);
}

// All that a command costs: until 50 ms after its start, when the next instance has been made, and
// until it has ended. Linux tells processor time in hundredths of a second, so it is of many.
test('a command and a bare instance of its module, in processor time', limit, async () => {
  const used = async (n, f) => {
    const began = await processorTime();
    await page.evaluate(f, n);
    return (await processorTime() - began) / n * 1000;
  };
  const all = await rounds(3, async () => ({
    echo: await used(20, async (n) => {
      for (let i = 0; i < n; i++) {
        await run('echo', { args: ['hi'] });
        await idle(100);
      }
    }),
    bare: await used(40, async (n) => {
      for (let i = 0; i < n; i++) await ask({ bare: true });
    }),
  }), (all) => ratio(all, 'echo', 'bare') <= 5);
  console.log(`# echo: ${best(all, 'echo').toFixed(1)} ms of processor time; an instance: ${best(all, 'bare').toFixed(1)} ms`);
  within('echo, by an instance, in processor time', ratio(all, 'echo', 'bare'), 5, '', true);
});

// A person types the next command a while after the last.
test('the start of a command, and a bare instance of its module', limit, async () => {
  const all = await rounds(few, () => page.evaluate(async () => {
    await idle(100);
    const echo = await take('create', 'hi', async () => {
      const t = await terminals.create({ command: 'echo', args: ['hi'], interactive: false });
      await new Screen(t).shows((s) => s.text.includes('hi'));
    });
    return { ...echo, bare: (await ask({ bare: true })).ms };
  }));
  const [inPage, inWorker, bare] = ['page', 'worker', 'bare'].map((name) => best(all, name).toFixed(1));
  console.log(`# echo to its first byte: ${inPage} ms, in the worker ${inWorker} ms; an instance: ${bare} ms`);
  within('echo to its first byte, by an instance', ratio(all, 'page', 'bare'), 2.5, '', long);
});

test('a pipeline, and the same natively', limit, async (t) => {
  const binary = web('../terrarium');
  if (!existsSync(binary)) return t.skip('needs the command: run make build');
  const line = 'seq 300000 | sort -r | head -1';
  const native = async () => {
    // What the other tests have compiled is in that cache.
    const env = { ...process.env, XDG_CACHE_HOME: web('../.cache') };
    const { stdout } = await promisify(execFile)(binary, ['run', '--host', 'wasm', '--json', '--', 'sh', '-c', line], { env });
    const { output, durationMs } = JSON.parse(stdout);
    assert.equal(output, '99999\n');
    return durationMs;
  };
  const inPage = () => page.evaluate(async (line) => {
    const t = await terminals.create({ command: line, interactive: false, pty: false });
    await t.exited;
    const { started, ended } = t.status;
    const { output } = await t.text();
    if (output !== '99999\n') throw new Error(output);
    return ended - started;
  }, line);
  await native(); // it may have to compile the box
  const all = await rounds(few, async () => ({ native: await native(), page: await inPage() }), (all) => ratio(all, 'page', 'native') <= 2);
  console.log(`# ${line}: ${best(all, 'page')} ms, natively ${best(all, 'native')} ms`);
  within(`${line}, by native`, ratio(all, 'page', 'native'), 2, '', true);
});

test('64 MB through two pipes', limit, async () => {
  const all = await rounds(once, () => page.evaluate(async () => {
    const began = performance.now();
    const { output } = await run('head -c 64000000 /dev/zero | cat | wc -c');
    if (output !== '64000000\n') throw new Error(output);
    return { ms: performance.now() - began };
  }));
  within('64 MB through two pipes', best(all, 'ms') / 1000, 2, 's', long);
});

test('a key, and its echo', limit, async () => {
  const all = await page.evaluate(async () => {
    const t = await terminals.create({ command: 'bash', env: { PS1: '> ' } });
    const screen = new Screen(t);
    await screen.shows((s) => s.plain.includes('> '));
    const times = [];
    for (const key of 'abcdefghijklmnopqrst') {
      times.push(await take('write', key, async () => {
        const shown = screen.shows((s) => s.plain.endsWith(key));
        await t.write(key);
        await shown;
      }));
      await idle(20);
    }
    await t.kill();
    return times;
  });
  console.log(`# a key to its echo, in the page: ${best(all, 'page').toFixed(2)} ms`);
  within('a key to its echo, in the worker', best(all, 'worker'), 2, 'ms', long);
});

test('a kill', limit, async () => {
  const all = await rounds(once, () => page.evaluate(async () => {
    const t = await terminals.create({ command: 'while :; do :; done', interactive: false });
    if (t.status.state !== 'running') await until((f) => t.on('change', f), (s) => s.state === 'running');
    const began = performance.now();
    await t.kill();
    await t.exited;
    return { ms: performance.now() - began };
  }));
  within('a kill of a busy loop', best(all, 'ms'), 50, 'ms', long);
});
