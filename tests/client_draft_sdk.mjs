// An agent on the official TypeScript SDK, in its draft of version 2 of ACP: node
// client_draft_sdk.mjs SDK. The SDK checks all that it is sent. The agent asks about a command,
// shows a terminal, and leaves one behind.

import { Readable, Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';

const acp = await import(pathToFileURL(process.argv[2]));
const base64 = (s) => Buffer.from(s).toString('base64');
const { agent: methods, client } = acp.methods;
let cancelled = () => {};

async function work(context, sessionId, prompt) {
  const tell = (update) => context.notify(client.session.update, { sessionId, update });
  await tell({ sessionUpdate: 'state_update', state: 'running' });
  const { outcome } = await context.request(client.session.requestPermission, {
    sessionId, title: 'May I?', subject: { type: 'command', command: prompt, cwd: process.cwd() },
    options: [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }],
  });
  await tell({ sessionUpdate: 'terminal_update', terminalId: 't', command: prompt, capabilities: { cancel: {} } });
  await tell({ sessionUpdate: 'terminal_output_chunk', terminalId: 't', data: base64(`${outcome.optionId}\n`) });
  const end = new Promise((resolve) => (cancelled = resolve));
  await tell({ sessionUpdate: 'state_update', state: 'idle', stopReason: 'end_turn' });
  await end;
  await tell({ sessionUpdate: 'terminal_update', terminalId: 't', exitStatus: { signal: 'SIGTERM' } });
}

acp.agent({ name: 'draft' })
  .onRequest(methods.initialize, () => ({
    protocolVersion: acp.PROTOCOL_VERSION, info: { name: 'draft', version: '1' }, capabilities: { session: {} },
  }))
  .onRequest(methods.session.new, () => ({ sessionId: 's' }))
  .onRequest(methods.session.prompt, ({ params, client }) => {
    setTimeout(() => work(client, params.sessionId, params.prompt[0].text), 0);
    return { messageId: 'm' };
  })
  .onRequest(methods.terminal.cancel, () => {
    setTimeout(cancelled, 0);
    return {};
  })
  .connect(acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
