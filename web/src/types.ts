// What views, and the page around them, see of terminals. Nothing here does anything: index.ts
// makes what these types describe.

/** Bytes whose buffer nobody shares: they may be handed to another thread. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** Ends a subscription. A second call does nothing. */
export type Unsubscribe = () => void;

// ---------------------------------------------------------------------------------------------
// Terminals

/**
 * Where a terminal is in its life.
 *
 * - `queued`: its command is being found, its module fetched or compiled, or it waits for room.
 * - `asking`: the policy has been asked, and has not answered.
 * - `running`
 * - `exited`: by itself, with an exit code.
 * - `killed`: by whom or what is in `endedBy`.
 * - `failed`: it never ran; why is in `error`.
 *
 * That it was released is told apart, in `released`: its output can be read all the same.
 */
export type TerminalState = 'queued' | 'asking' | 'running' | 'exited' | 'killed' | 'failed';

/**
 * Who or what ended a command that did not end by itself: a person (the page), its agent, a limit
 * (`timeout` is that of its time), a trap of the module, a signal that another command sent, the
 * sandbox itself (it was closed, or died), or nobody knows.
 */
export type EndedBy =
  | 'person' | 'agent' | 'timeout' | 'memory' | 'stack' | 'fuel' | 'output' | 'open_files' | 'disk'
  | 'processes' | 'trap' | 'signal' | 'sandbox' | 'unknown';

/** How a command ended: one of the two is null, and both where nobody knows. */
export interface ExitStatus {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** What went wrong, for programs (`reason`, a stable word) and for people (`message`). */
export interface Failure {
  readonly reason: string;
  readonly message: string;
}

/** All that is known of a terminal, but its output. It does not change: another takes its place. */
export interface TerminalStatus {
  readonly state: TerminalState;
  /** Only its output is left. Commands such as kill are refused. */
  readonly released: boolean;
  /** Its output can still be read. False once it was evicted, or the sandbox died. */
  readonly readable: boolean;

  /** As it was asked for: an executable, or with no `args` perhaps a line for the shell. */
  readonly command: string;
  readonly args: readonly string[];
  /** What is executed, once that is known; a shell line has the shell's argv. */
  readonly argv?: readonly string[];
  /** Its executable, a path in the sandbox, once that is known. */
  readonly path?: string;
  /** Whether it was taken literally (`args`, `file`) or handed to a shell. */
  readonly via?: 'args' | 'file' | 'shell';
  readonly cwd: string;

  /** It has a pty; else its two streams are pipes, shown as one. */
  readonly pty: boolean;
  /** Its input is open: `write` works. */
  readonly interactive: boolean;
  readonly rows: number;
  readonly cols: number;

  /** When it was created, started and ended, in milliseconds since 1970. */
  readonly created: number;
  readonly started?: number;
  readonly ended?: number;

  readonly exit?: ExitStatus;
  readonly endedBy?: EndedBy;
  /** Why it is `failed`, or what the sandbox says of a death. */
  readonly error?: Failure;

  /** How many bytes it has written, as a view gets them. */
  readonly bytes: number;
  /** How many bytes its agent sees, and whether the beginning is missing there. */
  readonly kept: number;
  readonly truncated: boolean;
}

/** What a view starts from. */
export interface Snapshot {
  /** The size to give the view before it is written to. */
  readonly rows: number;
  readonly cols: number;
  /** Escape sequences and text that make a fresh xterm.js of that size look the same, and go on
   * the same: history, both screens, modes, cursor. */
  readonly data: Bytes;
  /** How many bytes of output came before it: the `offset` of the chunk that follows. */
  readonly offset: number;
}

/** Output, repaired: it is UTF-8, and may be written to a terminal as it is. */
export interface Chunk {
  readonly data: Bytes;
  /** Where in the output it begins, in bytes. */
  readonly offset: number;
}

/**
 * What `Terminal.watch` calls, one call at a time. What comes next waits until the promise of the
 * one before is settled, so a view returns one that settles when it has drawn; meanwhile nothing
 * piles up in the page. A view that gets 1 MiB behind is not given the rest: it gets a new
 * snapshot, which is where the terminal is by then.
 */
export interface Watcher {
  /** Begin anew: forget what was written before. It is always called first. */
  snapshot(s: Snapshot): void | PromiseLike<void>;
  /** Go on with this. */
  output(c: Chunk): void | PromiseLike<void>;
  /** There will be no more: the terminal was released, and all of it was shown; or it can't be read
   * any longer. What a command has left running may write after it has ended, so that alone is no
   * end. It is called once, after which the watch is closed. */
  end?(): void;
}

export interface Watch {
  /** Leave out what has not come yet: the next call is `snapshot`. */
  skip(): void;
  close(): void;
}

export interface WatchOptions {
  /** How many rows that have scrolled out come with a snapshot; 1,000 if it does not say. */
  history?: number;
}

export interface TerminalEvents {
  /** Its `status` is another one. */
  change: (status: TerminalStatus) => void;
}

/** A command and its output. It stays the same object as long as it is kept. */
export interface Terminal {
  readonly id: string;
  /** Whether the page made it, or an agent. */
  readonly origin: 'page' | 'agent';
  /** The agent's session, as the agent calls it; '' for the page's own. */
  readonly session: string;
  readonly status: TerminalStatus;
  /** Settles when the command has ended and all that it wrote is there; never rejects. A terminal
   * that fails settles too, with nulls. */
  readonly exited: Promise<ExitStatus>;

