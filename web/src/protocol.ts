// What the page and its worker say to each other.

import type { Bytes, Failure, FileChange } from './types.js';

/** What the page knows of a module when it makes a sandbox. */
export interface ModuleInfo {
  name: string;
  commands: readonly string[];
  /** Of a plugin, or of a module that the page has compiled itself. */
  sum?: string;
  by?: string;
}

/** What cmd/sandbox is configured with: see its ABI.md. */
export interface Config {
  modules: { name: string; commands: readonly string[]; sum?: string }[];
  cwd: string;
  env: string[];
  deterministic: boolean;
  ask: boolean;
  mounts: { path: string; timeoutMs: number }[];
  limits: Record<string, number>;
}

/** A terminal, as the sandbox tells it. */
export interface TerminalInfo {
  id: string;
  peer: number;
  session: string;
  state: 'queued' | 'asking' | 'running' | 'exited' | 'killed' | 'failed';
  released: boolean;
  closed: boolean;
  command: string;
  args: string[];
  argv?: string[];
  path?: string;
  via?: 'args' | 'file' | 'shell';
  cwd: string;
  pty: boolean;
  interactive: boolean;
  rows: number;
  cols: number;
  startedMs?: number;
  endedMs?: number;
  bytes: number;
  kept: number;
  truncated: boolean;
  exit?: { exitCode: number | null; signal: string | null };
  endedBy?: string;
  error?: Failure;
}

/** What the sandbox tells, but for what the worker keeps to itself. */
export type SandboxEvent =
  | { event: 'terminal'; terminal: TerminalInfo }
  | { event: 'counts'; id: string; bytes: number; kept: number; truncated: boolean }
  | { event: 'asking'; request: number; id: string; path: string; argv: string[]; cwd: string; roots: string[]; env: { name: string; value: string }[] }
  | { event: 'asked'; request: number }
  | { event: 'evicted'; id: string }
  | { event: 'load'; request: number; module: number }
  | { event: 'compiling'; name: string; done: boolean }
  | { event: 'peer_closed'; peer: number }
  | { event: 'provider'; path: string; reason: string; message: string }
  | { event: 'file'; request: number }
  | { event: 'closed' };

/** Where the worker finds a module: it fetches URLs itself. */
export type Found = { url: string } | { module: WebAssembly.Module } | { bytes: Bytes } | { failure: Failure };

/** What a provider of the page is asked to do; bytes to write come beside it. */
export type Ask = { request: number; mount: number; path: string } & (
  | { op: 'stat' | 'readDirectory' | 'readFile' | 'createDirectory' | 'delete' }
  | { op: 'writeFile'; create: boolean; overwrite: boolean }
  | { op: 'rename'; to: string }
);

/** An error that crosses between the two. */
export interface Failed extends Failure {
  param?: string;
}

export interface SnapshotMessage {
  offset: number;
  rows: number;
  cols: number;
  data: Bytes;
}

/** What the page asks the worker to do, and gets a reply to. */
export type Request =
  | { op: 'create'; command: object }
  | { op: 'write'; id: string; data: Bytes }
  | { op: 'close_input' | 'kill' | 'release' | 'text'; id: string }
  | { op: 'resize'; id: string; rows: number; cols: number }
  | { op: 'watch'; id: string; history: number }
  | { op: 'open_peer'; options: object }
  | { op: 'stat' | 'list' | 'read' | 'mkdir'; path: string }
  | { op: 'write_file'; path: string; data: Bytes; flags: number; mode: number }
  | { op: 'remove'; path: string; recursive: boolean }
  | { op: 'rename'; from: string; to: string; overwrite: boolean };

export type ToWorker =
  | { to: 'boot'; wasmURL: string; config: Config; modules: ModuleInfo[]; files: [path: string, data: Bytes][]; storage?: string; moduleLimit: number }
  | { to: 'request'; n: number; request: Request }
  /** The view has drawn what it was given: it may have the next. */
  | { to: 'next'; watch: number }
  | { to: 'skip'; watch: number; history: number }
  | { to: 'unwatch'; watch: number }
  | { to: 'decide'; request: number; allow: boolean; reason: string }
  | { to: 'found'; request: number; found: Found }
  | { to: 'provided'; request: number; failed: boolean; data: Bytes | string }
  | { to: 'provider_changed'; mount: number; changes: [type: number, path: string][] }
  | { to: 'line'; peer: number; text: string; id?: number | null | undefined }
  | { to: 'taken'; peer: number; bytes: number }
  | { to: 'close_peer'; peer: number }
  /** The last events were heard: there may be more. */
  | { to: 'heard' }
  | { to: 'close' };

export type FromWorker =
  | { from: 'ready' }
  | { from: 'failed'; error: Failed }
  | { from: 'reply'; n: number; value?: unknown; error?: Failed }
  | { from: 'events'; events: SandboxEvent[]; changes: FileChange[] | 'all' | undefined }
  | { from: 'find'; request: number; place: number }
  | { from: 'load'; name: string; phase: 'fetch' | 'compile' | 'done' | 'failed'; loaded: number; total?: number }
  | { from: 'output'; watch: number; offset: number; data: Bytes }
  | { from: 'snapshot'; watch: number; snapshot: SnapshotMessage }
  | { from: 'ended'; watch: number }
  | { from: 'lines'; peer: number; text: string; bytes: number }
  | { from: 'ask'; ask: Ask; data?: Bytes }
  | { from: 'storage'; error: Failed }
  | { from: 'dead'; error: Failed; trace: string };
