// The examples, with the package as npm would install it, in Chromium.

import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { join, relative } from 'node:path';

import { build, createServer, preview } from 'vite';
import { hung, launch, serve, watchErrors } from '../view/serve.mjs';
import { unbuilt, unpacked, web } from './setup.mjs';

const limit = { skip: unbuilt, timeout: hung };
let packed, chromium;

before(async () => {
  if (unbuilt) return;
  [packed, chromium] = await Promise.all([unpacked(), launch()]);
});
after(async () => {
  await chromium?.close();
  await packed?.remove();
});

/** Opens a page, and waits for its shell. */
async function open(url) {
  const page = await chromium.browser.newPage();
  const errors = watchErrors(page);
  await page.goto(url);
  const rows = page.locator('.xterm-rows');
  await rows.getByText('$').waitFor();
  return { page, errors, rows };
}

/** What the examples with one shell do. */
async function shell(url) {
  const { page, errors, rows } = await open(url);
  await page.keyboard.type('cat hello.txt | tr a-z A-Z\n');
  await rows.getByText('HELLO FROM A PAGE').waitFor();
  assert.deepEqual(errors, []);
  await page.close();
}

/** Serves an example, built, by `vite preview`, and as it is by `vite` if dev says so. */
async function both(example, visit, dev = true) {
  const root = join(packed.dir, 'examples', example);
  const quiet = { root, logLevel: 'warn', build: { chunkSizeWarningLimit: Infinity } };
  const port = { host: '127.0.0.1', port: 0 };
  const through = async (server) => {
    try {
      await visit(server.resolvedUrls.local[0]);
    } finally {
      await server.close();
    }
  };
  // Other packages are installed once for all examples, above them.
  if (dev) {
    const server = await createServer({ ...quiet, server: { ...port, fs: { allow: [web] } } });
    await through(await server.listen());
  }
  await build(quiet);
  await through(await preview({ ...quiet, preview: port }));
}

test('a page without a build step', limit, async () => {
  const at = `/${relative(web, packed.dir)}`;
  const server = await serve({ elsewhere: { '/node_modules/@terrarium/': `${at}/node_modules/@terrarium/` } });
  try {
    await shell(`${server.url}${at}/examples/plain/index.html`);
  } finally {
    await server.close();
  }
});

test('Vite', limit, () => both('vite', shell));

// It is served unbuilt in the long tests only: for that, Vite prepares each of Monaco's modules.
// The test "Vite" serves our package unbuilt in any case.
test('Monaco: its files are those of the commands', limit, () =>
  both('monaco', async (url) => {
    const { page, errors, rows } = await open(url);
    const editor = page.locator('.view-lines');
    await editor.getByText('echo "hello, $1"').click();
    await page.keyboard.press('Control+Home');
    await page.keyboard.type('echo typed\n');
    await page.locator('.xterm-helper-textarea').focus();
    await page.keyboard.type('sh hello.sh you; sed -i s/hello/bye/ hello.sh; cp hello.sh other.sh\n');
    await rows.getByText('hello, you').waitFor();
    assert.match(await rows.innerText(), /^typed$/m);
    await editor.getByText('echo "bye, $1"').waitFor();
    await page.getByLabel('File').selectOption('other.sh');
    await editor.getByText('echo "bye, $1"').waitFor();
    assert.deepEqual(errors, []);
    await page.close();
  }, process.env.TERRARIUM_LONG));