  on<E extends keyof TerminalEvents>(event: E, listener: TerminalEvents[E]): Unsubscribe;
  /** Shows the output to a view, from a snapshot on. It works after the end too, and after the
   * release: then it is the snapshot and `end`. */
  watch(watcher: Watcher, options?: WatchOptions): Watch;
  /** The output as the agent sees it: plain text unless the terminal was made otherwise. */
  text(): Promise<{ output: string; truncated: boolean }>;

  /**
   * Types into it, once it runs. It rejects with `input_closed`, `input_full`, `not_running` or
   * `released`.
   */
  write(data: string | Uint8Array): Promise<void>;
  /** Ends its input, once it runs: on a pty as if ^D was typed. */
  closeInput(): Promise<void>;
  resize(rows: number, cols: number): Promise<void>;
  /** Ends it as a person would: its agent is told that it was killed. */
  kill(): Promise<void>;
  /** Kills what still runs and lets it go; its output stays readable until it is evicted. */
  release(): Promise<void>;
}

export interface CreateOptions {
  /** An executable; with no `args` it may be a line for the shell. */
  command: string;
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
  /** An absolute path; the sandbox's own if absent. */
  cwd?: string;
  /** Directories that it sees, absolute; all files if absent. */
  roots?: readonly string[];
  /** A pty; true if absent. */
  pty?: boolean;
  /** Leave its input open; true if absent. */
  interactive?: boolean;
  /** 40 × 120 if absent. */
  rows?: number;
  cols?: number;
  /** What `text` keeps: `text` without escape sequences, or the bytes as they come. */
  rendering?: 'text' | 'raw';
  /** How many bytes of it, the newest ones. */
  outputByteLimit?: number;
  /** It is killed after so long. */
  timeoutMs?: number;
}

export interface TerminalsEvents {
  /** A terminal is there, the page's or an agent's, `queued` or `asking`. */
  open: (terminal: Terminal) => void;
  /** The status of one of them is another one. */
  change: (terminal: Terminal) => void;
  /** Its output is gone to make room for others'; it is no longer listed. */
  evict: (terminal: Terminal) => void;
  /** Something slow is under way, for those who show progress: a module is fetched or compiled. */
  load: (progress: LoadProgress) => void;
  /** What has changed among the files can't be kept, or what is kept can't be read: see
   * `TerminalsOptions.storage`. */
  storage: (error: SandboxError) => void;
  /** What is wrong with a provider of `TerminalsOptions.mounts`, once until it works again: it has
   * not answered (`provider_timeout`), has thrown what is no FileSystemError (`provider_failed`),
   * or its answer can't be (`provider_invalid`). Or that what a command has written to a file,
   * which it has closed, was not taken (`provider_lost`). */
  provider: (error: SandboxError) => void;
  /** What `state` says is another thing. */
  state: (state: TerminalsState, error?: SandboxError) => void;
}

export interface LoadProgress {
  /** The plugin or command that it is for; `sandbox` is the sandbox itself. */
  readonly name: string;
  readonly phase: 'fetch' | 'compile' | 'done' | 'failed';
  /** In bytes as they are fetched, where it is known. */
  readonly loaded: number;
  readonly total?: number;
}

/** `dead`: the worker has died; `restart` makes another. */
export type TerminalsState = 'starting' | 'ready' | 'dead' | 'closed';

/** Terminals in this page. */
export interface Terminals {
  readonly state: TerminalsState;
  /** Settles when commands can run; rejects with why they can't. After `restart` it is another. */
  readonly ready: Promise<void>;
  readonly files: Files;

