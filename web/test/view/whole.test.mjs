// The demo page with the sandbox itself. It needs what make build makes.

import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';

import { launch, serve, watchErrors } from './serve.mjs';

const built = ['dist/sandbox.wasm.gz', 'dist/wasm_exec.js', 'plugins/index.json'].every((f) => existsSync(new URL(`../../${f}`, import.meta.url)));
const skip = built ? false : 'needs the sandbox: run make build';

let server, chromium, page, errors;

before(async () => {
  if (skip) return;
  server = await serve();
  chromium = await launch();
  page = await chromium.browser.newPage();
  errors = watchErrors(page);
  await page.goto(`${server.url}/demo/`);
  await page.waitForSelector('html[data-ready] .terrarium');
});

after(async () => {
  await chromium?.close();
  await server?.close();
});

/** What the selected terminal shows, as text. */
async function textOf() {
  const button = page.getByRole('tabpanel').getByRole('button', { name: 'Text' });
  await button.click();
  const text = await page.getByRole('tabpanel').locator('.terrarium-text').innerText();
  await button.click();
  return text;
}

test('a shell of one\'s own', { skip }, async () => {
  await page.getByRole('tab', { name: 'shell, running' }).waitFor();
  const input = page.getByRole('tabpanel').locator('.xterm-helper-textarea');
  await input.focus();
  await page.keyboard.type('echo $((6 * 7)) > answer && cat answer');
  await page.keyboard.press('Enter');
  // The tree follows.
  await page.getByRole('tree', { name: 'Files' }).getByRole('treeitem', { name: 'answer' }).waitFor();
  // It does so before cat has come to it, whose output what is typed now would be mixed with.
  while (!/^42$/m.test(await textOf()));
  await input.focus();
  await page.keyboard.type('rm answer');
  await page.keyboard.press('Enter');
  await page.getByRole('tree', { name: 'Files' }).getByRole('treeitem', { name: 'answer' }).waitFor({ state: 'detached' });
  assert.match(await textOf(), /^42$/m);
});

test('the agent greps, edits, tests, fixes and commits', { skip }, async () => {
  await page.getByRole('button', { name: 'Run the agent' }).click();
  for (let i = 0; i < 7; i++) {
    const question = page.getByRole('group', { name: /^The agent asks/ });
    await question.getByRole('button', { name: 'Allow', exact: true }).click();
  }
  await page.getByText('Done: greet.sh can shout').waitFor();
  const cards = await page.locator('#log .card').evaluateAll((all) => all.map((c) => `${c.getAttribute('aria-label')}: ${c.dataset.status}`));
  assert.deepEqual(cards, [
    'Look for the greeting: completed', 'Make sure that there is a repository: completed', 'Add --shout: completed',
    'Run the test: failed', 'End what is shouted with "!": completed', 'Run the test again: completed', 'Commit: completed',
  ]);
  // Released long ago, and still there, each line at the left.
  const test = page.getByRole('group', { name: 'Run the test again', exact: true });
  await test.getByRole('button', { name: 'Text' }).click();
  assert.match(await test.locator('.terrarium-text').innerText(), /^ {2}ok {4}greet --shout Ada\n {2}ok {4}greet --shout\nall is well\n$/m);
});

test('an infinite loop is stopped, a fork bomb finds its limit, and the page goes on', { skip }, async () => {
  await page.getByRole('button', { name: 'Infinite loop' }).click();
  await page.getByRole('tab', { name: 'infinite loop, running' }).waitFor();
  await page.getByRole('tabpanel').getByRole('button', { name: 'Stop' }).click();
  await page.getByRole('tab', { name: 'infinite loop, killed' }).waitFor();
  await page.getByRole('button', { name: 'Fork bomb' }).click();
  await page.getByRole('tab', { name: 'fork bomb, running' }).waitFor();
  await page.getByRole('tabpanel').getByRole('button', { name: 'Text' }).click();
  await page.getByRole('tabpanel').locator('.terrarium-text', { hasText: /Resource temporarily unavailable|Too many open files/ }).waitFor();
  await page.getByRole('button', { name: 'Stop all' }).click(); // and the shell
  await page.getByRole('tab', { name: 'fork bomb, killed' }).waitFor();
  await page.getByRole('tab', { name: /^shell, (exited|killed)/ }).waitFor();
  await page.getByRole('button', { name: 'Close ended' }).click();
  await page.getByRole('button', { name: 'New shell' }).click();
  await page.getByRole('tab', { name: 'shell, running' }).click();
  await page.getByRole('tabpanel').locator('.xterm-helper-textarea').focus();
  await page.keyboard.type('echo still "$((1 + 1))"');
  await page.keyboard.press('Enter');
  await page.getByRole('tabpanel').getByRole('button', { name: 'Text' }).click();
  await page.waitForFunction(() => /^still 2$/m.test(document.querySelector('#panels > div:not([hidden]) .terrarium-text').textContent));
});

