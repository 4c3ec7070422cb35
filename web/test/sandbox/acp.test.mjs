// The ACP scripts of tests/acp against the sandbox in a page: what a client sends, and the answers,
// to the letter. The commands are actors, which do what a script has its fake host do.

import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { hung, launch, serve, watchErrors } from '../view/serve.mjs';

const folder = fileURLToPath(new URL('../../../tests/acp/', import.meta.url));

// Why a script does not run here. All of them run in Chromium too, on a fake host: see
// core/driver/acpconn.
const limits = 'has limits of its own', time = 'needs virtual time', writes = 'needs a command that goes on when it is killed';
const searching = 'needs a host that is still looking for the command';
const directories = 'hands over directories in which an actor finds nothing to do';
const asks = 'has somebody decide who asks the peer';
const elsewhere = {
  bad_answers: asks,
  bad_strings: searching,
  bad_terminal_ids: searching,
  display_evicted: limits,
  p03_create_returns_at_once: time,
  p05_args_env_null: searching,
  p07_shell_line: 'needs a host that fails to start',
  p09_cwd: searching,
  p10_cwd_outside_session: directories,
  p11_limit_values: limits,
  p17_invalid_utf8: 'has output that ends before its command',
  p20_output_never_blocks: time,
  p22_exit_status_while_running: writes,
  p23_exit_after_output: time,
  p24_exit_code: 'has an exit code of Windows',
  p25_exit_signal: 'has signals that no guest gets',
  p27_wait_for_exit: time,
  p29_wait_blocks_nobody: writes,
  p31_cancel_create: 'needs a person who decides late',
  p32_kill_keeps_id: writes,
  p34_kill_escalates: time,
  p35_waiters_of_killed: writes,
  p36_release_kills: time,
  p38_waiters_at_release: time,
  p42_display_after_release: writes,
  p44_spawn_failure: 'needs a host that fails to start',
  p45_no_stdin: 'has a person who writes',
  p47_connection_ends: 'ends its connection',
  p47_session_closes: directories,
  p48_unknown_fields: writes,
  p50_limits: limits,
  permission: asks,
  request_ids_duplicate: searching,
  session_close: searching,
  session_open: directories,
  traceparent: 'shows in what the host is asked, and in no answer',
};

/** How long we wait for an answer, or for an actor, in milliseconds. */
const patience = 120_000;

/** 1e3 is no id, but it is 1000 once JavaScript has read it. The request and its answer. */
const sameInJavaScript = /^--> .*"id":1e3,.*\n<-- .*\n/m;

/** A script's lines, each with its verb. */
function linesOf(name) {
  const text = readFileSync(join(folder, `${name}.txtar`), 'utf8').replace(sameInJavaScript, '');
  return text.slice(text.indexOf('-- script --\n') + 13).split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ verb: line.split(' ', 1)[0], rest: line.slice(line.indexOf(' ') + 1) }));
}

/** What a quoted string of Go's stands for, in bytes of base64. */
function bytesOf(quoted) {
  const plain = { n: '\n', r: '\r', t: '\t', a: '\x07', b: '\b', f: '\f', v: '\v', '\\': '\\', '"': '"' };
  const parts = quoted.slice(1, -1).match(/\\x[0-9a-f]{2}|\\u[0-9a-f]{4}|\\U[0-9a-f]{8}|\\.|[^\\]+/gs) ?? [];
  return Buffer.concat(parts.map((p) => {
    if (p.startsWith('\\x')) return Buffer.from([parseInt(p.slice(2), 16)]);
    if (/^\\[uU]/.test(p)) return Buffer.from(String.fromCodePoint(parseInt(p.slice(2), 16)));
    return Buffer.from(p.startsWith('\\') ? plain[p[1]] : p);
  })).toString('base64');
}

/** The names of all commands that the scripts here start. */
function commands() {
  const all = names.filter((name) => !(name in elsewhere)).flatMap(linesOf).map((l) => /(?:path|command)="(?:[^"]*\/)?([\w.-]+)"/.exec(l.rest)?.[1]);
  return [...new Set(all.filter((name) => name && name !== 'nosuch'))];
}

const names = readdirSync(folder).filter((f) => f.endsWith('.txtar')).map((f) => f.slice(0, -6));
let server, chromium, page, errors, temp;