  /** Makes a terminal. It settles as soon as the terminal has its id; what comes of it is in
   * `status`. It rejects where nothing could be made of the options. */
  create(options: CreateOptions): Promise<Terminal>;
  get(id: string): Terminal | undefined;
  /** Those that run and those whose output is kept, the oldest first. */
  list(): Terminal[];
  on<E extends keyof TerminalsEvents>(event: E, listener: TerminalsEvents[E]): Unsubscribe;

  /** What an ACP client that serves terminals from here says in `initialize`. */
  readonly clientCapabilities: { readonly terminal: true };
  /** Serves `terminal/*` of an ACP client: `attach(client({name: 'my-ide'}))`, with `client` of
   * @agentclientprotocol/sdk 2.x. It returns what it was given. */
  attach<T extends AcpClientApp>(client: T, options?: AttachOptions): T;
  /** The same as methods, for an ACP client in the shape of that SDK's 1.x. */
  client(options?: AttachOptions): AcpClientMethods;
  /** Answers one JSON-RPC message, for those who have no SDK: text is answered with text, an object
   * with an object, and what needs no answer with undefined. It never rejects. */
  handleMessage(message: string): Promise<string | undefined>;
  handleMessage(message: object): Promise<object | undefined>;
  /** Says what a session hands over. A session that nobody opened sees all files. */
  openSession(sessionId: string, roots: { cwd: string; additionalDirectories?: readonly string[] }): Promise<void>;
  /** Releases what a session still has, and forgets its output. */
  closeSession(sessionId: string): Promise<void>;

  /** Begins again after a death. Files in memory are gone with the worker. */
  restart(): Promise<void>;
  /** Ends every terminal, and the worker. */
  close(): Promise<void>;
}

// ---------------------------------------------------------------------------------------------
// How a sandbox is made

export interface TerminalsOptions {
  /** What can be run, by name; or plugins, which have several commands each. */
  commands: Commands | readonly (Plugin | Commands)[];
  /** What is in the files at first: text or bytes by absolute path. A path that ends in a slash is
   * an empty directory. */
  files?: Readonly<Record<string, string | Uint8Array>>;
  /** Keep the files in the browser (OPFS), by this name: after a reload they are there again, in
   * the place of `files`. What is changed is written soon after, the rest by `close`. One sandbox
   * at a time may have a name: else it is `storage_locked`. Links and times are not kept. */
  storage?: string;
  /** Files of the page's own, by the absolute path where commands see them. None may be in another
   * one, nor in `/bin`, `/dev` or `/tmp`. */
  mounts?: Readonly<Record<string, FileSystemProvider>>;
  /** Asked before a command starts. Without it all may. */
  policy?: Policy;
  limits?: Limits;
  /** Where commands begin that do not say; `/work` if absent. It is made if it is not there. */
  cwd?: string;
  /** Variables of all commands. */
  env?: Readonly<Record<string, string>>;
  /** Leave the input of agents' commands open, so that a person can take over. Else they read end
   * of file at once, as with `terrarium serve`, and none waits for a person who is not there. */
  agentInput?: boolean;
  /** Also takes `env` of ACP as an object of names and values. */
  lenient?: boolean;
  /** The same clock and random numbers for each command, each time. */
  deterministic?: boolean;

