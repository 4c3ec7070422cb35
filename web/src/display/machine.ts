import type { DisplayOptions } from '../display.js';
import { SandboxError } from '../errors.js';
import type { Reactor, Registry } from '../reactor.js';
import type { Bytes } from '../types.js';
import type { Shown } from './shown.js';

/** How much output is handed to core.wasm in a call, in bytes. */
const PIECE = 1 << 20;

/**
 * A terminal of the machine's. Each has a session of its own: that is how one alone is forgotten.
 */
export interface Core {
  readonly id: string;
  readonly session: string;
}

/**
 * The machine that keeps the output: its terminals run nothing, and are told what the agent tells.
 */
export class Machine {
  readonly limit: number;
  #registry: Registry;
  #scratch: Registry;
  #created = 0;
  #owners = new Map<string, Shown>();
  #evicted: (terminal: Shown) => void;

  constructor(reactor: Reactor, options: DisplayOptions, evicted: (terminal: Shown) => void) {
    const { outputByteLimit = 1 << 20, terminals = 256, keptTerminals = 256, keptBytes = 64 << 20 } = options;
    this.limit = outputByteLimit;
    this.#evicted = evicted;
    this.#registry = reactor.open({
      outputByteLimit, maxOutputByteLimit: outputByteLimit, maxTerminals: terminals,
      maxKeptTerminals: keptTerminals, keepBytes: keptBytes, maxKeptBytes: keptBytes,
    });
    this.#scratch = reactor.open({ outputByteLimit, maxOutputByteLimit: outputByteLimit });
  }

  /** create makes room if need be; it returns undefined where there is none. */
  create(): Core | undefined {
    const session = `${++this.#created}`;
    for (;;) {
      try {
        return { id: start(this.#registry, session, 'raw'), session };
      } catch (e) {
        if (!(e instanceof SandboxError) || !e.reason.startsWith('limit_')) throw e;
        const oldest = [...this.#owners.values()].find((t) => t.status.state === 'running');
        if (!oldest) return undefined;
        oldest.lose();
      }
    }
  }

  own(core: Core, terminal: Shown): void {
    this.#owners.set(core.id, terminal);
  }

  append(core: Core, bytes: Uint8Array): void {
    feed(this.#registry, core.id, bytes);
  }

  since(core: Core, offset: number) {
    return this.#registry.outputSince(core.id, offset);
  }

  kept(core: Core): Bytes {
    return this.#registry.output(core.id).output;
  }

  /** end keeps the output for display, for as long as there is room. */
  end(core: Core): void {
    this.#registry.handleOutputEnd(core.id);
    this.#registry.handleExit(core.id, { exitCode: 0 });
    this.#drain();
    this.#registry.release(core.id);
    this.#drain();
  }

  /** drop forgets a terminal. */
  drop(core: Core): void {
    this.#owners.delete(core.id);
    this.#registry.closeSession(core.session);
    this.#drain();
  }

  /** text makes plain text of raw output. */
  text(raw: Bytes): string {
    const id = start(this.#scratch, 's', 'text');
    feed(this.#scratch, id, raw);
    const { output } = this.#scratch.output(id);
    this.#scratch.closeSession('s');
    drain(this.#scratch);
    return new TextDecoder().decode(output);
  }

  close(): void {
    this.#registry.free();
    this.#scratch.free();
  }

  #drain(): void {
    for (const id of drain(this.#registry)) {
      const terminal = this.#owners.get(id);
      this.#owners.delete(id);
      if (terminal) this.#evicted(terminal);
    }
  }
}

/** start makes a terminal whose command runs, as far as the machine knows. */
function start(registry: Registry, session: string, rendering: 'raw' | 'text'): string {
  const id = registry.create(session, { command: 'agent', rendering });
  registry.handleResolved(id, { path: '/agent', argv: ['agent'], via: 'args' });
  drain(registry);
  registry.handleStart(id);
  drain(registry);
  return id;
}

function feed(registry: Registry, id: string, bytes: Uint8Array): void {
  for (let i = 0; i < bytes.length; i += PIECE) {
    registry.handleOutput(id, bytes.subarray(i, i + PIECE));
    drain(registry);
  }
}

/** drain answers what there is to answer, and returns the terminals that were evicted. */
function drain(registry: Registry): string[] {
  const evicted: string[] = [];
  for (let e = registry.nextEffect(); e; e = registry.nextEffect()) {
    if (e.kind === 'signal') {
      registry.handleOutputEnd(e.terminalId);
      registry.handleExit(e.terminalId, { exitCode: 0 });
    }
    if (e.kind === 'close') registry.handleClosed(e.terminalId);
    if (e.kind === 'evicted') evicted.push(e.terminalId);
  }
  return evicted;
}
