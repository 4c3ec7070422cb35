// The sandbox in a page, in Chromium: commands of the box, and what becomes of them.

import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';

import { hung, launch, serve, watchErrors } from '../view/serve.mjs';

let server, chromium, page, errors;

before(async () => {
  server = await serve();
  chromium = await launch();
  page = await chromium.browser.newPage();
  errors = watchErrors(page);
  await page.goto(`${server.url}/test/sandbox/page.html`);
  await page.waitForFunction('window.ready');
  await page.evaluate(() => make({ files: { '/work/a.txt': 'one\ntwo\n', '/work/sub/': '' } }));
});

after(async () => {
  await page?.evaluate(() => terminals.close());
  await chromium?.close();
  await server?.close();
  assert.deepEqual(errors, []);
});

const limit = { timeout: hung };
const run = (...args) => page.evaluate((args) => run(...args), args);

test('a command runs', limit, async () => {
  assert.deepEqual(await run('echo', { args: ['hello'] }), { output: 'hello\n', exitCode: 0, signal: null, state: 'exited' });
});

test('pipes, substitution and jobs of a shell', limit, async () => {
  const { output, exitCode } = await run('seq 1 5 | sort -r | head -2; echo $(echo sub); sleep 0.01 & wait; exit 3');
  assert.equal(output, '5\n4\nsub\n');
  assert.equal(exitCode, 3);
});

test('input is typed, and ends', limit, async () => {
  const result = await page.evaluate(async () => {
    const t = await terminals.create({ command: 'cat', args: ['-n'], pty: false });
    const screen = new Screen(t);
    await t.write('first\n');
    const shown = await screen.shows((s) => s.text.includes('first'));
    await t.write('second\n');
    await t.closeInput();
    const exit = await t.exited;
    await t.release();
    await screen.shows((s) => s.ended);
    return { shown, exit, ...(await t.text()), refused: await refusal(t.write('x')) };
  });
  assert.match(result.shown, /first/);
  assert.equal(result.output, '     1\tfirst\n     2\tsecond\n');
  assert.equal(result.exit.exitCode, 0);
  assert.equal(result.refused.reason, 'released');
});

test('a shell on a pty, and ^C', limit, async () => {
  const result = await page.evaluate(async () => {
    const t = await terminals.create({ command: 'bash', env: { PS1: '> ' } });
    const screen = new Screen(t);
    await screen.shows((s) => s.plain.includes('> '));
    await t.write('echo $((6*7))\r');
    await screen.shows((s) => s.plain.includes('\n42\r\n> '));
    await t.write('sleep 100\r');
    await screen.shows((s) => s.plain.includes('sleep 100\r\n'));
    await t.write('\x03');
    await screen.shows((s) => s.plain.endsWith('^C\r\n> '));
    await t.resize(20, 90);
    await t.write('stty size; exit 5\r');
    const exit = await t.exited;
    return { exit, rows: t.status.rows, text: (await t.text()).output };
  });
  assert.equal(result.exit.exitCode, 5);
  assert.equal(result.rows, 20);
  assert.match(result.text, /20 90/);
});

const prompts = process.env.TERRARIUM_LONG ? 1000 : 16;

test('a shell takes what is typed, at any pace and ahead of its prompts', { timeout: hung + prompts * 2000 }, async () => {
  const stuck = await page.evaluate(async (prompts) => {
    let seed = 1;
    const random = (n) => {
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
      return Math.floor((seed / 2 ** 32) * n);
    };
    const gaps = [() => 0, () => 20, () => random(5), () => random(40), undefined];
    const kinds = [
      () => [''], // each echoes its mark at the end
      () => ['read -s v\r', 'secret\r'],
      () => ['stty -echo; stty echo; '],
      () => ['ls | cat; '],
      () => [`sleep 0.0${random(9)} & wait; `],
      () => ['head -c 200000 /dev/zero | wc -c; '],
      () => ['less a.txt\r', /\(END\)[^]{0,30}$/, 'q', /l> $/],
      () => ['forgotten', '\x03', /\^C\r\n> $/],
    ];
    const t = await terminals.create({ command: 'bash', env: { PS1: '> ' } });
    const screen = new Screen(t);
    const shows = (wanted) => screen.shows((s) => wanted.test(s.plain.slice(-4000)));
    await shows(/> /); // as the snapshot has it, which sets the cursor last
    const prompt = async (n) => {
      const gap = gaps[random(gaps.length)];
      for (const step of [...kinds[n % kinds.length](), `echo m''${n}.\r`]) {
        if (step instanceof RegExp) {
          await shows(step);
          continue;
        }
        for (const key of step) {
          t.write(key);
          if (gap) await new Promise((resolve) => setTimeout(resolve, gap()));
        }
      }
      await shows(new RegExp(`m${n}\\.`));
      if (random(2)) await shows(/> $/);
    };
    for (let n = 0; n < prompts; n++) {
      const late = new Promise((resolve) => setTimeout(resolve, 15_000, 'late'));
      if ((await Promise.race([prompt(n), late])) === 'late') return { n, text: screen.plain.slice(-500) };
    }
    await t.write('exit\r');
    await t.exited;
  }, prompts);
  assert.equal(stuck, undefined, JSON.stringify(stuck));
});