  /** Closes the sandbox. One that has not started yet, whose files may never come, is given up:
   * `createTerminals` rejects with `closed`. */
  signal?: AbortSignal;
  /** Where `sandbox.wasm` is, where that next to this module is not it. */
  wasmURL?: string | URL;
  /** Makes the worker, where a bundler can't: `() => new Worker(url, {type: 'module'})`. */
  workerFactory?: () => Worker;
}

/** Where a module comes from. A URL is fetched when the command is first used; one that ends in
 * `.gz`, or that is gzip by its first bytes, is unpacked. A `WebAssembly.Module` must be metered
 * already, as plugins are: what is compiled can't be looked into. */
export type CommandSource = string | URL | Response | WebAssembly.Module | Uint8Array | (() => CommandSource | PromiseLike<CommandSource>);

export type Commands = Readonly<Record<string, CommandSource>>;

/** A module that has several commands, metered when it was built. */
export interface Plugin {
  readonly name: string;
  /** SHA-256 of the module before it was metered, in hexadecimal digits. */
  readonly sum: string;
  /** What metered it: another version's is refused. */
  readonly by: string;
  readonly size?: number;
  readonly commands: readonly string[];
  readonly source: CommandSource;
}

/** What the policy is asked about. */
export interface PolicyRequest {
  readonly terminal: Terminal;
  /** The path of what would be executed, its arguments (`argv[0]` is its name), and where. */
  readonly path: string;
  readonly argv: readonly string[];
  readonly cwd: string;
  /** The directories that it would see. */
  readonly roots: readonly string[];
  /** What the request adds to the environment. */
  readonly env: readonly { readonly name: string; readonly value: string }[];
  /** Aborted when nobody waits for the answer any longer. */
  readonly signal: AbortSignal;
}

export type PolicyAnswer = 'allow' | 'deny' | { readonly allow: boolean; readonly reason?: string };

/** A policy that throws, or rejects, or answers anything else, denies. */
export type Policy = (request: PolicyRequest) => PolicyAnswer | PromiseLike<PolicyAnswer>;

/** Limits, each with a default. Sizes are in bytes. */
export interface Limits {
  /** Of each command, all that it starts included. */
  memory?: number;
  fuel?: number;
  wallMs?: number;
  output?: number;
  openFiles?: number;
  processes?: number;
  /** Of `/tmp` of a session. */
  scratch?: number;

  /** Of all commands together. Default 2 GiB: about 120 small ones, as many as a browser has room
   * for. */
  totalMemory?: number;
  /** Of all files, and how many names. Defaults 256 MiB and 100,000. */
  fileBytes?: number;
  fileCount?: number;
  /** The largest module that is taken. Default 32 MiB. */
  module?: number;

  /** How long a provider of `mounts` may take to answer. Default 10 s. */
  providerMs?: number;

