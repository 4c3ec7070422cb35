// Files that are kept in the browser.

import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';

import { launch, serve, watchErrors } from '../view/serve.mjs';

let server, chromium;

before(async () => {
  server = await serve();
  chromium = await launch();
});

after(async () => {
  await chromium?.close();
  await server?.close();
});

const limit = { timeout: 60_000 };

async function open() {
  const page = await chromium.browser.newPage();
  const errors = watchErrors(page);
  await page.goto(`${server.url}/test/sandbox/page.html`);
  await page.waitForFunction('window.ready');
  return { page, errors };
}

test('files survive a reload, and one tab at a time has them', limit, async () => {
  const { page, errors } = await open();
  const options = { storage: 'kept', files: { '/work/a': 'first', '/work/gone': 'x', '/work/dir/b': 'b' } };
  await page.evaluate(async (options) => {
    await make(options);
    await run('echo second > a; rm gone; mkdir -p deep/er; echo "echo run" > deep/er/script; chmod 755 deep/er/script; mv dir moved; echo f > file');
    await run('rm file; mkdir file; echo in > file/x');
    await terminals.close();
  }, options);
  await page.reload();
  await page.waitForFunction('window.ready');
  const read = (options) => make(options).then(() => run('cat a moved/b file/x; ls; sh deep/er/script; stat -c %a deep/er/script a'));
  await page.evaluate((read) => (window.read = eval(read)), String(read));
  const { output } = await page.evaluate((options) => read(options), options);
  assert.equal(output, 'second\nbin\na\ndeep\nfile\nmoved\nrun\n755\n644\n');

  // Another tab is told so, and has its turn when this one has gone.
  const other = await open();
  const refused = await other.page.evaluate((options) => refusal(make(options)), options);
  assert.equal(refused.reason, 'storage_locked');
  await page.evaluate(() => run('echo without a close > late'));
  await page.evaluate(async () => {
    const top = await navigator.storage.getDirectory();
    const find = async (...path) => {
      let dir = top;
      for (const name of path.slice(0, -1)) dir = await dir.getDirectoryHandle(name);
      return (await (await dir.getFileHandle(path.at(-1))).getFile()).text();
    };
    while ((await find('terrarium', 'kept', 'files', 'work', 'late').catch(() => '')) !== 'without a close\n');
  });
  await page.close();
  const late = await other.page.evaluate(async (options) => {
    for (;;) {
      const e = await refusal(make(options));
      if (!e) return (await run('cat late')).output;
      if (e.reason !== 'storage_locked') throw new Error(e.message);
    }
  }, options);
  assert.equal(late, 'without a close\n');
  assert.deepEqual([...errors, ...other.errors], []);
});

test('what can not be kept is told, and commands go on', limit, async () => {
  const { page } = await open();
  const result = await page.evaluate(async () => {
    const bad = await refusal(make({ storage: 'a/b' }));
    await make({ storage: 'full' });
    await terminals.close();
    await make({ storage: 'full' }); // now nothing is left to be written
    const told = until((f) => terminals.on('storage', f), () => true);
    const top = await navigator.storage.getDirectory();
    const dir = await (await (await top.getDirectoryHandle('terrarium')).getDirectoryHandle('full')).getDirectoryHandle('files');
    const at = await (await dir.getDirectoryHandle('work', { create: true })).getFileHandle('locked', { create: true });
    const taken = new Worker(URL.createObjectURL(new Blob([`onmessage = async (e) => { self.h = await e.data.createSyncAccessHandle(); postMessage(1); }`])));
    await new Promise((resolve) => {
      taken.onmessage = resolve;
      taken.postMessage(at);
    });
    const { output } = await run('echo text > locked; cat locked');
    const [error] = await told;
    taken.terminate();
    return { bad, output, error: { reason: error.reason, message: error.message } };
  });
  assert.equal(result.bad.reason, 'value');
  assert.equal(result.output, 'text\n');
  assert.equal(result.error.reason, 'no_storage');
});

test('no room in the browser: what there is stays, the rest is told and kept when there is room', limit, async () => {
  const { page } = await open();
  const cdp = await page.context().newCDPSession(page);
  const quota = (quotaSize) => cdp.send('Storage.overrideQuotaForOrigin', { origin: server.url, ...(quotaSize && { quotaSize }) });
  await page.evaluate(async () => {
    await make({ storage: 'quota', files: { '/work/before': 'before', '/work/rewritten': 'old' } });
    await terminals.close();
    await make({ storage: 'quota' });
  });
  const { usage } = await page.evaluate(() => navigator.storage.estimate());
  await quota(usage + 100_000);
  const full = await page.evaluate(async () => {
    const other = await terminals.create({ command: 'cat', pty: false });
    const screen = new Screen(other);
    const told = until((f) => terminals.on('storage', f), () => true);
    const { output } = await run('head -c 1000000 /dev/zero | tee big > rewritten; echo small > small; wc -c < big');
    const [error] = await told;
    await other.write('unharmed\n');
    await screen.shows((s) => s.text.includes('unharmed'));
    return { output, error: { reason: error.reason, message: error.message }, state: terminals.state };
  });
  assert.equal(full.output, '1000000\n');
  assert.deepEqual([full.error.reason, full.state], ['no_space', 'ready']);
  assert.match(full.error.message, /\/work\/big.*no room/);
  // Another tab would find what was kept before, what there was room for, and that there was a file.
  const kept = () => page.evaluate(async () => {
    const top = await navigator.storage.getDirectory();
    let dir = top;
    for (const name of ['terrarium', 'quota', 'files', 'work']) dir = await dir.getDirectoryHandle(name);
    const sizes = {};
    for await (const [name, handle] of dir.entries()) {
      if (!name.endsWith('.crswap')) sizes[name] = (await handle.getFile()).size; // Chromium's, while it writes
    }
    return sizes;
  });
  while ((await kept()).small !== 6);
  assert.deepEqual(await kept(), { before: 6, big: 0, rewritten: 3, small: 6 });
  await quota();
  await page.evaluate(async () => {
    await run('echo more > more');
    await terminals.close();
  });
  assert.deepEqual(await kept(), { before: 6, big: 1_000_000, more: 5, rewritten: 1_000_000, small: 6 });
});
