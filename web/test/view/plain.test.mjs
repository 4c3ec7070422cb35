// The example of a page without a build step: an import map, and the package as it is installed.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { launch, serve, watchErrors } from './serve.mjs';

const built = ['dist/sandbox.wasm.gz', 'dist/index.js', 'plugins/index.json'].every((f) =>
  existsSync(new URL(`../../${f}`, import.meta.url)));

test('a shell in a plain page', { skip: !built && 'make build has not been run' }, async () => {
  const server = await serve();
  const { browser, close } = await launch();
  try {
    const page = await browser.newPage();
    const errors = watchErrors(page);
    await page.goto(server.url + '/examples/plain/index.html');
    const rows = page.locator('.xterm-rows');
    await rows.getByText('$').waitFor({ timeout: 60_000 });
    await page.keyboard.type('cat hello.txt | tr a-z A-Z\n');
    await rows.getByText('HELLO FROM A PAGE').waitFor({ timeout: 30_000 });
    assert.deepEqual(errors, []);
  } finally {
    await close();
    await server.close();
  }
});
