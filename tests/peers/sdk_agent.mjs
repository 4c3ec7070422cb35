// An agent on ACP's TypeScript SDK that runs what it is prompted in a terminal of the client:
// node sdk_agent.mjs SDK
import { Readable, Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';

const acp = await import(pathToFileURL(process.argv[2]));
const { methods } = acp;
let client;

acp.agent({ name: 'sdk_agent' })
  .onRequest(methods.agent.initialize, ({ params }) => {
    client = params.clientCapabilities;
    return { protocolVersion: acp.PROTOCOL_VERSION };
  })
  .onRequest(methods.agent.session.new, () => ({ sessionId: 's' }))
  .onRequest(methods.agent.session.prompt, async ({ params: { sessionId, prompt }, client: editor }) => {
    if (!client?.terminal) throw new Error('the client serves no terminals');
    const made = await editor.request(methods.client.terminal.create, { sessionId, command: prompt[0].text });
    const terminal = { sessionId, terminalId: made.terminalId };
    await editor.notify(methods.client.session.update, {
      sessionId,
      update: { sessionUpdate: 'tool_call', toolCallId: 'call', title: 'Run it', content: [{ type: 'terminal', terminalId: made.terminalId }] },
    });
    const exit = await editor.request(methods.client.terminal.waitForExit, terminal);
    const { output } = await editor.request(methods.client.terminal.output, terminal);
    await editor.request(methods.client.terminal.release, terminal);
    await editor.notify(methods.client.session.update, {
      sessionId,
      update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: JSON.stringify({ exit, output }) } },
    });
    return { stopReason: 'end_turn' };
  })
  .connect(acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
