// Agents, editors and clients of others with our proxy and our tools, each as its maker has
// released it. "go run ./cmd/dev conformance" installs them and runs this; TERRARIUM_PEERS names
// where they are installed.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { agents, behind, modules, project, prompt, temporary, terrarium } from './agent.mjs';
import { edit, sdks, shown } from './editor.mjs';
import { serve } from './model.mjs';

const limit = { timeout: 600_000 };
const line = 'echo it ran; pwd';

/**
 * model starts a model that calls a tool: that of ours where it is offered and ours says so, else
 * the agent's own.
 */
async function model(t, agent, ours) {
  const started = await serve((tools) => {
    const tool = ours && tools.find((name) => name.endsWith('terminal_create'));
    return tool ? { name: tool, input: { command: line, wait_seconds: 60 } } : { name: agent.own, input: agent.shell(line) };
  });
  t.after(() => started.close());
  return started;
}

for (const [name, agent] of Object.entries(agents)) {
  test(`${name}: its own command is shown, by an editor that knows terminals in _meta, and by one that does not`, limit, async (t) => {
    const fake = await model(t, agent, false);
    const { events, written, exits, stderr } = await prompt(t, agent, fake.url, []);
    assert.ok(events.some((e) => e.stopReason === 'end_turn'), `${JSON.stringify(events)}\n${stderr}`);
    assert.match(written, /it ran\s+.*project/, JSON.stringify(events));
    assert.deepEqual(exits, [0], JSON.stringify(events));

    const place = project(t);
    const { argv, env } = agent.setUp(place.home, (await model(t, agent, false)).url);
    const plain = await edit(t, { argv: behind([], argv), cwd: place.cwd, env: { ...place.env, ...env } });
    assert.equal(plain.stopReason, 'end_turn');
    const [text] = Object.values(shown(plain.updates));
    assert.match(text, /```\nit ran\n.*project\n```\nIt has ended: exit 0\./);
  });

  test(`${name}: in version 2 of ACP, or the one that it speaks, all passes`, limit, async (t) => {
    const fake = await model(t, agent, false);
    const { events, written, stderr } = await prompt(t, agent, fake.url, [], 2);
    assert.ok(events.some((e) => e.stopReason === 'end_turn'), `${JSON.stringify(events)}\n${stderr}`);
    assert.match(written, /it ran\s+.*project/, JSON.stringify(events));
    t.diagnostic(stderr.includes('version 2') ? 'it speaks version 2' : 'it speaks version 1');
  });

  test(`${name}: --terminals mcp${agent.drops ? ' --drop-shell' : ''} offers our tools, and they run commands`, limit, async (t) => {
    const fake = await model(t, agent, true);
    const audit = join(temporary(t), 'audit.jsonl');
    const flags = ['--terminals', 'mcp', '--audit', audit, ...(agent.drops ? ['--drop-shell'] : [])];
    const { events, written, exits, stderr } = await prompt(t, agent, fake.url, flags);
    assert.ok(events.some((e) => e.stopReason === 'end_turn'), `${JSON.stringify(events)}\n${stderr}`);
    const offered = fake.requests.flatMap((r) => r.tools);
    assert.ok(offered.some((tool) => tool.endsWith('terminal_create')), `the model was offered ${offered}`);
    assert.equal(offered.includes(agent.own), !agent.drops, `the model was offered ${offered}`);
    assert.match(fake.requests.at(-1).results.join(), /it ran(\\+n|\s)+.*project/);
    assert.match(readFileSync(audit, 'utf8'), /it ran/);
    assert.match(written, /it ran\s+.*project/, JSON.stringify(events));
    assert.deepEqual(exits, [0], JSON.stringify(events));

    const place = project(t);
    const { argv, env } = agent.setUp(place.home, (await model(t, agent, true)).url);
    const plain = await edit(t, { argv: behind(flags, argv), cwd: place.cwd, env: { ...place.env, ...env } });
    const [text] = Object.values(shown(plain.updates));
    assert.match(text, /```\nit ran\n.*project\n```\nIt has ended: exit 0\./);
  });
}

for (const [version, sdk] of Object.entries(sdks)) {
  test(`ACP SDK ${version}: an editor before the proxy, and an agent behind it`, limit, async (t) => {
    const { cwd, env } = project(t);
    const argv = behind([], [process.execPath, new URL('sdk_agent.mjs', import.meta.url).pathname, join(modules, sdk)]);
    const { updates, stopReason } = await edit(t, { sdk: version, argv, cwd, env, text: line });
    assert.equal(stopReason, 'end_turn');
    assert.match(shown(updates).call, /```\nit ran\n.*project\n```\nIt has ended: exit 0\./);
    const said = JSON.parse(updates.find((u) => u.sessionUpdate === 'agent_message_chunk').content.text);
    assert.deepEqual(said.exit, { exitCode: 0, signal: null });
    assert.match(said.output, /^it ran\n.*project\n$/);
  });
}

for (const where of ['--stdio', '--listen']) {
  test(`MCP SDK 1.32: a client of terrarium mcp ${where}`, limit, async (t) => {
    const load = (name) => import(pathToFileURL(join(modules, '@modelcontextprotocol/sdk/dist/esm/client', name)));
    const { Client } = await load('index.js');
    const { dir, cwd, env } = project(t);
    const args = ['mcp', '--sandbox', 'off', '--cwd', cwd];
    let transport;
    if (where === '--stdio') {
      const { StdioClientTransport } = await load('stdio.js');
      transport = new StdioClientTransport({ command: terrarium, args: [...args, '--stdio'], env });
    } else {
      const { StreamableHTTPClientTransport } = await load('streamableHttp.js');
      const { url, token } = await listening(t, [...args, '--listen', '127.0.0.1:0'], dir, env);
      transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { Authorization: `Bearer ${token}` } } });
    }
    const client = new Client({ name: 'peers', version: '1' });
    await client.connect(transport);
    const { tools } = await client.listTools();
    assert.ok(tools.some((tool) => tool.name === 'terminal_create'), JSON.stringify(tools.map((tool) => tool.name)));
    const made = await client.callTool({ name: 'terminal_create', arguments: { command: line, wait_seconds: 60 } });
    assert.equal(made.structuredContent.output, `it ran\n${cwd}\n`);
    assert.equal(made.structuredContent.exit_code, 0);
    const unknown = await client.callTool({ name: 'terminal_output', arguments: { terminal: 'x' } });
    assert.equal(unknown.isError, true);
    const resource = await client.readResource({ uri: made.structuredContent.resource });
    assert.equal(resource.contents[0].text, `it ran\n${cwd}\n`);
    await client.close();
  });
}

/** listening starts our server, and returns where it listens and its token. */
async function listening(t, args, dir, env) {
  const token = 'a-token-of-more-than-thirty-two-bytes';
  const file = join(dir, 'token');
  writeFileSync(file, `${token}\n`, { mode: 0o600 });
  const child = spawn(terrarium, [...args, '--token-file', file], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  t.after(() => child.kill('SIGTERM'));
  let said = '';
  for await (const piece of child.stderr.setEncoding('utf8')) {
    said += piece;
    const url = /listening on (\S+)\n/.exec(said)?.[1];
    if (url) return { url, token };
  }
  throw new Error(said);
}
