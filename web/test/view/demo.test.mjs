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
  await page.getByRole('treeitem', { name: 'README.md' }).click();
  const editor = page.getByRole('textbox', { name: 'Text of the file' });
  await editor.click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type('more');
  await page.locator('#editor-state').getByText('saved').waitFor();
  await page.getByRole('treeitem', { name: 'greet.sh' }).click();
  await page.getByRole('treeitem', { name: 'README.md' }).click();
  await editor.getByText('more').waitFor();
  assert.deepEqual(errors, []);
});

test('what is typed is saved when the person turns elsewhere, and before a command starts', async () => {
  const editor = page.getByRole('textbox', { name: 'Text of the file' });
  // Only so late by itself: what saves here is something else.
  await page.clock.install();
  const writes = () => page.evaluate(() => terminals.files.text('/work/project/greet.sh'));
  const type = async (text) => {
    await editor.focus();
    await page.keyboard.press('Control+Home');
    await page.keyboard.type(text);
  };
  await type('a');
  assert.doesNotMatch(await writes(), /^a/);
  await page.keyboard.press('Tab');
  assert.match(await writes(), /^a/);
  await type('b');
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })));
  assert.match(await writes(), /^ba/);
  await page.getByRole('button', { name: 'Run the agent' }).click();
  await page.getByRole('group', { name: /^The agent asks/ }).waitFor();
  await type('c');
  // The focus stays.
  await page.evaluate(() => document.querySelector('.permission button').click());
  await page.getByText('grep').first().waitFor();
  assert.match(await writes(), /^cba/);
  assert.deepEqual(errors, []);
});

test('files by keyboard only: made, renamed, deleted', async () => {
  const tree = page.getByRole('tree', { name: 'Files' });
  const dialog = page.getByRole('dialog');
  const editor = page.getByRole('textbox', { name: 'Text of the file' });
  const press = async (...keys) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const focused = (name) => tree.getByRole('treeitem', { name, exact: true }).and(page.locator(':focus')).waitFor();
  await page.getByRole('button', { name: 'New folder' }).focus();
  await press('Enter');
  await dialog.getByText('New folder in /work/project').waitFor();
  await page.keyboard.type('a/b');
  await press('Enter');
  await dialog.getByRole('alert').getByText('no / in it').waitFor();
  await press('ControlOrMeta+a');
  await page.keyboard.type('src');
  await press('Enter');
  await focused('src');
  // Past Start over, Delete, Rename, New folder, New file.
  for (let i = 0; i < 5; i++) await press('Shift+Tab');
  await press('Enter');
  await dialog.getByText('New file in /work/project/src').waitFor();
  await page.keyboard.type('one.txt');
  await press('Enter');
  await editor.and(page.locator(':focus')).waitFor();
  await page.keyboard.type('first');
  await press('Shift+Tab');
  await focused('one.txt');
  await press('F2');
  await page.keyboard.type('two'); // but for the ending
  await press('Enter');
  await focused('two.txt');
  await page.locator('#editor-name').getByText('/work/project/src/two.txt').waitFor();
  assert.equal(await editor.innerText(), 'first');
  await press('F2', 'Escape');
  await focused('two.txt');
  assert.deepEqual(await axe(page), []);

  await press('Delete');
  await dialog.getByText('Delete /work/project/src/two.txt?').waitFor();
  assert.deepEqual(await axe(page), []);
  await press('Enter'); // which is Cancel
  await focused('two.txt');
  await press('Delete', 'Shift+Tab', 'Enter');
  await focused('src');
  // What the editor shows is said to be there alone, and can be written again.
  await page.getByText('removed: only here').waitFor();
  assert.equal(await editor.innerText(), 'first');
  await page.getByRole('button', { name: 'Write it again' }).click();
  await tree.getByRole('treeitem', { name: 'two.txt' }).waitFor();
  await page.locator('#editor-state').getByText('saved').waitFor();

  await tree.getByRole('treeitem', { name: 'src' }).focus();
  await press('ArrowLeft');
  await tree.getByRole('treeitem', { name: 'two.txt' }).waitFor({ state: 'detached' });
  await press('ArrowRight');
  await tree.getByRole('treeitem', { name: 'two.txt' }).waitFor();
  await press('ArrowRight');
  await focused('two.txt');
  await press('ArrowLeft', 'End');
  await focused('test.sh');
  await press('r');
  await focused('README.md');
  await press('Enter');
  await page.locator('#editor-name').getByText('/work/project/README.md').waitFor();
  await press('Home');
  await focused('/work/project');
  assert.ok(await page.getByRole('button', { name: 'Delete' }).isDisabled());
  assert.deepEqual(errors, []);
});

test('a name hides nothing, and ends with itself; lines end as they did', async () => {
  await page.evaluate(async () => {
    await terminals.files.writeFile('/work/project/exe.\u202etxt\u0007', 'one\r\ntwo\r\n');
    await terminals.files.writeFile('/work/project/\u05d0\u05d1', '');
  });
  const item = page.getByRole('treeitem', { name: 'exe.\\u{202e}txt\\u{7}' });
  await item.click();
  await page.locator('#editor-name').getByText('/work/project/exe.\\u{202e}txt\\u{7}').waitFor();
  assert.equal(await page.getByRole('treeitem', { name: '\u05d0\u05d1' }).locator('bdi').count(), 1);
  await page.getByRole('textbox', { name: 'Text of the file' }).click();
  await page.keyboard.press('Control+Home');
  await page.keyboard.type('#');
  await page.locator('#editor-state').getByText('saved').waitFor();
  assert.equal(await page.evaluate(() => terminals.files.text('/work/project/exe.\u202etxt\u0007')), '#one\r\ntwo\r\n');
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
  await page.getByRole('tab', { name: '64 MB flood, exited 0' }).waitFor();
  await page.getByRole('button', { name: 'Text' }).click();
  await page.waitForFunction(() => document.querySelector('.terrarium-text').textContent.endsWith('That were 64 MB.\n'));
  assert.deepEqual(errors, []);
});

for (const width of [360, 1600]) {
  test(`axe-core finds nothing, and nothing is cut off: ${width} wide`, async () => {
    await page.setViewportSize({ width, height: 900 });
    await page.getByRole('button', { name: 'Run the agent' }).click();
    const question = page.getByRole('group', { name: /^The agent asks/ });
    for (let i = 0; i < 4; i++) await question.getByRole('button', { name: 'Allow', exact: true }).click();
    await question.waitFor();
    await page.getByRole('group', { name: 'Run the test', exact: true }).getByText('exited 1').first().waitFor();
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme });
      assert.deepEqual(await axe(page), [], colorScheme);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'it scrolls sideways');
      if (process.env.TERRARIUM_SHOTS) {
        await page.screenshot({ path: `${process.env.TERRARIUM_SHOTS}/demo-${colorScheme}-${width}.png`, fullPage: true });
      }
    }
    assert.deepEqual(errors, []);
  });
}
