// Where the modules of a sandbox's commands come from.

import { bounded, bytesOf, mostOfOurs } from './bounded.js';
import { SandboxError } from './errors.js';
import type { Found, ModuleInfo } from './protocol.js';
import { failureOf } from './terminal.js';
import type { Bytes, Commands, CommandSource, Plugin, TerminalsOptions } from './types.js';

interface Module {
  info: ModuleInfo;
  source: CommandSource;
}

/** The modules of all commands, each once. */
export class Sources {
  readonly #modules: Module[] = [];

  /** Of modules that are no plugins, `most` is how many bytes are taken. */
  constructor(commands: TerminalsOptions['commands'], private readonly most: number) {
    for (const c of Array.isArray(commands) ? (commands as (Plugin | Commands)[]) : [commands as Commands]) {
      if (isPlugin(c)) this.#modules.push({ info: { name: c.name, commands: c.commands, sum: c.sum, by: c.by }, source: c.source });
      else this.#add(c);
    }
  }

  /** Adds commands; those of one source share its module. */
  #add(commands: Commands): void {
    const names = new Map<CommandSource, string[]>();
    for (const [name, source] of Object.entries(commands)) {
      const others = names.get(source);
      if (others) others.push(name);
      else names.set(source, [name]);
    }
    for (const [source, list] of names) {
      const info: ModuleInfo = { name: list[0]!, commands: list };
      // It is known to nobody else.
      if (source instanceof WebAssembly.Module) info.sum = randomSum();
      this.#modules.push({ info, source });
    }
  }

  get infos(): ModuleInfo[] {
    return this.#modules.map((m) => m.info);
  }

  /** Finds the module at that place. */
  async find(place: number): Promise<Found> {
    const m = this.#modules[place];
    if (!m) return { failure: { reason: 'not_found', message: 'there is no such module' } };
    try {
      let source = m.source;
      while (typeof source === 'function') source = await source();
      if (source instanceof Response) {
        if (!source.ok || !source.body) throw new SandboxError('fetch_failed', `${m.info.name}: ${source.url}: ${source.status} ${source.statusText}`.trimEnd());
        // A body can be read once, and may be needed again.
        const most = m.info.sum === undefined ? this.most : mostOfOurs;
        source = await bytesOf((source.body as ReadableStream<Bytes>).pipeThrough(bounded(m.info.name, most)));
        if (m.source instanceof Response) m.source = source;
      }
      if (typeof source === 'string' || source instanceof URL) return { url: new URL(source, baseURL()).href };
      if (source instanceof WebAssembly.Module) return { module: source };
      if (source instanceof Uint8Array) return { bytes: source.slice() as Bytes };
      throw new SandboxError('invalid', `${m.info.name}: a module comes as a URL, a Response, a WebAssembly.Module or bytes`);
    } catch (e) {
      return { failure: failureOf(e) };
    }
  }
}

function isPlugin(c: Plugin | Commands): c is Plugin {
  return typeof c.sum === 'string' && Array.isArray(c.commands);
}

function randomSum(): string {
  return [...crypto.getRandomValues(new Uint8Array(32))].map((b) => b.toString(16).padStart(2, '0')).join('');
}

export function baseURL(): string {
  return typeof document === 'undefined' ? location.href : document.baseURI;
}