  /** What a terminal keeps of its output, where the request does not say. Default 1 MiB. */
  outputByteLimit?: number;
  /** How many terminals at a time. Default 256. One agent may have seven eighths of them. */
  terminals?: number;
  /** How many that were released stay readable, and their size. Defaults 256 and 64 MiB. */
  keptTerminals?: number;
  keptBytes?: number;
  /** How long a command may take to end before it is ended. Default 5 s. */
  killGraceMs?: number;
}

// ---------------------------------------------------------------------------------------------
// Files

/** The numbers of VS Code's FileType. */
export const FileType = { Unknown: 0, File: 1, Directory: 2, SymbolicLink: 64 } as const;
export type FileType = (typeof FileType)[keyof typeof FileType];

export interface FileStat {
  type: FileType;
  /** Milliseconds since 1970. */
  ctime: number;
  mtime: number;
  size: number;
  /** Permissions, as Linux numbers them. */
  mode?: number;
  /** Of a provider's file, VS Code's FilePermission: 1 is one that can't be written. */
  permissions?: number;
}

/** The numbers of VS Code's FileChangeType. */
export const FileChangeType = { Changed: 1, Created: 2, Deleted: 3 } as const;
export type FileChangeType = (typeof FileChangeType)[keyof typeof FileChangeType];

export interface FileChange {
  type: FileChangeType;
  path: string;
}

/**
 * The files that commands see, for the page: the methods of VS Code's FileSystemProvider, with
 * absolute paths in the place of URIs. Rejections are a `SandboxError` whose reason is
 * `file_not_found`, `file_exists`, `not_a_directory`, `is_a_directory`, `not_empty`, `no_space`,
 * `no_permission` or `invalid_path`; in a mount also `unavailable` or `timeout`.
 */
export interface Files {
  stat(path: string): Promise<FileStat>;
  readDirectory(path: string): Promise<[name: string, type: FileType][]>;
  createDirectory(path: string): Promise<void>;
  readFile(path: string): Promise<Bytes>;
  writeFile(path: string, content: string | Uint8Array, options?: { create?: boolean; overwrite?: boolean; mode?: number }): Promise<void>;
  delete(path: string, options?: { recursive?: boolean }): Promise<void>;
  rename(from: string, to: string, options?: { overwrite?: boolean }): Promise<void>;
  /** Tells what commands and the page have changed, soon after, each path once. After too many at
   * once it is told `'all'`: read again whatever you show. */
  onChange(listener: (changes: readonly FileChange[] | 'all') => void): Unsubscribe;
}

/**
 * Files of the page's own, such as editors with unsaved text, mounted among the others: the methods
 * of VS Code's FileSystemProvider. `/` is the directory where it is mounted.
 *
 * Each file is read when a command opens it, whatever was read before. What a command writes comes
 * by `writeFile`, whole, milliseconds later, again while it writes on, and before the command that
 * wrote it has ended. What was renamed takes the place of what had the name: `sed -i` writes a file
 * beside and renames it.
 *
 * An error whose `code` is that of VS Code's FileSystemError (`FileNotFound`, `FileExists`,
 * `FileNotADirectory`, `FileIsADirectory`, `NoPermissions`, `Unavailable`) is what the command is
 * told; any other is an error of input and output. There are no links: one to a file is the file,
 * one to a directory can only be removed. Permissions and times that commands set stay in memory.
 */
export interface FileSystemProvider {
  stat(path: string): FileStat | PromiseLike<FileStat>;
  readDirectory(path: string): [string, FileType][] | PromiseLike<[string, FileType][]>;
  createDirectory(path: string): void | PromiseLike<void>;
  readFile(path: string): Uint8Array | PromiseLike<Uint8Array>;
  writeFile(path: string, content: Uint8Array, options: { create: boolean; overwrite: boolean }): void | PromiseLike<void>;
  delete(path: string, options: { recursive: boolean }): void | PromiseLike<void>;
  rename(from: string, to: string, options: { overwrite: boolean }): void | PromiseLike<void>;
  /** Has changes of others told: files that commands have open are read again, and
   * `Files.onChange` tells them. It returns what ends that. */
  watch?(listener: (changes: readonly FileChange[]) => void): Unsubscribe;
}

// ---------------------------------------------------------------------------------------------
// Errors

/**
 * Why something was refused or failed.
 *
 * Of the page: `no_jspi`, `no_worker`, `csp` (WebAssembly or the worker is not allowed),
 * `worker_failed` (its script could not be loaded), `fetch_failed`, `not_wasm`, `wrong_version`,
 * `refused` (by the meter), `no_storage`, `storage_locked`, `provider_timeout`, `provider_failed`,
 * `provider_invalid`, `provider_lost`, `dead`, `closed`, `failed`. Of a command: `not_found`,
 * `not_executable`, `denied`, `killed`, `released`, `timeout`, `no_resources`, `start_failed`. Of a
 * call: `invalid`, `unknown_terminal`, `not_running`, `input_closed`, `input_full`, `limit_…`, and
 * those of `Files`. There may be others.
 */
export type Reason = string;

/** What the API rejects with. */
export interface SandboxError extends Error {
  readonly name: 'SandboxError';
  readonly reason: Reason;
  /** The parameter that is wrong, if one is. */
  readonly param?: string;
  /** What Go wrote before it died, to be put into a report. */
  readonly trace?: string;
}

// ---------------------------------------------------------------------------------------------
// The Agent Client Protocol

/** An error as JSON-RPC has it. */
export interface RpcError {
  code: number;
  message: string;
  data?: unknown;
}

/** The constructor of `RequestError` of @agentclientprotocol/sdk: the SDK sends the code and data
 * of nothing else. */
export type RequestErrorClass = new (code: number, message: string, data?: unknown) => Error;

export interface AttachOptions {
  /** The `RequestError` of the SDK that `client` is of. Without it, errors cross as -32603. */
  RequestError?: RequestErrorClass;
}

/** The part of the SDK's `ClientApp` that is used here. */
export interface AcpClientApp {
  onRequest(method: any, handler: any): unknown;
}

/** The terminal methods of a `Client` of that SDK's 1.x. */
export interface AcpClientMethods {
  createTerminal(params: object): Promise<{ terminalId: string }>;
  terminalOutput(params: object): Promise<{ output: string; truncated: boolean; exitStatus?: ExitStatus | null }>;
  waitForTerminalExit(params: object): Promise<ExitStatus>;
  killTerminal(params: object): Promise<object>;
  releaseTerminal(params: object): Promise<object>;
}