before(async () => {
  temp = mkdtempSync(join(tmpdir(), 'terrarium-actor-'));
  const env = { ...process.env, GOOS: 'wasip1', GOARCH: 'wasm', GOFLAGS: '-trimpath' };
  execFileSync('go', ['build', '-o', join(temp, 'actor.wasm'), './testdata/actor'], { cwd: fileURLToPath(new URL('.', import.meta.url)), env });
  server = await serve();
  chromium = await launch();
  page = await chromium.browser.newPage();
  errors = watchErrors(page);
  await page.goto(`${server.url}/test/sandbox/page.html`);
  await page.waitForFunction('window.ready');
  const actor = readFileSync(join(temp, 'actor.wasm')).toString('base64');
  await page.evaluate(async ({ actor, commands, patience }) => {
    const module = new Uint8Array(await (await fetch(`data:application/wasm;base64,${actor}`)).arrayBuffer());
    await make({ commands: Object.fromEntries(commands.map((name) => [name, module])) });
    const { files } = terminals, text = new TextDecoder();
    // A run of a script: what actors are to do, and the answers that have come.
    window.Script = class {
      actors = 0;
      answers = [];
      steps = new Map();
      #some = () => {};

      /** Sends a message, whose answer comes when it does. */
      send(message) {
        terminals.handleMessage(message).then((answer) => {
          if (answer === undefined) return;
          this.answers.push(answer);
          this.#some();
        });
      }

      /** Waits for the next answer. */
      async answer() {
        const late = setTimeout(() => {
          this.answers.push('"nothing came"');
          this.#some();
        }, patience);
        while (this.answers.length === 0) await new Promise((resolve) => (this.#some = resolve));
        clearTimeout(late);
        return this.answers.shift();
      }

      /** Waits until an actor has done n steps. */
      async done(actor, n) {
        for (const late = performance.now() + patience; performance.now() < late;) {
          const is = await files.readFile(`/work/actors/${actor}/done`).then((b) => text.decode(b), () => '');
          if (is !== '' && Number(is) >= n) return;
          await new Promise((resolve) => setTimeout(resolve, 2));
        }
        throw new Error('an actor has not done what it should');
      }

      /** Has an actor do something. */
      async act(actor, step) {
        const n = this.steps.get(actor) ?? 0;
        this.steps.set(actor, n + 1);
        await files.writeFile(`/work/actors/${actor}/${n}`, JSON.stringify(step));
        if (step.Exit === undefined) await this.done(actor, n + 1);
      }

      /** Has an actor exit, and waits until its terminal has heard of it. */
      async exit(actor, Exit, id) {
        await this.act(actor, { Exit });
        await terminals.get(id).exited;
      }

      /** Ends what is left, and all that sessions were told. */
      async end(sessions) {
        for (const t of terminals.list()) await t.release().catch(() => undefined);
        for (const sessionId of sessions) {
          await terminals.handleMessage({ jsonrpc: '2.0', id: 'end', method: '_terrarium/session_close', params: { sessionId } });
        }
        await files.delete('/work/actors', { recursive: true });
        await files.createDirectory('/work/actors');
      }
    };
    await files.createDirectory('/work/actors');
  }, { actor, commands: commands(), patience });
});

after(async () => {
  await page?.evaluate(() => terminals.close());
  await chromium?.close();
  await server?.close();
  rmSync(temp, { recursive: true, force: true });
  assert.deepEqual(errors, []);
});

/** Runs a script, and returns what was wanted and what came. */
async function play(name) {
  const ids = new Map(), actors = new Map();
  const script = await page.evaluateHandle(() => new Script());
  const want = [], got = [];
  try {
    for (const { verb, rest } of linesOf(name)) {
      const [number, ...args] = rest.split(' ');
      switch (verb) {
        case 'config':
          if (rest !== 'acp') throw new Error(`config ${rest}`);
          break;
        case '-->': {
          const message = rest.replace(/\$t\d+/g, (t) => ids.get(t) ?? t);
          await script.evaluate((s, message) => s.send(message), message);
          break;
        }
        case '<--': {
          const wanted = JSON.parse(rest);
          const line = await script.evaluate((s) => s.answer());
          const id = wanted.result?.terminalId, answer = JSON.parse(line);
          if (id && answer.result?.terminalId) ids.set(id, answer.result.terminalId);
          let shown = JSON.stringify(answer);
          for (const [t, real] of ids) shown = shown.replaceAll(real, t);
          want.push(comparable(wanted));
          got.push(comparable(JSON.parse(shown)));
          break;
        }
        case 'start': {
          if (args.length > 0) throw new Error(rest);
          const n = actors.size + 1;
          actors.set(number, n);
          await script.evaluate((s, n) => s.done(n, 0), n);
          break;
        }
        case 'output': {
          const step = { Stream: Number(args[0]), Data: bytesOf(rest.slice(number.length + 1 + args[0].length + 1)) };
          await script.evaluate((s, [actor, step]) => s.act(actor, step), [actors.get(number), step]);
          break;
        }
        case 'exit': {
          const code = /^code=(\d+)$/.exec(args.join(' '));
          if (!code) break; // who was killed ends by itself
          await script.evaluate((s, [actor, Exit, id]) => s.exit(actor, Exit, id), [actors.get(number), Number(code[1]), ids.get(`$${number}`)]);
          break;
        }
        case '<':
        case 'resolved':
        case 'output_end':
        case 'closed':
        case 'show':
          break;
        default:
          throw new Error(`${verb} ${rest}`);
      }
    }
    const more = await script.evaluate((s) => s.answers);
    got.push(...more.map((line) => JSON.parse(line)));
  } finally {
    const sessions = linesOf(name).flatMap((l) => [...l.rest.matchAll(/"sessionId":"(\w+)"/g)].map((m) => m[1]));
    await script.evaluate((s, sessions) => s.end(sessions), [...new Set(sessions)]);
  }
  return { want, got };
}

/** A message without the paths of commands, which are in /bin here, and our version. */
function comparable(message) {
  delete message.result?._meta?.terrarium?.exec?.path;
  delete message.result?.agentInfo?.version;
  return message;
}

test('the list of scripts that run elsewhere', () => {
  for (const [name, reason] of Object.entries(elsewhere)) {
    assert.ok(names.includes(name), `${name} is on the list, and there is no such script`);
    assert.ok(reason, `${name} has no reason`);
  }
});

for (const name of names) {
  if (name in elsewhere) continue;
  test(name, { timeout: hung }, async () => {
    const { want, got } = await play(name);
    for (const [i, answer] of got.entries()) assert.deepEqual(answer, want[i], `answer ${i + 1} is ${JSON.stringify(answer)}, want ${JSON.stringify(want[i])}`);
    assert.equal(got.length, want.length);
  });
}
