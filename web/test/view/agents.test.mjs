// Terminals of an agent on ACP's SDK, which runs commands and reports them, as a page shows them in
// the tool calls that embed them.

import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { SessionUpdate } from '@agentclientprotocol/sdk/experimental/v2';
import { clientCapabilities, createDisplay } from '../../dist/display.js';
import { connect } from './agent.mjs';
import { hung, launch, serve, watchErrors } from './serve.mjs';

const limit = { timeout: hung };
const wasm = await WebAssembly.compile(await readFile(new URL('../../dist/core.wasm', import.meta.url)));
let server, chromium, dir;

before(async () => {
  dir = mkdtempSync(join(tmpdir(), 'terrarium-agent-'));
  server = await serve();
  chromium = await launch();
});

after(async () => {
  await chromium?.close();
  await server?.close();
  rmSync(dir, { recursive: true });
});

/**
 * open returns a page that shows what tool calls embed, each in a view of its own, and the agent
 * that makes them.
 */
async function open(t, version) {
  const page = await chromium.browser.newPage();
  const errors = watchErrors(page);
  await page.goto(`${server.url}/test/view/page.html`);
  await page.waitForFunction('window.ready');
  await page.evaluate(() => {
    window.views = {};
    const wanted = []; // a call may embed a terminal that is told of later
    display.on('open', (terminal) => {
      for (const show of wanted.splice(0)) show(terminal.id);
    });
    window.take = (params) => {
      display.update(params);
      const { toolCallId, content } = params.update;
      for (const { terminalId } of content ?? []) {
        const embed = () => {
          const terminal = display.get(params.sessionId, terminalId);
          if (!terminal) return wanted.push(embed);
          views[toolCallId] = show({ terminal }, {}, document.querySelector('#place').appendChild(document.createElement('div')));
        };
        embed();
      }
    };
  });
  const agent = await connect(version, (params) => page.evaluate((params) => take(params), params));
  t.after(() => agent.close());
  /** Waits until the view of a call shows this. */
  const shows = (call, want) => page.waitForFunction(([call, want]) => window.views[call]?.text() === want, [call, want])
    .catch(async () => assert.equal(await page.evaluate((call) => window.views[call]?.text(), call), want));
  const status = (id) => page.evaluate((id) => display.get('s', id).status, id);
  return { page, agent, errors, shows, status };
}

for (const version of [1, 2]) {
  test(`version ${version}: a tool call shows its terminal live, after its exit, after release, and embedded again`, limit, async (t) => {
    const { page, agent, errors, shows, status } = await open(t, version);
    const pipe = join(dir, `pipe${version}`);
    execFileSync('mkfifo', [pipe]);
    const line = `echo one; read -r two <'${pipe}'; echo "$two"; exit 3`;
    const done = agent.prompt(`a: ${line}`);
    await shows('a', 'one\n');
    const { state, command, cwd } = await status('a');
    assert.deepEqual([state, command, cwd], ['running', line, process.cwd()]);

    await writeFile(pipe, '\x1b[1mtwo\x1b[m €\n');
    await done;
    const output = 'one\ntwo €\n';
    await shows('a', output);
    await page.getByRole('group', { name: `Terminal: ${line}, exited 3` }).waitFor();
    assert.deepEqual((await status('a')).exit, { exitCode: 3, signal: null });

    await page.evaluate(() => display.get('s', 'a').release());
    await agent.prompt('b: again a');
    await shows('b', output);
    await shows('a', output);
    await page.evaluate(() => views.a.dispose());
    await agent.prompt('c: again a');
    await shows('c', output);
    assert.deepEqual(errors, []);
  });
}

test('version 2: to kill a terminal asks its agent', limit, async (t) => {
  const display = await createDisplay({ wasm, cancel: (params) => agent.cancel(params) });
  const agent = await connect(2, (params) => display.update(params));
  t.after(() => agent.close());
  const written = new Promise((resolve) => display.on('change', (terminal) => terminal.status.bytes > 0 && resolve(terminal)));
  const done = agent.prompt('a: echo up; exec sleep 100');
  const terminal = await written;
  assert.equal(terminal.cancellable, true);
  await terminal.kill();
  await done;
  assert.deepEqual(await terminal.exited, { exitCode: null, signal: 'SIGTERM' });
  assert.equal(terminal.status.state, 'killed');
  assert.equal(terminal.cancellable, false);
  display.close();
});

// What Claude's agent makes of a command, by its own code.
const claude = process.env.TERRARIUM_CLAUDE_AGENT_ACP;
const its = (file) => import(pathToFileURL(join(claude, 'dist', file)));

for (const version of [1, 2]) {
  test(`version ${version}: the reports of claude-agent-acp`, { skip: claude ? false : 'TERRARIUM_CLAUDE_AGENT_ACP is not set' }, async () => {
    const { AcpToolCallRenderer } = await its('tool-calls/renderer.js');
    const { ClientCapabilities } = await its('tool-calls/client-capabilities.js');
    const { V2Terminals } = await its('v2/terminal.js');
    const { v2ToolCallUpdate } = await its('v2/tool-call.js');
    const display = await createDisplay({ wasm });
    const terminals = new V2Terminals();
    const renderer = new AcpToolCallRenderer(ClientCapabilities.from(version === 1 ? clientCapabilities : {}, { v2: version === 2 }));
    const tell = (report) => {
      if (version === 1) return display.update({ sessionId: 's', update: report });
      const { terminal, report: rest } = terminals.split('s', report);
      for (const update of [...terminal, ...(rest ? [v2ToolCallUpdate(rest)] : [])]) {
        assert.ok([SessionUpdate.isTerminalUpdate, SessionUpdate.isTerminalOutputChunk, SessionUpdate.isToolCallUpdate].some((is) => is(update)), JSON.stringify(update));
        display.update({ sessionId: 's', update });
      }
    };
    const run = (id, command, result) => {
      const use = { id, name: 'Bash', input: { command } };
      tell(renderer.toolCall({ ...use, input: {} }, { inputComplete: false }));
      tell(renderer.partialRefinement(use, use.input));
      tell(renderer.refinement(use));
      assert.equal(display.get('s', id).status.command, command);
      const { state } = display.get('s', id).status;
      for (const report of renderer.result(use, { tool_use_id: id, ...result })) tell(report);
      return { terminal: display.get('s', id), before: state };
    };
    const { terminal: good, before } = run('a', 'echo hi', { content: 'hi\nthere' });
    assert.equal(before, 'running');
    assert.equal((await good.text()).output, 'hi\nthere');
    assert.deepEqual([good.status.state, good.status.exit], ['exited', { exitCode: 0, signal: null }]);
    const { terminal: bad } = run('b', 'false', { content: 'Exit code 1\nno', is_error: true });
    assert.match((await bad.text()).output, /no$/);
    assert.equal(bad.status.state, 'exited');
    run('a', 'echo hi', { content: 'hi\nthere' }); // a session that is loaded again
    assert.equal((await display.get('s', 'a').text()).output, 'hi\nthere');
    assert.equal(display.list().length, 2);
    display.close();
  });
}
