// Terminals that an agent reports, in both dialects of ACP.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';

import { createDisplay } from '../../dist/display.js';

const wasm = await WebAssembly.compile(await readFile(new URL('../../dist/core.wasm', import.meta.url)));
const make = (options = {}) => createDisplay({ wasm, ...options });
const v1 = (meta, more = {}) => ({
  sessionId: 's',
  update: { sessionUpdate: 'tool_call_update', toolCallId: 'x', ...more, _meta: meta },
});
const v2 = (update, sessionUpdate = 'terminal_update') => ({ sessionId: 's', update: { sessionUpdate, ...update } });
const chunk = (terminalId, bytes) => v2({ terminalId, data: Buffer.from(bytes).toString('base64') }, 'terminal_output_chunk');

/** What a view has drawn, and whether it was told of the end. */
function watch(terminal) {
  const seen = { text: '', snapshots: 0, ended: false };
  let settle;
  seen.end = new Promise((resolve) => (settle = resolve));
  seen.watch = terminal.watch({
    snapshot: (s) => {
      seen.snapshots++;
      seen.text = new TextDecoder().decode(s.data).replace('\x1b[20h', '');
    },
    output: (c) => void (seen.text += new TextDecoder().decode(c.data)),
    end: () => {
      seen.ended = true;
      settle();
    },
  });
  return seen;
}

test('version 1: a tool call shows its terminal from the beginning to the exit', async () => {
  const display = await make();
  const opened = [];
  display.on('open', (t) => opened.push(t.id));
  assert.equal(display.update(v1({ terminal_info: { terminal_id: 't', cwd: '/w' } }, { sessionUpdate: 'tool_call', title: 'npm test' })), true);
  const terminal = display.get('s', 't');
  assert.deepEqual(opened, ['t']);
  assert.equal(terminal.status.command, 'npm test');
  assert.equal(terminal.status.cwd, '/w');
  assert.equal(terminal.status.state, 'running');

  const seen = watch(terminal);
  display.update(v1({ terminal_output: { terminal_id: 't', data: '\x1b[31mone\x1b[m\n' } }));
  display.update(v1({ terminal_output_delta: { terminal_id: 't', data: 'two ä\n' } }));
  display.update(v1({ terminal_exit: { terminal_id: 't', exit_code: 3, signal: null } }));
  assert.deepEqual(await terminal.exited, { exitCode: 3, signal: null });
  await seen.end;
  assert.equal(seen.text, '\x1b[31mone\x1b[m\ntwo ä\n');
  assert.deepEqual(await terminal.text(), { output: 'one\ntwo ä\n', truncated: false });
  assert.equal(terminal.status.state, 'exited');
  assert.equal(terminal.status.bytes, Buffer.byteLength(seen.text));
  display.close();
});

test('version 1: output before the terminal is told of, and after its exit', async () => {
  const display = await make();
  display.update(v1({ terminal_output: { terminal_id: 't', data: 'early ' } }));
  display.update(v1({ terminal_info: { terminal_id: 't' }, terminal_exit: { terminal_id: 't', exit_code: null, signal: 'SIGKILL' } }));
  display.update(v1({ terminal_output: { terminal_id: 't', data: 'late' } }));
  const terminal = display.get('s', 't');
  assert.equal((await terminal.text()).output, 'early late');
  assert.equal(terminal.status.state, 'killed');
  assert.deepEqual(terminal.status.exit, { exitCode: null, signal: 'SIGKILL' });
  display.close();
});

