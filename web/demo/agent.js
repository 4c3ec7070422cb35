// A scripted agent that speaks ACP, version 1. What it does is decided; how it goes is not: its
// commands run in the sandbox, and what they say is what it sees.

import { root } from './project.js';

const slip = `# Greets whoever is named.
shout=
if [ "$1" = --shout ]; then
  shout=1
  shift
fi
name=\${1:-world}
greeting="Hello, $name"
[ -n "$shout" ] && greeting=$(echo "$greeting" | tr a-z A-Z)
echo "$greeting"
`;

const right = slip.replace('| tr a-z A-Z)', '| tr a-z A-Z)!');

/** An agent's side of a connection: send takes messages for the client, receive those from it. */
export class Agent {
  #send;
  #waiting = new Map();
  #asked = 0;
  #calls = 0;
  #cancelled = false;
  #session = '';

  constructor(send) {
    this.#send = send;
  }

  async receive(message) {
    const { id, method, params, result, error } = message;
    if (method === undefined) {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error) waiting?.reject(Object.assign(new Error(error.message), { code: error.code }));
      else waiting?.resolve(result);
      return;
    }
    if (method === 'session/cancel') this.#cancelled = true;
    if (id === undefined) return;
    try {
      this.#send({ jsonrpc: '2.0', id, result: await this.#answer(method, params) });
    } catch (e) {
      this.#send({ jsonrpc: '2.0', id, error: { code: e.code ?? -32603, message: e.message } });
    }
  }

  async #answer(method, params) {
    switch (method) {
      case 'initialize':
        return { protocolVersion: 1, agentCapabilities: {}, authMethods: [] };
      case 'session/new':
        this.#session = 'demo';
        return { sessionId: this.#session };
      case 'session/prompt':
        this.#cancelled = false;
        return { stopReason: await this.#work() };
    }
    throw Object.assign(new Error(`no method ${method}`), { code: -32601 });
  }

  /** The job: a change, a test that fails, a fix, a commit. */
  async #work() {
    try {
      this.#say('I look at what is there first.');
      await this.#run('Look for the greeting', 'grep', ['-rn', 'Hello', '--include=*.sh', '.']);
      await this.#run('Make sure that there is a repository', 'sh', ['-c', 'git rev-parse --git-dir 2>/dev/null || (git init -q && git add . && git commit -q -m "Start" && git log --oneline)']);
      this.#say('Now I add the option.');
      await this.#edit('Add --shout', slip);
      const first = await this.#run('Run the test', 'sh', ['test.sh']);
      if (first.exitCode !== 0) {
        this.#say('The test says that I forgot the exclamation mark.');
        await this.#edit('End what is shouted with "!"', right);
        const second = await this.#run('Run the test again', 'sh', ['test.sh']);
        if (second.exitCode !== 0) throw new Error('the test still fails');
      }
      await this.#run('Commit', 'sh', ['-c', 'git add -A && git commit -m "greet: shout if told to" && git log --oneline --stat -1']);
      this.#say('Done: greet.sh can shout, and its test passes.');
      return 'end_turn';
    } catch (e) {
      if (this.#cancelled) return 'cancelled';
      this.#say(`I stop here: ${e.message}.`);
      return 'end_turn';
    }
  }

  #request(method, params) {
    const id = ++this.#asked;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#send({ jsonrpc: '2.0', id, method, params: { sessionId: this.#session, ...params } });
    });
  }

  #update(update) {
    this.#send({ jsonrpc: '2.0', method: 'session/update', params: { sessionId: this.#session, update } });
  }

  #say(text) {
    this.#update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
  }

  /** run does a tool call whose terminal is shown while it runs, and after. */
  async #run(title, command, args) {
    this.#check();
    const toolCallId = `call_${++this.#calls}`;
    this.#update({ sessionUpdate: 'tool_call', toolCallId, title, kind: 'execute', status: 'pending', rawInput: { command, args } });
    try {
      const { terminalId } = await this.#request('terminal/create', { command, args, cwd: root, outputByteLimit: 32768 });
      const change = (more) => this.#update({ sessionUpdate: 'tool_call_update', toolCallId, ...more });
      change({ status: 'in_progress', content: [{ type: 'terminal', terminalId }] });
      const exit = await this.#request('terminal/wait_for_exit', { terminalId });
      await this.#request('terminal/output', { terminalId });
      await this.#request('terminal/release', { terminalId });
      change({ status: exit.exitCode === 0 ? 'completed' : 'failed' });
      if (exit.signal) throw new Error(`${command} was stopped`);
      return exit;
    } catch (e) {
      this.#update({ sessionUpdate: 'tool_call_update', toolCallId, status: 'failed' });
      throw e;
    }
  }

  /** edit writes greet.sh, if the person allows it. */
  async #edit(title, newText) {
    this.#check();
    const path = `${root}/greet.sh`;
    const { content: oldText } = await this.#request('fs/read_text_file', { path });
    const toolCallId = `call_${++this.#calls}`;
    const content = [{ type: 'diff', path, oldText, newText }];
    const call = { toolCallId, title, kind: 'edit', status: 'pending', content };
    this.#update({ sessionUpdate: 'tool_call', ...call });
    const options = [
      { optionId: 'yes', name: 'Allow', kind: 'allow_once' },
      { optionId: 'no', name: 'Deny', kind: 'reject_once' },
    ];
    const { outcome } = await this.#request('session/request_permission', { toolCall: { toolCallId, title }, options });
    const allowed = outcome.outcome === 'selected' && outcome.optionId === 'yes';
    if (allowed) await this.#request('fs/write_text_file', { path, content: newText });
    this.#update({ sessionUpdate: 'tool_call_update', toolCallId, status: allowed ? 'completed' : 'failed' });
    if (!allowed) throw new Error('the change was not allowed');
  }

  #check() {
    if (this.#cancelled) throw new Error('cancelled');
  }
}
