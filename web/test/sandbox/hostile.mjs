// All exports of cmd/sandbox, with whatever a page may pass.

/**
 * Runs in a worker: it tells how many calls were made, of how many exports, and what went wrong.
 * It makes calls for so many seconds, and at least so many calls.
 */
export async function hostile({ base, seconds, least, seed }) {
  await import(`${base}/dist/wasm_exec.js`);
  const { Guests } = await import(`${base}/dist/guests.js`);
  const random = (n) => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return Math.floor((seed / 2 ** 32) * n);
  };
  const pick = (list) => list[random(list.length)];
  const guests = new Guests();
  let dead;
  guests.onfail = (e) => (dead ??= String(e));
  const go = new Go(), told = [];
  const stream = (await fetch(`${base}/dist/sandbox.wasm.gz`)).body.pipeThrough(new DecompressionStream('gzip'));
  const { instance } = await WebAssembly.instantiate(await new Response(stream).arrayBuffer(), {
    ...go.importObject, terrarium_page: guests.imports,
    terrarium_sandbox: {
      event: (at, n) => told.push(new TextDecoder().decode(new Uint8Array(x.mem.buffer, at >>> 0, n >>> 0).slice())) > 100 && told.shift(),
      output() {}, ended() {}, changed() {}, line() {}, ask() {},
    },
  });
  const x = instance.exports;
  go.run(instance);
  guests.attach(go, instance);
  const encoder = new TextEncoder(), decoder = new TextDecoder();
  const flag = x.sandbox_returned() >>> 0;
  const put = (bytes) => {
    const at = x.input(bytes.length) >>> 0;
    if (at === 0) throw new Error(`no input buffer for ${bytes.length} bytes`);
    new Uint8Array(x.mem.buffer).set(bytes, at);
  };
  const call = (name, ...args) => {
    const view = () => new Int32Array(x.mem.buffer, flag, 1);
    view()[0] = 0;
    const status = x[name](...args);
    if (view()[0] !== 1) throw new Error('it has blocked');
    return status;
  };
  const result = () => {
    const span = BigInt.asUintN(64, x.result());
    return decoder.decode(new Uint8Array(x.mem.buffer, Number(span >> 32n), Number(span & 0xffffffffn)));
  };
  const config = encoder.encode('{"modules":[{"name":"box","commands":["sh","cat"]}],"mounts":[{"path":"/p","timeoutMs":50}],"limits":{"fileBytes":1048576,"terminals":20,"keptTerminals":4}}');
  put(config);
  if (call('configure', config.length) !== 0) throw new Error(result());

  const names = Object.keys(x).filter((name) => typeof x[name] === 'function'
    && !/^(page_|sandbox_|run$|resume$|getsp$|mem$|result$|input$|close_all$)/.test(name));
  const ids = ['', 'term_1', '\0', '\ud800', '/', '/work', '/work/x', '/work/../x', '//', '/p', '/p/x', '/' + 'a/'.repeat(2100), 'x'.repeat(5000)];
  const texts = [
    '{}', 'null', '[]', '"', '{"command":"cat"}', '{"command":"sh","args":["-c","exit"],"rows":1e9}', '{"command":"cat","pty":1}',
    '{"command":"\\ud800"}', '['.repeat(100000), '{"a":'.repeat(5000), '{"rows":2,"cols":3}', '{"interactive":true}',
    '{"jsonrpc":"2.0","id":1,"method":"terminal/create","params":{"sessionId":"s","command":"cat"}}', '{"jsonrpc":"2.0","id":1,"method":""}',
    '{"reason":"x","message":"y"}', '{"limits":{"memory":-1}}', '\0\0\0', '1e999', '\x1b[999999999;999999999H',
  ].map((s) => encoder.encode(s));
  const numbers = [0, 1, 2, 3, 4, 7, 8, 64, 255, 4096, 65536, -1, -2, 2 ** 31 - 1, -(2 ** 31)];
  let calls = 0, last = '';
  try {
    for (const until = performance.now() + seconds * 1000; (performance.now() < until || calls < least) && !dead; ) {
      for (let i = 0; i < 200; i++) {
        const id = encoder.encode(pick(ids)), body = random(10) ? pick(texts) : Uint8Array.from({ length: random(300) }, () => random(256));
        const both = new Uint8Array(id.length + body.length);
        both.set(id);
        both.set(body, id.length);
        put(both);
        const name = pick(names);
        // Mostly lengths that are right, and numbers that there may be.
        const args = Array.from({ length: x[name].length }, () => pick([id.length, body.length, both.length, random(6), pick(numbers)]));
        last = `${name}(${args})`;
        const status = call(name, ...args);
        calls++;
        if (status < 0 && typeof JSON.parse(result()).reason !== 'string') throw new Error(`no reason: ${result()}`);
      }
      guests.kick();
      await new Promise((resolve) => setTimeout(resolve)); // goroutines and timers get their turn
    }
    // It still answers.
    const path = encoder.encode('/fine'), text = encoder.encode('fine');
    put(new Uint8Array([...path, ...text]));
    last = 'file_write, afterwards';
    const wrote = call('file_write', path.length, text.length, 3, 0);
    if (wrote !== 0 && !/no_space/.test(result())) throw new Error(result());
    put(path);
    call('file_list', 0);
  } catch (e) {
    dead ??= `${last}: ${e.stack ?? e}`;
  }
  return { calls, names: names.length, megabytes: x.mem.buffer.byteLength >> 20, dead, last };
}