test('a loop without end is killed at once, and nobody else notices it', limit, async () => {
  const result = await page.evaluate(async () => {
    const t = await terminals.create({ command: 'while :; do :; done', interactive: false });
    if (t.status.state !== 'running') await until((f) => t.on('change', f), (s) => s.state === 'running');
    const beside = await run('echo', { args: ['beside'] });
    const begin = performance.now();
    await t.kill();
    const exit = await t.exited;
    return { exit, ms: performance.now() - begin, state: t.status.state, endedBy: t.status.endedBy, beside: beside.output };
  });
  console.log(`# kill: ${result.ms.toFixed(1)} ms`);
  assert.equal(result.beside, 'beside\n');
  assert.deepEqual([result.state, result.endedBy], ['killed', 'person']);
  assert.ok(result.exit.signal, JSON.stringify(result.exit));
});

test('what can not run says why', limit, async () => {
  const missing = await run('nosuch', { args: ['x'] });
  assert.deepEqual([missing.state, missing.error.reason], ['failed', 'not_found']);
  const reasons = await page.evaluate(async () => [
    (await refusal(terminals.create({ command: '' }))).reason,
    (await refusal(terminals.create({ command: 'ls', cwd: 'x' }))).reason,
    (await refusal(terminals.create({ command: 'ls', rows: 1e9 }))).reason,
  ]);
  assert.ok(reasons.every((r) => r), reasons.join());
});

test('files are the same for commands and the page', limit, async () => {
  const result = await page.evaluate(async () => {
    const { files } = terminals;
    const changes = [];
    const stop = files.onChange((c) => changes.push(...c));
    const cat = await run('cat', { args: ['a.txt'] });
    await files.writeFile('/work/sub/x/b.txt', 'from the page');
    const seen = await run('cat sub/x/b.txt; echo from a command > sub/c.txt; chmod 700 sub/c.txt; rm a.txt');
    const read = new TextDecoder().decode(await files.readFile('/work/sub/c.txt'));
    stop();
    const stat = await files.stat('/work/sub/c.txt');
    const list = await files.readDirectory('/work/sub');
    await files.rename('/work/sub/c.txt', '/work/d.txt');
    await files.delete('/work/sub', { recursive: true });
    return {
      cat: cat.output, seen: seen.output, read, stat, list, changes: changes.map((c) => `${c.type} ${c.path}`),
      gone: await refusal(files.readFile('/work/sub/c.txt')), bad: await refusal(files.stat('work')),
      full: await refusal(files.writeFile('/work/big', new Uint8Array(130 << 20))),
      dirs: await files.readDirectory('/work'),
    };
  });
  assert.equal(result.cat, 'one\ntwo\n');
  assert.equal(result.seen, 'from the page');
  assert.equal(result.read, 'from a command\n');
  assert.equal(result.stat.type, 1);
  assert.equal(result.stat.mode, 0o700);
  assert.deepEqual(result.list.sort(), [['c.txt', 1], ['x', 2]]);
  assert.ok(result.changes.includes('2 /work/sub/c.txt'), result.changes.join());
  assert.ok(result.changes.includes('3 /work/a.txt'), result.changes.join());
  assert.equal(result.gone.reason, 'file_not_found');
  assert.match(result.gone.message, /^\/work\/sub\/c\.txt: file not found \(ENOENT\)$/);
  assert.equal(result.bad.reason, 'invalid_path');
  assert.ok(result.full.reason);
  assert.deepEqual(result.dirs, [['d.txt', 1]]);
});

