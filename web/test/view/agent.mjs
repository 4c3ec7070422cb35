// An agent on the SDK of ACP that runs a command and reports its terminal, in either version, and
// the client at its other end. Both check what they get against the SDK's schema.

import { spawn } from 'node:child_process';
import * as v1 from '@agentclientprotocol/sdk';
import * as v2 from '@agentclientprotocol/sdk/experimental/v2';

import { clientCapabilities } from '../../dist/display.js';

const base64 = (bytes) => Buffer.from(bytes).toString('base64');

/**
 * How each version tells the life of a terminal that is named after its tool call, as agents do.
 */
const dialects = {
  1: {
    // Claude's: the call is there before its command is known.
    began: (id, { command, cwd }) => [
      { sessionUpdate: 'tool_call', toolCallId: id, title: 'Terminal', kind: 'execute', status: 'pending', rawInput: {}, content: embedded(id), _meta: { terminal_info: { terminal_id: id, cwd } } },
      { sessionUpdate: 'tool_call_update', toolCallId: id, title: command, rawInput: { command } },
    ],
    wrote: (id, bytes) => [{ sessionUpdate: 'tool_call_update', toolCallId: id, _meta: { terminal_output: { terminal_id: id, data: String(bytes) } } }],
    ended: (id, exit_code, signal) => [{ sessionUpdate: 'tool_call_update', toolCallId: id, status: 'completed', _meta: { terminal_exit: { terminal_id: id, exit_code, signal } } }],
    again: (call, id) => [{ sessionUpdate: 'tool_call', toolCallId: call, title: 'Look again', kind: 'read', status: 'completed', content: embedded(id) }],
  },
  2: {
    began: (id, { command, cwd }) => [
      { sessionUpdate: 'tool_call_update', toolCallId: id, title: command, kind: 'execute', status: 'in_progress', content: embedded(id) },
      { sessionUpdate: 'terminal_update', terminalId: id, command, cwd, capabilities: { cancel: {} } },
    ],
    wrote: (id, bytes) => [{ sessionUpdate: 'terminal_output_chunk', terminalId: id, data: base64(bytes) }],
    ended: (id, exitCode, signal) => [
      { sessionUpdate: 'terminal_update', terminalId: id, exitStatus: { exitCode, signal }, capabilities: null },
      { sessionUpdate: 'tool_call_update', toolCallId: id, status: 'completed' },
    ],
    again: (call, id) => [{ sessionUpdate: 'tool_call_update', toolCallId: call, title: 'Look again', kind: 'read', status: 'completed', content: embedded(id) }],
  },
};

const embedded = (terminalId) => [{ type: 'terminal', terminalId }];

/**
 * connect starts an agent of a version, which runs each prompt as a command: "call: a line of sh".
 * Of "call: again ID" it makes a call that embeds a terminal once more. It returns the client's
 * end, which gives each session/update to updated.
 */
export async function connect(version, updated) {
  const sdk = version === 1 ? v1 : v2;
  const tell = dialects[version];
  const { methods } = sdk;
  const running = new Map(); // by tool call

  const agent = sdk.agent({ name: 'reporter' });
  agent.onRequest(methods.agent.initialize, () => (
    version === 1 ? { protocolVersion: 1 } : { protocolVersion: 2, info: { name: 'reporter', version: '1' } }
  ));
  agent.onRequest(methods.agent.session.new, () => ({ sessionId: 's' }));
  agent.onRequest(methods.agent.session.prompt, async ({ params: { sessionId, prompt }, client }) => {
    const [, id, line] = /^(\w+): (.*)$/s.exec(prompt[0].text);
    const report = async (updates) => {
      for (const update of updates) await client.notify(methods.client.session.update, { sessionId, update });
    };
    const earlier = /^again (\w+)$/.exec(line)?.[1];
    if (earlier) {
      await report(tell.again(id, earlier));
    } else {
      await report(tell.began(id, { command: line, cwd: process.cwd() }));
      const child = spawn('/bin/sh', ['-c', line], { stdio: ['ignore', 'pipe', 'inherit'] });
      running.set(id, child);
      const exited = new Promise((resolve) => child.on('exit', (...exit) => resolve(exit)));
      for await (const bytes of child.stdout) await report(tell.wrote(id, bytes));
      await report(tell.ended(id, ...(await exited)));
      running.delete(id);
    }
    return version === 1 ? { stopReason: 'end_turn' } : { messageId: id };
  });
  if (version === 2) {
    agent.onRequest(methods.agent.terminal.cancel, ({ params }) => void running.get(params.terminalId).kill('SIGTERM'));
  }

  const client = sdk.client({ name: 'page' });
  client.onNotification(methods.client.session.update, ({ params }) => updated(params));
  const [there, here] = [new TransformStream(), new TransformStream()];
  const served = agent.connect(sdk.ndJsonStream(here.writable, there.readable));
  const connection = client.connect(sdk.ndJsonStream(there.writable, here.readable));
  const peer = connection.agent;
  await peer.request(methods.agent.initialize, version === 1
    ? { protocolVersion: 1, clientCapabilities }
    : { protocolVersion: 2, info: { name: 'page', version: '1' } });
  const { sessionId } = await peer.request(methods.agent.session.new, { cwd: process.cwd(), mcpServers: [] });
  return {
    prompt: (text) => peer.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: 'text', text }] }),
    cancel: (params) => peer.request(methods.agent.terminal.cancel, params),
    close: () => {
      for (const child of running.values()) child.kill('SIGKILL');
      connection.close();
      served.close();
    },
  };
}
