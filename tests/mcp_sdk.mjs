// A client of the official TypeScript library, for TestMCPTypeScript:
// node mcp_sdk.mjs PACKAGE VERSION stdio|URL TOKEN ARG...
// It prints what it has seen as one line of JSON.
import { pathToFileURL } from "node:url";

const [folder, version, where, token, ...args] = process.argv.slice(2);
const load = (name) => import(pathToFileURL(`${folder}/${name}`).href);

const { Client, StreamableHTTPClientTransport } = await load("dist/index.mjs");
const { StdioClientTransport } = await load("dist/stdio.mjs");

const transport =
  where === "stdio"
    ? new StdioClientTransport({ command: "terrarium", args: ["mcp", "--stdio", ...args], env: process.env, stderr: "inherit" })
    : new StreamableHTTPClientTransport(new URL(where), { requestInit: { headers: { Authorization: `Bearer ${token}` } } });

// Versions with sessions are what it offers unless it is told of one without.
const client = new Client(
  { name: "typescript", version: "1" },
  {
    capabilities: { elicitation: { form: {} } },
    ...(version === "2026-07-28" ? { versionNegotiation: { mode: { pin: version } } } : { supportedProtocolVersions: [version] }),
  },
);
const asked = [];
client.setRequestHandler("elicitation/create", async (request) => {
  asked.push(request.params.message);
  return { action: "accept", content: { answer: "once" } };
});
await client.connect(transport);

const { tools } = await client.listTools();
const progress = [];
const call = (name, args, options) => client.callTool({ name, arguments: args }, options);
const ran = await call("terminal_create", { command: "mkdir made && echo done", wait_seconds: 60 });
const unknown = await call("terminal_output", { terminal: "x" });
const slow = await call(
  "terminal_create",
  { command: "sleep 2", wait_seconds: 60 },
  { onprogress: (p) => progress.push(p.progress) },
);
const resource = await client.readResource({ uri: ran.structuredContent.resource });
let bad = "";
try {
  await call("terminal_explode", {});
} catch (error) {
  bad = String(error.code);
}
console.log(
  JSON.stringify({
    version: client.getNegotiatedProtocolVersion(),
    tools: tools.map((t) => t.name),
    ran: ran.structuredContent,
    unknown: unknown.isError === true,
    slow: slow.structuredContent,
    resource: resource.contents[0].text,
    asked,
    progress: progress.length,
    bad,
  }),
);
await client.close();