test('ACP by messages: create, output, wait for exit, release', limit, async () => {
  const result = await page.evaluate(async () => {
    let id = 0;
    const ask = (method, params) => terminals.handleMessage({ jsonrpc: '2.0', id: `r${++id}`, method, params });
    const opened = until((f) => terminals.on('open', f), (t) => t.origin === 'agent');
    const made = await ask('terminal/create', { sessionId: 's', command: 'sh', args: ['-c', 'echo out; exit 7'] });
    const one = { sessionId: 's', terminalId: made.result.terminalId };
    const exit = await ask('terminal/wait_for_exit', one);
    const output = await ask('terminal/output', one);
    const released = await ask('terminal/release', one);
    const after = await ask('terminal/output', one);
    const [t] = await opened;
    const text = JSON.parse(await terminals.handleMessage(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'nosuch' })));
    const bad = await terminals.handleMessage('{');
    const long = await ask('nosuch', { text: 'x"'.repeat(10 << 20) });
    const spin = await ask('terminal/create', { sessionId: 's', command: 'sleep 100' });
    const two = { sessionId: 's', terminalId: spin.result.terminalId };
    const waiting = ask('terminal/wait_for_exit', two);
    await terminals.handleMessage({ jsonrpc: '2.0', method: '$/cancel_request', params: { requestId: `r${id}` } });
    const cancelled = await waiting;
    await ask('terminal/kill', two);
    const killed = await ask('terminal/wait_for_exit', two);
    return {
      made, exit, output, released, after, session: t.session, same: t.id === one.terminalId, text: await t.text(), other: text,
      bad: JSON.parse(bad), long, cancelled, killed,
    };
  });
  assert.equal(result.made.id, 'r1');
  assert.deepEqual(result.exit.result, { exitCode: 7, signal: null });
  assert.equal(result.output.result.output, 'out\n');
  assert.deepEqual(result.released.result, {});
  assert.deepEqual([result.after.error.code, result.after.error.data.reason], [-32602, 'released']);
  assert.deepEqual([result.session, result.same, result.text.output], ['s', true, 'out\n']);
  assert.equal(result.other.error.code, -32601);
  assert.equal(result.bad.error.code, -32700);
  assert.equal(result.long.error.code, -32601);
  assert.equal(result.cancelled.error.code, -32800);
  assert.ok(result.killed.result.signal);
});

test('the first views of a sandbox are like the others', limit, async () => {
  const shown = await page.evaluate(async () => {
    const own = await terrarium.createTerminals({ commands: await plugins() });
    const t = await own.create({ command: 'echo', args: ['hello'] });
    await t.exited;
    const views = Array.from({ length: 5 }, () => new Screen(t));
    await Promise.all(views.map((v) => v.shows((s) => s.ended || s.text.includes('hello'))));
    await own.close();
    return views.map((v) => v.text.includes('hello'));
  });
  assert.deepEqual(shown, [true, true, true, true, true]);
});

test('a view that is behind gets a snapshot, and holds up nobody', limit, async () => {
  const result = await page.evaluate(async () => {
    const t = await terminals.create({ command: 'seq 1 400000', interactive: false });
    let open;
    const closed = new Promise((resolve) => (open = resolve));
    const screen = new Screen(t, () => closed); // it draws nothing until the command has ended
    const exit = await t.exited;
    open();
    await screen.shows((s) => s.text.includes('400000'));
    return { exit, snapshots: screen.snapshots, bytes: t.status.bytes, truncated: t.status.truncated, length: screen.text.length };
  });
  assert.equal(result.exit.exitCode, 0);
  assert.equal(result.snapshots, 2);
  assert.ok(result.bytes > 2_500_000 && result.truncated);
  assert.ok(result.length < 100_000, `${result.length} characters were shown`);
});

test('git, which the shell starts', limit, async () => {
  const { output, exitCode } = await run(
    'mkdir repo && cd repo && git init -q . && echo x > f && git add f && git -c user.name=a -c user.email=a@b commit -q -m message && git log --format=%s',
  );
  assert.deepEqual([output, exitCode], ['message\n', 0]);
});
