// @ts-check
// Runs a Go test binary, with the glue for guests, and tells the runner what it writes and how it
// ends.

import { output, mkdirAll, addFile } from './files.js';
import './wasm_exec.js';
import { Guests, missing } from './guests.js';

/** @param {string} path @param {BodyInit} body @param {boolean} [now] */
const post = async (path, body, now) => {
  if (!now) return void (await fetch(path, { method: 'POST', body }));
  const r = new XMLHttpRequest();
  r.open('POST', path, false); // it must leave before Go takes the thread for good
  r.send(/** @type {XMLHttpRequestBodyInit} */ (body));
};

// What is written soon after another is sent with what follows.
const batchMs = 20;
/** @type {{fd: number, parts: Uint8Array[]}[]} */
let kept = [];
let sent = 0, scheduled = false;
const flush = () => {
  const all = kept;
  kept = [];
  for (const { fd, parts } of all) void post('out/' + fd, new Blob(/** @type {BlobPart[]} */ (parts)), true);
  sent = performance.now();
};
output.write = (fd, b) => {
  const last = kept.at(-1);
  if (last?.fd === fd) last.parts.push(b);
  else kept.push({ fd, parts: [b] });
  if (performance.now() - sent > batchMs) return flush();
  if (scheduled) return;
  scheduled = true;
  setTimeout(() => {
    scheduled = false;
    flush();
  }, batchMs);
};

/** @param {unknown} e */
const fail = async (e) => {
  flush();
  await post('fail', e instanceof Error ? (e.stack ?? String(e)) : String(e));
};
self.addEventListener('unhandledrejection', (e) => void fail(e.reason));
self.addEventListener('error', (e) => void fail(e.error ?? e.message));

const run = async () => {
  const lacks = missing();
  if (lacks) throw new Error('this browser has no ' + lacks);
  const config = await (await fetch('config.json')).json();
  const bundle = new Uint8Array(await (await fetch('bundle')).arrayBuffer());
  let at = 0;
  for (const f of config.files) {
    addFile(f.path, f.mode, bundle.slice(at, (at += f.size)));
  }
  mkdirAll('/tmp', 0o777);
  mkdirAll('/dev');
  mkdirAll(config.cwd);
  addFile('/dev/null', 0o666, new Uint8Array(0));
  const g = /** @type {any} */ (globalThis);
  g.process.chdir(config.cwd);

  const go = new g.Go();
  go.argv = config.argv;
  go.env = config.env;
  let code = 0;
  go.exit = (/** @type {number} */ c) => {
    code = c;
  };
  const guests = new Guests();
  output.calling = () => guests.calling;
  g.terrariumGuests = guests; // for tests of it
  guests.onfail = (reason) => {
    if (!go.exited) void fail(reason);
  };
  go.importObject.terrarium_page = guests.imports;
  const module = await WebAssembly.compileStreaming(fetch('test.wasm'));
  const instance = await WebAssembly.instantiate(module, go.importObject);
  guests.attach(go, instance);
  await go.run(instance);
  flush();
  await post('exit', String(code));
};
run().catch(fail);
