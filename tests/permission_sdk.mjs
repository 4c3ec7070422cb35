// An ACP client on the official TypeScript SDK, which hands its terminals over to `terrarium serve`
// and answers its questions: node permission_sdk.mjs SDK terrarium serve …. It prints what came of
// it as one JSON object.

import { spawn } from 'node:child_process';
import { Readable, Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';

const [sdk, program, ...args] = process.argv.slice(2);
const acp = await import(pathToFileURL(sdk));

const server = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'], detached: true });
const stream = acp.ndJsonStream(Writable.toWeb(server.stdin), Readable.toWeb(server.stdout));
const asked = [];
const answers = ['once', 'no'];

const client = acp.client({ name: 'permission_sdk' })
  .onRequest(acp.methods.client.session.requestPermission, ({ params }) => {
    asked.push(params);
    return { outcome: { outcome: 'selected', optionId: answers.shift(), _meta: { terrarium: { reason: 'not today' } } } };
  });

const result = await client.connectWith(stream, async (server) => {
  await server.request(acp.methods.agent.initialize, {
    protocolVersion: acp.PROTOCOL_VERSION,
    clientCapabilities: { terminal: true, _meta: { terrarium: { requestPermission: true } } },
  });
  const { terminalId } = await server.request(acp.methods.client.terminal.create, { sessionId: 's', command: 'mkdir yes' });
  const exit = await server.request(acp.methods.client.terminal.waitForExit, { sessionId: 's', terminalId });
  const refusal = await server.request(acp.methods.client.terminal.create, { sessionId: 's', command: 'mkdir no' })
    .then(() => 'none', (error) => error.message);
  return { exit, refusal };
});
server.stdin.end();
console.log(JSON.stringify({ ...result, asked }));