test('a flood of 64 MB: the page draws on, and the last line is there', { skip }, async () => {
  const frames = page.evaluate(async () => {
    let frames = 0;
    const began = performance.now();
    const done = () => document.querySelector('[role=tab][aria-label^="64 MB flood, exited"]');
    while (!done()) {
      await new Promise(requestAnimationFrame);
      frames++;
    }
    return { frames, seconds: (performance.now() - began) / 1000 };
  });
  await page.getByRole('button', { name: '64 MB flood' }).click();
  const { frames: drawn, seconds } = await frames;
  console.log(`# ${(drawn / seconds).toFixed(0)} frames/s in a flood of ${seconds.toFixed(1)} s`);
  if (process.env.TERRARIUM_LONG) assert.ok(drawn / seconds >= 30, 'fewer than 30 frames in a second');
  await page.getByRole('tabpanel').getByRole('button', { name: 'Text' }).click();
  await page.waitForFunction(() => document.querySelector('#panels > div:not([hidden]) .terrarium-text').textContent.endsWith('That were 64 MB.\n'));
  assert.deepEqual(errors, []);
});

test('files outlive a reload, a second tab says that it has its own, and what the page began with comes back', { skip }, async () => {
  const tree = page.getByRole('tree', { name: 'Files' });
  await page.getByRole('button', { name: 'New shell' }).click();
  // Otherwise the last tab gets the keys.
  await page.getByRole('tab', { name: 'shell, running', selected: true }).waitFor();
  await page.getByRole('tabpanel').locator('.xterm-helper-textarea').focus();
  await page.keyboard.type('rm README.md && echo mine > kept');
  await page.keyboard.press('Enter');
  await tree.getByRole('treeitem', { name: 'kept' }).waitFor();
  await page.evaluate(async () => { // it is written soon after
    const kept = async () => {
      let dir = await navigator.storage.getDirectory();
      for (const name of ['terrarium', 'demo', 'files', 'work', 'project']) dir = await dir.getDirectoryHandle(name);
      return (await (await dir.getFileHandle('kept')).getFile()).text();
    };
    while ((await kept().catch(() => '')) !== 'mine\n') await new Promise(requestAnimationFrame);
  });
  await page.reload();
  await page.waitForSelector('html[data-ready] .terrarium');
  await tree.getByRole('treeitem', { name: 'kept' }).waitFor();
  assert.equal(await tree.getByRole('treeitem', { name: 'README.md' }).count(), 0);
  assert.equal(await page.locator('#kept').innerText(), '');

  const second = await chromium.browser.newPage();
  await second.goto(page.url());
  await second.waitForSelector('html[data-ready] .terrarium');
  assert.match(await second.locator('#kept').innerText(), /^Another tab has the files.*not be kept/);
  await second.getByRole('treeitem', { name: 'README.md' }).waitFor();
  await second.close();

  await page.getByRole('button', { name: 'Start over' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Start over' }).click();
  await tree.getByRole('treeitem', { name: 'kept' }).waitFor({ state: 'detached' });
  await tree.getByRole('treeitem', { name: 'README.md' }).waitFor();
});

test('views that nobody sees give up their xterm.js, and come back with what was written meanwhile', { skip }, async () => {
  await page.evaluate(async () => {
    const { createTerminals } = await import('@terrarium/web');
    const { mount } = await import('@terrarium/web/xterm');
    const { plugins } = await import('/plugins/index.js');
    const place = document.createElement('div');
    place.style = 'position: fixed; inset: 0; overflow: auto; z-index: 1';
    document.body.append(place);
    window.others = await createTerminals({ commands: plugins });
    window.cards = await Promise.all(Array.from({ length: 24 }, async (_, i) => {
      const terminal = await others.create({ command: 'sh', args: ['-c', `printf "\\033[1mthis is ${i}\\033[m\\n"; cat; seq 3`], rows: 10, cols: 60 });
      return { terminal, view: mount(terminal, place) };
    }));
    window.drawn = (i) => cards[i].view.element.querySelector('.xterm') !== null;
  });
  const visit = (i, text) => page.evaluate((i) => cards[i].view.element.scrollIntoView({ block: 'center' }), i)
    .then(() => page.waitForFunction(([i, text]) => drawn(i) && cards[i].view.text() === text, [i, text]));
  for (const i of [0, 1, 8, 16, 23]) await visit(i, `this is ${i}\n`);
  await page.waitForFunction(() => !drawn(0) && !drawn(1));
  assert.equal(await page.evaluate(() => cards[0].view.text()), 'this is 0\n');

  // One goes on unseen, and one ends and is released.
  await page.evaluate(async () => {
    await cards[0].terminal.write('unseen\r');
    await cards[1].terminal.write('last\r\x04');
    await cards[1].terminal.exited;
    await cards[1].terminal.release();
    while (!/unseen\r?\nunseen/.test((await cards[0].terminal.text()).output));
  });
  assert.deepEqual(await page.evaluate(() => [drawn(0), cards[0].view.text()]), [false, 'this is 0\n']);
  await visit(1, 'this is 1\nlast\nlast\n1\n2\n3\n');
  await visit(0, 'this is 0\nunseen\nunseen\n');
  await page.evaluate(() => {
    cards[0].view.takeOver(true);
    cards[0].view.focus();
  });
  await page.keyboard.type('seen');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => cards[0].view.text() === 'this is 0\nunseen\nunseen\nseen\nseen\n');
  assert.equal(await page.evaluate(() => cards[0].view.element.querySelectorAll('.xterm').length), 1);
  assert.ok(await page.evaluate(() => cards.filter((_, i) => drawn(i)).length) < 24);
  await page.evaluate(() => others.close());
  assert.deepEqual(errors, []);
});

test('Go traps: each terminal says so, the report can be copied, and all begins anew', { skip }, async () => {
  await chromium.browser.grantPermissions(['clipboard-read', 'clipboard-write']);
  const code = `
    const { instantiate } = WebAssembly;
    WebAssembly.instantiate = async (...args) => {
      const { exports } = await instantiate(...args);
      const kill = () => {
        fs.writeSync(2, new TextEncoder().encode('panic: as if'));
        throw new WebAssembly.RuntimeError('unreachable');
      };
      return Object.create(WebAssembly.Instance.prototype, { exports: { value: { ...exports, kill } } });
    };`;
  await page.route('**/dist/worker.js', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: code + (await response.text()) });
  }, { times: 1 });
  await page.reload();
  await page.getByRole('tab', { name: 'shell, running' }).waitFor();
  await page.getByRole('tabpanel').getByRole('button', { name: 'Stop' }).click();
  const trouble = page.locator('#trouble');
  await trouble.getByText('The sandbox has died.').waitFor();
  await page.getByRole('tab', { name: 'shell, killed' }).waitFor();
  await page.getByRole('tabpanel').getByText('stopped with the sandbox').first().waitFor();
  await trouble.getByRole('button', { name: 'Copy report' }).click();
  await trouble.getByText('copied').waitFor();
  assert.match(await page.evaluate(() => navigator.clipboard.readText()), /unreachable\n.*Chrome[^]*panic: as if[^]*RuntimeError/);
  await trouble.getByRole('button', { name: 'Start it again' }).click();
  await page.locator('#state').getByText('ready').waitFor();
  await page.getByRole('button', { name: 'New shell' }).click();
  await page.getByRole('tab', { name: 'shell, running' }).waitFor();
});
