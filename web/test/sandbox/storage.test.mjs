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
