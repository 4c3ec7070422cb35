// An editor on ACP's TypeScript SDK, which serves no terminals, and knows those in _meta only if it
// is told to.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable, Writable } from 'node:stream';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { modules } from './agent.mjs';

/** Where npm has put the SDKs of ACP that are tried. */
export const sdks = { '1.9': 'acp-sdk-1/dist/acp.js', '2.4': '@agentclientprotocol/sdk/dist/v1/stable/acp.js' };

/**
 * edit starts argv as an agent, and prompts it once. It allows what it is asked.
 * @returns the updates that came, the titles of what it was asked, and why the turn has ended.
 */
export async function edit(t, { sdk = '2.4', argv, env, cwd, text = 'go', clientCapabilities = {} }) {
  const acp = await import(pathToFileURL(join(modules, sdks[sdk])));
  const child = spawn(argv[0], argv.slice(1), { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] });
  t.after(() => child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (piece) => { stderr += piece; });
  const updates = [];
  const asked = [];
  const client = acp.client({ name: 'editor' })
    .onNotification(acp.methods.client.session.update, ({ params }) => { updates.push(params.update); })
    .onRequest(acp.methods.client.session.requestPermission, ({ params }) => {
      asked.push(params.toolCall.title);
      const { optionId } = params.options.find((o) => o.kind === 'allow_once') ?? params.options[0];
      return { outcome: { outcome: 'selected', optionId } };
    });
  const stream = acp.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout));
  try {
    const turn = client.connectWith(stream, async (agent) => {
      await agent.request(acp.methods.agent.initialize, { protocolVersion: acp.PROTOCOL_VERSION, clientCapabilities });
      const { sessionId } = await agent.request(acp.methods.agent.session.new, { cwd, mcpServers: [] });
      return agent.request(acp.methods.agent.session.prompt, { sessionId, prompt: [{ type: 'text', text }] });
    });
    const early = ended.then(([code]) => { throw new Error(`it has ended with ${code}`); });
    const { stopReason } = await Promise.race([turn, early]);
    return { updates, asked, stopReason };
  } catch (error) {
    throw new Error(`${error.message}\n${stderr}`);
  } finally {
    child.stdin.end();
    await ended; // it writes in its home until then
  }
}

/** shown returns what a person sees at each tool call in the end: its texts, by its id. */
export function shown(updates) {
  const calls = {};
  for (const { toolCallId, content } of updates) {
    if (content && toolCallId) calls[toolCallId] = content.map((c) => c.content?.text ?? `(${c.type})`).join('\n');
  }
  return calls;
}