test('version 1: a session that is loaded again tells what was told', async () => {
  const display = await make();
  const tell = () => {
    display.update(v1({ terminal_info: { terminal_id: 't' } }, { sessionUpdate: 'tool_call', title: 'Terminal', toolCallId: 't' }));
    display.update(v1(undefined, { title: 'Run the tests', rawInput: { command: 'npm test' }, toolCallId: 't' }));
    display.update(v1({ terminal_output: { terminal_id: 't', data: 'once\n' } }));
    display.update(v1({ terminal_info: { terminal_id: 't' }, terminal_exit: { terminal_id: 't', exit_code: 0, signal: null } }, { title: 'Tests' }));
  };
  tell();
  const terminal = display.get('s', 't');
  assert.deepEqual([terminal.status.command, terminal.status.state], ['npm test', 'exited']);
  tell();
  assert.equal((await terminal.text()).output, 'once\n');
  assert.equal(terminal.status.state, 'exited');
  display.close();
});

test('version 2: null takes back what was told, what is malformed does not', async () => {
  const display = await make();
  const data = Buffer.from('one\ntwo').toString('base64');
  display.update(v2({ terminalId: 't', command: 'make', output: { data }, size: { rows: 10, cols: 40 } }));
  const terminal = display.get('s', 't');
  const seen = watch(terminal);
  for (const output of [5, 'x', {}, { data: '!' }]) display.update(v2({ terminalId: 't', output, size: output, command: [], exitStatus: 1 }));
  assert.equal((await terminal.text()).output, 'one\ntwo');
  assert.deepEqual([terminal.status.command, terminal.status.rows], ['make', 10]);
  await new Promise(setImmediate);
  assert.equal(seen.snapshots, 1);
  display.update(v2({ terminalId: 't', size: null }));
  assert.deepEqual([terminal.status.rows, terminal.status.cols], [40, 120]);
  await new Promise(setImmediate);
  assert.equal(seen.snapshots, 2); // lines of a pipe end otherwise
  display.update(v2({ terminalId: 't', output: null }));
  assert.equal((await terminal.text()).output, '');
  display.close();
});

test('version 2: updates, chunks that split a character, and a snapshot in their place', async () => {
  const cancelled = [];
  const display = await make({ cancel: (params) => void cancelled.push(params) });
  display.update(v2({ terminalId: 't', command: 'make', cwd: '/w', size: { rows: 10, cols: 40 }, capabilities: { cancel: {} } }));
  const terminal = display.get('s', 't');
  assert.deepEqual([terminal.status.rows, terminal.status.cols], [10, 40]);
  const seen = watch(terminal);
  const euro = Buffer.from('€');
  display.update(chunk('t', Buffer.concat([Buffer.from('a'), euro.subarray(0, 1)])));
  display.update(chunk('t', euro.subarray(1)));
  assert.equal((await terminal.text()).output, 'a€');

  await terminal.kill();
  assert.deepEqual(cancelled, [{ sessionId: 's', terminalId: 't' }]);

  display.update(v2({ terminalId: 't', output: { data: Buffer.from('anew').toString('base64') } }));
  display.update(v2({ terminalId: 't', exitStatus: {} }));
  await seen.end;
  assert.equal(seen.text, 'anew');
  assert.equal(seen.snapshots, 2);
  assert.equal(terminal.status.state, 'exited');
  await assert.rejects(terminal.kill(), { reason: 'unsupported' });
  display.update(v2({ terminalId: 't', exitStatus: null, command: null }));
  assert.equal(terminal.status.state, 'running');
  assert.equal(terminal.status.command, '');
  assert.equal((await terminal.text()).output, 'anew');
  display.close();
});

test('output is bounded, and what is gone is the beginning', async () => {
  const display = await make({ outputByteLimit: 1000 });
  for (let i = 0; i < 500; i++) display.update(v1({ terminal_output: { terminal_id: 't', data: `line ${i}\n` } }));
  const terminal = display.get('s', 't');
  const { output, truncated } = await terminal.text();
  assert.equal(truncated, true);
  assert.ok(output.length <= 1000 && output.endsWith('line 499\n'), output);
  assert.equal(terminal.status.truncated, true);
  const seen = watch(terminal);
  display.update(v1({ terminal_exit: { terminal_id: 't', exit_code: 0 } }));
  await seen.end;
  assert.match(seen.text, /^line \d+\n/); // not in the middle of a line
  display.close();
});

