// The same sandbox under each set of headers, and in frames: commands, and files over a reload.

import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';

import { hung, launch, serve, watchErrors } from '../view/serve.mjs';

const limit = { timeout: hung };
const folder = '/test/sandbox/';
let chromium;

before(async () => (chromium = await launch()));
after(() => chromium?.close());

// Other memory and other timers come with isolation, and another worker without an origin: there
// many commands run, too. They have nothing else that headers or frames could change.
const sets = {
  'no headers': { crowded: true },
  'COOP and COEP': { headers: { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' }, isolated: true, crowded: true },
  'Document-Isolation-Policy': { headers: { 'document-isolation-policy': 'isolate-and-require-corp' }, isolated: true },
  'a policy of content': {
    headers: {
      'content-security-policy': "default-src 'none'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; img-src data:",
    },
  },
  'a frame': { frame: {} },
  // Browsers let a frame of another site keep nothing, or they do: this one does not.
  'a sandboxed frame of another site': {
    frame: { sandbox: 'allow-scripts allow-same-origin' }, elsewhere: true, refused: [undefined, 'no_storage'],
  },
  // It has an origin of its own, and a worker at an address is of another.
  'a sandboxed frame without an origin': {
    frame: { sandbox: 'allow-scripts' }, headers: { 'access-control-allow-origin': '*' }, refused: ['no_worker', 'no_storage'], crowded: true,
  },
};

/** How a sandbox is made where that is refused without these options. */
function options([worker, storage] = []) {
  const script = `data:text/javascript,import '${new URL('/dist/worker.js', location.href)}'`;
  return { ...(worker && { workerFactory: () => new Worker(script, { type: 'module' }) }), ...(!storage && { storage: 'headers' }) };
}

/** Commands of each kind; the last is running when it returns. */
async function work(refused) {
  const seen = refused && [(await refusal(make()))?.reason, (await refusal(make({ ...options(refused), storage: 'headers' })))?.reason];
  await make(options(refused));
  const running = async (command) => {
    const t = await terminals.create(command);
    if (t.status.state !== 'running') await until((f) => t.on('change', f), (s) => s.state === 'running');
    return t;
  };
  const cat = await running({ command: 'cat', pty: false });
  await cat.write('typed\n');
  await cat.closeInput();
  await cat.exited;
  const { output: typed } = await cat.text();
  const loop = { command: 'while :; do :; done', interactive: false };
  const killed = await running(loop);
  await killed.kill();
  await killed.exited;
  const hello = (await run('echo', { args: ['hello'] })).output;
  const piped = (await run('seq 1 5 | sort -r | head -2; echo kept > kept')).output;
  if (!refused) {
    await terminals.close(); // which writes what is to be kept
    await make(options());
  }
  await running(loop);
  return { refused: seen, hello, piped, typed, endedBy: killed.status.endedBy, isolated: crossOriginIsolated };
}

/** What is there after a reload, and what a provider has. */
async function again(refused) {
  const file = new TextEncoder().encode('unsaved\n'), nothing = () => undefined;
  const mounts = {
    '/ide': {
      stat: (path) => ({ type: path === '/' ? 2 : 1, size: file.length, ctime: 0, mtime: 0 }),
      readDirectory: () => [['a.txt', 1]], readFile: () => file,
      writeFile: nothing, createDirectory: nothing, delete: nothing, rename: nothing,
    },
  };
  for (let e; (e = await refusal(make({ ...options(refused), mounts }))); ) {
    if (e.reason !== 'storage_locked') throw new Error(`${e.reason}: ${e.message}`);
  }
  const kept = (await run('cat kept')).output, provided = (await run('cat /ide/*')).output;
  return { kept, provided };
}

/** A view that draws nothing while a command floods it, and 65 processes. */
async function crowd() {
  const flood = await terminals.create({ command: 'seq 1 400000', interactive: false });
  let open;
  const opened = new Promise((resolve) => (open = resolve));
  const screen = new Screen(flood, () => opened);
  await flood.exited;
  open();
  await screen.shows((s) => s.text.includes('400000'));

  const many = await Promise.all(Array.from({ length: 65 }, () => terminals.create({ command: 'cat', pty: false })));
  await Promise.all(many.map((t) => t.closeInput()));
  await Promise.all(many.map((t) => t.exited));
  const ended = many.filter((t) => t.status.exit?.exitCode === 0).length;
  return { snapshots: screen.snapshots, ended };
}

/** Without headers at every commit, and each other set at every third: see cmd/dev/turn.go. */
const turn = process.env.TERRARIUM_TURN, mine = (i) => turn === undefined || i === 0 || i % 3 === turn % 3;

for (const [name, { headers = {}, frame, elsewhere, isolated = false, refused, crowded }] of Object.entries(sets).filter((_, i) => mine(i))) {
  test(name, limit, async () => {
    const servers = [await serve({ headers })];
    const page = await chromium.browser.newPage();
    const errors = watchErrors(page);
    try {
      let url = `${servers[0].url}${folder}page.html`;
      if (elsewhere) servers.push(await serve());
      if (frame) {
        const at = elsewhere && { at: `${servers[1].url.replace('127.0.0.1', 'localhost')}${folder}` };
        url = `${servers[0].url}${folder}frame.html?${new URLSearchParams({ ...frame, ...at })}`;
      }
      const visit = async (f) => {
        const inner = frame ? page.frames()[1] : page.mainFrame();
        await inner.waitForFunction('window.ready');
        await inner.evaluate((f) => (window.options = eval(`(${f})`)), String(options));
        return inner.evaluate(f, refused);
      };
      await page.goto(url);
      assert.deepEqual(await visit(work), {
        refused, hello: 'hello\n', piped: '5\n4\n', typed: 'typed\n', endedBy: 'person', isolated,
      });
      await page.reload(); // while a command runs
      assert.deepEqual(await visit(again), {
        kept: refused ? 'cat: kept: No such file or directory\n' : 'kept\n', provided: 'unsaved\n',
      });
      if (crowded) assert.deepEqual(await visit(crowd), { snapshots: 2, ended: 65 });
      assert.deepEqual(errors, []);
    } finally {
      await page.close();
      for (const server of servers) await server.close();
    }
  });
}
