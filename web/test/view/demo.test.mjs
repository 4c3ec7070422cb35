// The demo page, with a stand-in for the sandbox: what the page does of its own.

import { after, before, beforeEach, test } from 'node:test';
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';

import { axe, launch, serve, watchErrors } from './serve.mjs';

let server, chromium, page, errors;

/** What terrarium web serves the page with. */
async function policy() {
  const html = await readFile(new URL('../../demo/index.html', import.meta.url), 'utf8');
  const [, map] = html.match(/<script type="importmap">([^]*?)<\/script>/);
  const sum = createHash('sha256').update(map).digest('base64');
  return [
    "default-src 'none'", `script-src 'self' 'wasm-unsafe-eval' 'sha256-${sum}'`, "worker-src 'self'", "connect-src 'self'",
    "style-src 'self' 'unsafe-inline'", "img-src 'self' data:", "font-src 'self'", "base-uri 'none'", "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

before(async () => {
  server = await serve({
    headers: { 'content-security-policy': await policy() },
    instead: { '/dist/index.js': '/test/view/fake.mjs', '/plugins/index.json': { by: 'test', plugins: [] } },
  });
  chromium = await launch();
});

after(async () => {
  await chromium?.close();
  await server?.close();
});

beforeEach(async () => {
  await page?.close();
  page = await chromium.browser.newPage();
  errors = watchErrors(page);
  await page.goto(`${server.url}/demo/`);
  await page.waitForSelector('html[data-ready] .terrarium');
});

test('the agent does its job: asked before each step, seen live, and kept', async () => {
  await page.getByRole('button', { name: 'Run the agent' }).click();
  // grep, git init, edit, test, edit, test, commit
  const asked = [];
  for (let i = 0; i < 7; i++) {
    const question = page.getByRole('group', { name: /^The agent asks/ });
    await question.waitFor();
    asked.push(await question.locator('pre').innerText());
    await question.getByRole('button', { name: 'Allow', exact: true }).click();
  }
  await page.getByText('Done: greet.sh can shout').waitFor();
  assert.equal(asked[0], "grep -rn Hello --include=*.sh .".replace('--include=*.sh', "'--include=*.sh'"));
  const card = page.getByRole('group', { name: 'Run the test again', exact: true });
  await card.getByText('exited 0').first().waitFor();
  assert.match(await card.locator('.terrarium').getAttribute('aria-label'), /sh test\.sh, exited 0$/);
  assert.equal(await page.getByRole('tab').count(), 6); // and the shell
  assert.match(await page.locator('.cm-content').innerText(), /--shout/); // the editor follows
  assert.deepEqual(errors, []);
});

test('what is denied is not done, and the agent is told', async () => {
  await page.getByRole('button', { name: 'Run the agent' }).click();
  await page.getByRole('button', { name: 'Deny' }).click();
  await page.getByText('I stop here: the person said no.').waitFor();
  await page.getByRole('button', { name: 'Run the agent' }).waitFor();
  assert.deepEqual(errors, []);
});

test('what is typed into the editor is saved', async () => {
  await page.getByRole('button', { name: 'README.md' }).click();
  const editor = page.getByRole('textbox', { name: 'Text of the file' });
  await editor.click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type('more');
  await page.locator('#editor-state').getByText('saved').waitFor();
  await page.getByRole('button', { name: 'greet.sh' }).click();
  await page.getByRole('button', { name: 'README.md' }).click();
  await editor.getByText('more').waitFor();
  assert.deepEqual(errors, []);
});

test('tabs by keyboard; an infinite loop that is stopped', async () => {
  await page.getByRole('button', { name: 'Infinite loop' }).click();
  const loop = page.getByRole('tab', { name: 'infinite loop, running' });
  await loop.waitFor();
  await loop.focus();
  await page.keyboard.press('ArrowLeft');
  assert.equal(await page.getByRole('tab', { name: /^shell/ }).getAttribute('aria-selected'), 'true');
  await page.keyboard.press('ArrowRight');
  await page.getByRole('tabpanel').getByRole('button', { name: 'Stop' }).click();
  await page.getByRole('tab', { name: 'infinite loop, killed' }).waitFor();
  await page.getByRole('button', { name: 'Close ended' }).click();
  assert.equal(await page.getByRole('tab').count(), 1);
  assert.deepEqual(errors, []);
});

test('a flood: the page draws on, and the end is there', async () => {
  await page.getByRole('button', { name: '64 MB flood' }).click();
  await page.getByRole('tab', { name: '64 MB flood, exited 0' }).waitFor({ timeout: 30000 });
  await page.getByRole('button', { name: 'Text' }).click();
  await page.waitForFunction(() => document.querySelector('.terrarium-text').textContent.endsWith('That were 64 MB.\n'));
  assert.deepEqual(errors, []);
});

for (const colorScheme of ['light', 'dark']) {
  for (const width of [360, 1600]) {
    test(`axe-core finds nothing, and nothing is cut off: ${colorScheme}, ${width} wide`, async () => {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      await page.getByRole('button', { name: 'Run the agent' }).click();
      const question = page.getByRole('group', { name: /^The agent asks/ });
      for (let i = 0; i < 4; i++) await question.getByRole('button', { name: 'Allow', exact: true }).click();
      await question.waitFor();
      await page.getByRole('group', { name: 'Run the test', exact: true }).getByText('exited 1').first().waitFor();
      assert.deepEqual(await axe(page), []);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'it scrolls sideways');
      if (process.env.TERRARIUM_SHOTS) {
        await page.screenshot({ path: `${process.env.TERRARIUM_SHOTS}/demo-${colorScheme}-${width}.png`, fullPage: true });
      }
      assert.deepEqual(errors, []);
    });
  }
}
