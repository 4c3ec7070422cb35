// The page as an ACP client of the agent: it serves terminals and files from the sandbox, shows
// what the agent does, and asks the person.

import { commandLine } from '@terrarium/web/xterm';
import { Agent } from './agent.js';
import { name } from './dom.js';
import { root } from './project.js';

export class Client {
  #terminals;
  #log;
  #save;
  #agent;
  #waiting = new Map();
  #asked = 0;
  #session;
  #questions = new AbortController();
  #ready;

  /** @param save has the files say what was typed, before the agent reads or writes them. */
  constructor(terminals, log, save) {
    this.#terminals = terminals;
    this.#log = log;
    this.#save = save;
    // Each message is a task of its own, as it would be with an agent elsewhere.
    this.#agent = new Agent((message) => queueMicrotask(() => this.#receive(structuredClone(message))));
  }

  /** prompt has the agent work; it returns why the agent stopped. */
  async prompt(text) {
    this.#ready ??= this.#begin();
    await this.#ready;
    this.#questions = new AbortController();
    this.#log.say(text, 'person');
    const { stopReason } = await this.#request('session/prompt', { sessionId: this.#session, prompt: [{ type: 'text', text }] });
    return stopReason;
  }

  /** cancel stops the agent and what it runs. */
  async cancel() {
    this.#agent.receive({ jsonrpc: '2.0', method: 'session/cancel', params: { sessionId: this.#session } });
    this.#questions.abort();
    const running = this.#terminals.list().filter((t) => t.session === this.#session && ['queued', 'asking', 'running'].includes(t.status.state));
    await Promise.allSettled(running.map((t) => t.kill()));
  }

  async #begin() {
    const clientCapabilities = { ...this.#terminals.clientCapabilities, fs: { readTextFile: true, writeTextFile: true } };
    await this.#request('initialize', { protocolVersion: 1, clientCapabilities });
    ({ sessionId: this.#session } = await this.#request('session/new', { cwd: root, mcpServers: [] }));
    await this.#terminals.openSession(this.#session, { cwd: root });
  }

  #request(method, params) {
    const id = ++this.#asked;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#agent.receive({ jsonrpc: '2.0', id, method, params });
    });
  }

  async #receive(message) {
    const { id, method, params, result, error } = message;
    if (method === undefined) {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error) waiting?.reject(new Error(error.message));
      else waiting?.resolve(result);
      return;
    }
    if (method.startsWith('terminal/')) {
      const answer = await this.#terminals.handleMessage(message);
      if (answer) this.#agent.receive(answer);
      return;
    }
    if (id === undefined) {
      if (method === 'session/update') this.#log.update(params.update);
      return;
    }
    try {
      this.#agent.receive({ jsonrpc: '2.0', id, result: await this.#answer(method, params) });
    } catch (e) {
      this.#agent.receive({ jsonrpc: '2.0', id, error: { code: -32603, message: e.message } });
    }
  }

  async #answer(method, params) {
    const { files } = this.#terminals;
    switch (method) {
      case 'fs/read_text_file':
        await this.#save();
        return { content: new TextDecoder().decode(await files.readFile(params.path)) };
      case 'fs/write_text_file':
        await this.#save();
        await files.writeFile(params.path, params.content);
        return {};
      case 'session/request_permission': {
        const answers = params.options.map((o) => ({ name: o.name, value: o.optionId }));
        const optionId = await this.#log.ask('The agent asks to change a file.', params.toolCall.title, ['The change is shown above.'], answers, this.#questions.signal);
        return { outcome: optionId ? { outcome: 'selected', optionId } : { outcome: 'cancelled' } };
      }
    }
    throw new Error(`no method ${method}`);
  }
}

/**
 * policy asks the person before an agent's command starts, and saves before any does. What was
 * allowed for the session is the same command with the same arguments in the same place, and
 * nothing that only begins like it.
 */
export function policy(log, save) {
  const allowed = new Set();
  return async ({ terminal, path, argv, cwd, roots, signal }) => {
    const allow = async () => {
      await save();
      return 'allow';
    };
    if (terminal.origin === 'page') return allow();
    const exactly = JSON.stringify([terminal.session, path, argv, cwd]);
    if (allowed.has(exactly)) return allow();
    const answer = await log().ask('The agent asks to run a command.', commandLine(argv[0], argv.slice(1)), [name(path), ', in ', name(cwd), '. It sees ', ...(roots.length > 0 ? roots.flatMap((r, i) => [...(i > 0 ? [', '] : []), name(r)]) : ['all files']), '.'], [
      { name: 'Allow', value: 'once' },
      { name: 'Allow in this session', value: 'session' },
      { name: 'Deny', value: 'deny' },
    ], signal);
    if (answer === 'session') allowed.add(exactly);
    return answer === 'once' || answer === 'session' ? allow() : { allow: false, reason: 'the person said no' };
  };
}