test('a slow view begins anew where it is too far behind', async () => {
  const display = await make({ outputByteLimit: 100_000 });
  display.update(v1({ terminal_info: { terminal_id: 't' } }));
  const terminal = display.get('s', 't');
  let release;
  const calls = [];
  terminal.watch({
    snapshot: (s) => {
      calls.push(['snapshot', s.offset, s.data.length]);
      return calls.length === 1 ? new Promise((resolve) => (release = resolve)) : undefined;
    },
    output: (c) => void calls.push(['output', c.offset]),
    end: () => calls.push(['end']),
  });
  await null;
  for (let i = 0; i < 300; i++) display.update(v1({ terminal_output: { terminal_id: 't', data: 'x'.repeat(999) + '\n' } }));
  assert.equal(calls.length, 1); // nothing piles up
  display.update(v1({ terminal_exit: { terminal_id: 't', exit_code: 0 } }));
  const ended = new Promise((resolve) => terminal.watch({ snapshot() {}, output() {}, end: resolve }));
  release();
  await ended;
  await new Promise(setImmediate);
  assert.deepEqual(calls.map((c) => c[0]), ['snapshot', 'snapshot', 'end']);
  assert.equal(calls[1][1], 300_000);
  display.close();
});

test('the oldest go first: those that run are lost, those that ended evicted', async () => {
  const display = await make({ terminals: 2, keptTerminals: 2 });
  const evicted = [];
  display.on('evict', (t) => evicted.push(t.id));
  for (const id of ['a', 'b', 'c', 'd', 'e']) display.update(v1({ terminal_output: { terminal_id: id, data: id } }));
  const [a, d] = [display.get('s', 'a'), display.get('s', 'd')];
  assert.equal(a, undefined);
  assert.deepEqual(evicted, ['a']);
  assert.equal(display.get('s', 'b').status.endedBy, 'unknown');
  assert.equal(d.status.state, 'running');
  for (let i = 0; i < 20; i++) display.update(v2({ terminalId: 'd', output: { data: '' } }));
  assert.deepEqual(evicted, ['a'], 'a new snapshot takes no room of others');
  display.closeSession('s');
  assert.equal(display.list().length, 0);
  assert.equal(d.status.readable, false);
  display.close();
});

test('what is malformed changes nothing', async () => {
  const display = await make();
  const bad = [
    null, 1, [], {}, { sessionId: 's' }, { sessionId: 1, update: {} }, v1(null), v1({ terminal_output: 'x' }),
    v1({ terminal_output: { terminal_id: 5, data: 'x' } }), v1({ terminal_output: { terminal_id: '', data: 'x' } }),
    v1({ terminal_info: { terminal_id: 'x'.repeat(5000) } }), v2({ terminalId: {} }), v2({ terminalId: 'x', data: '!' }, 'terminal_output_chunk'),
    v2({ terminalId: 'x' }, 'terminal_output_chunk'), v2({ terminalId: 'x' }, 'plan'), v2({}, '__proto__'),
  ];
  for (const params of bad) assert.equal(display.update(params), false, JSON.stringify(params));
  assert.equal(display.list().length, 0);
  display.update(v2({ terminalId: 't', command: 7, cwd: [], size: { rows: -1, cols: 1e9 }, exitStatus: { exitCode: 'x', signal: 4 } }));
  const { status } = display.get('s', 't');
  assert.deepEqual([status.command, status.rows, status.cols], ['', 40, 120]);
  assert.deepEqual(status.exit, { exitCode: null, signal: null });
  display.close();
});

test('a module that is not core.wasm says what it is', async () => {
  const html = new Response('<!doctype html>', { status: 200 });
  await assert.rejects(createDisplay({ wasm: html }), /not WebAssembly, but HTML/);
  await assert.rejects(createDisplay({ wasm: new Response('', { status: 404 }) }), /404/);
});
