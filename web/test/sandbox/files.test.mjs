// Files that are kept in the browser, and those of the page, by a provider.

import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';

import { hung, launch, serve, watchErrors } from '../view/serve.mjs';

let server, chromium;

before(async () => {
  server = await serve();
  chromium = await launch();
});

after(async () => {
  await chromium?.close();
  await server?.close();
});

const limit = { timeout: hung };

async function open() {
  const page = await chromium.browser.newPage();
  const errors = watchErrors(page);
  await page.goto(`${server.url}/test/sandbox/page.html`);
  await page.waitForFunction('window.ready');
  return { page, errors };
}

test('files survive a reload, and one tab at a time has them', limit, async () => {
  const { page, errors } = await open();
  const options = { storage: 'kept', files: { '/work/a': 'first', '/work/gone': 'x', '/work/dir/b': 'b' } };
  await page.evaluate(async (options) => {
    await make(options);
    await run('echo second > a; rm gone; mkdir -p deep/er; echo "echo run" > deep/er/script; chmod 755 deep/er/script; mv dir moved; echo f > file');
    await run('rm file; mkdir file; echo in > file/x');
    await terminals.close();
  }, options);
  await page.reload();
  await page.waitForFunction('window.ready');
  const read = (options) => make(options).then(() => run('cat a moved/b file/x; ls; sh deep/er/script; stat -c %a deep/er/script a'));
  await page.evaluate((read) => (window.read = eval(read)), String(read));
  const { output } = await page.evaluate((options) => read(options), options);
  assert.equal(output, 'second\nbin\na\ndeep\nfile\nmoved\nrun\n755\n644\n');

  // Another tab is told so, and has its turn when this one has gone.
  const other = await open();
  const refused = await other.page.evaluate((options) => refusal(make(options)), options);
  assert.equal(refused.reason, 'storage_locked');
  await page.evaluate(() => run('echo without a close > late'));
  await page.evaluate(async () => {
    const top = await navigator.storage.getDirectory();
    const find = async (...path) => {
      let dir = top;
      for (const name of path.slice(0, -1)) dir = await dir.getDirectoryHandle(name);
      return (await (await dir.getFileHandle(path.at(-1))).getFile()).text();
    };
    while ((await find('terrarium', 'kept', 'files', 'work', 'late').catch(() => '')) !== 'without a close\n');
  });
  await page.close();
  const late = await other.page.evaluate(async (options) => {
    for (;;) {
      const e = await refusal(make(options));
      if (!e) return (await run('cat late')).output;
      if (e.reason !== 'storage_locked') throw new Error(e.message);
    }
  }, options);
  assert.equal(late, 'without a close\n');
  assert.deepEqual([...errors, ...other.errors], []);
});

test('files are all there after a start and a close that take long', limit, async () => {
  const { page } = await open();
  const output = await page.evaluate(async () => {
    const slow = (what, ms) => patched(`{
      const own = ${what};
      ${what} = async function (...args) {
        await new Promise((resolve) => setTimeout(resolve, ${ms}));
        return own.apply(this, args);
      };
    }`);
    const files = Object.fromEntries(['x', 'y', 'z'].map((name) => [`/work/d/${name}`, name]));
    // Longer than commands have to end.
    await make({ storage: 'slow', files, workerFactory: slow('FileSystemFileHandle.prototype.createWritable', 800) });
    await terminals.close();
    // Longer than changes are gathered.
    await make({ storage: 'slow', workerFactory: slow('FileSystemFileHandle.prototype.getFile', 80) });
    await terminals.close();
    await make({ storage: 'slow' });
    const { output } = await run('cat d/*');
    await terminals.close();
    return output;
  });
  assert.equal(output, 'xyz');
  await page.close();
});

test('what is kept and can not be read is told, and stays', limit, async () => {
  const { page } = await open();
  const result = await page.evaluate(async () => {
    const options = { storage: 'unread', limits: { fileBytes: 1 << 20 } };
    await make({ ...options, files: { '/work/good': 'good' } });
    // One file while it is in memory, and two of them are too large. A browser that has crashed
    // leaves such a file too, and has not written what tells it from a user's.
    await run('head -c 600000 /dev/zero > a; for n in b c d e f g h i j k l m n; do ln a $n; done; echo mine > mine.crswap');
    await terminals.close();
    let home = await navigator.storage.getDirectory();
    for (const name of ['terrarium', 'unread']) home = await home.getDirectoryHandle(name);
    const put = async (dir, name, text) => {
      const to = await (await dir.getFileHandle(name, { create: true })).createWritable();
      await to.write(text);
      await to.close();
    };
    const work = await (await home.getDirectoryHandle('files')).getDirectoryHandle('work');
    await put(work, 'left.crswap', 'by a browser that has crashed');
    const out = [];
    for (const begin of [() => undefined, () => put(home, 'modes.json', 'null'), () => put(work, 'é'.repeat(200), 'a name that is too long')]) {
      await begin();
      await make(options);
      const [error] = await until((f) => terminals.on('storage', f), () => true);
      await terminals.files.writeFile('/work/new', 'new');
      out.push({ error: { reason: error.reason, message: error.message }, ...await run('cat good new mine.crswap; ls') });
      await terminals.close();
    }
    const names = [], sizes = [];
    for await (const name of work.keys()) names.push(name);
    for (const name of ['a', 'b']) sizes.push((await (await work.getFileHandle(name)).getFile()).size);
    return { out, names: names.sort(), sizes };
  });
  for (const { error, output } of result.out) {
    assert.equal(error.reason, 'no_storage');
    assert.match(error.message, /^(\/work\/[a-né]+, ){9}\/work\/[a-né]+ and [34] more can't be read: /);
    assert.match(output, /^goodnew[^]*good\n(mine.crswap\n)?([a-n]\n)?new\n/);
    assert.doesNotMatch(output, /left/);
  }
  assert.match(result.out[0].output, /^goodnewmine\n/);
  assert.deepEqual(result.names, [...'abcdefghijklmn', 'good', 'left.crswap', 'mine.crswap', 'new', 'é'.repeat(200)].sort());
  assert.deepEqual(result.sizes, [600_000, 600_000]);
  await page.close();
});

test('what the page that was here before had not written to its end is left out', limit, async () => {
  const { page } = await open();
  const output = await page.evaluate(async () => {
    await make({ storage: 'half', files: { '/work/whole': 'a', '/work/half': 'b' } });
    await terminals.close();
    // As Chromium does after a reload: it can't list what it is still taking away, nor read it.
    const workerFactory = patched(`
      const { getFile } = FileSystemFileHandle.prototype, { entries } = FileSystemDirectoryHandle.prototype;
      const gone = () => new DOMException('as if', 'NotFoundError'), seen = new Set();
      FileSystemFileHandle.prototype.getFile = function () {
        if (this.name === 'half') throw gone();
        return getFile.call(this);
      };
      FileSystemDirectoryHandle.prototype.entries = async function* () {
        if (!seen.has(this.name)) {
          seen.add(this.name);
          throw gone();
        }
        yield* entries.call(this);
      };`);
    await make({ storage: 'half', workerFactory });
    const { output } = await run('ls');
    await terminals.close();
    return output;
  });
  assert.equal(output, 'whole\n');
  await page.close();
});

test('what can not be kept is told, and commands go on', limit, async () => {
  const { page } = await open();
  const result = await page.evaluate(async () => {
    const bad = await refusal(make({ storage: 'a/b' }));
    await make({ storage: 'full' });
    await terminals.close();
    await make({ storage: 'full' }); // now nothing is left to be written
    const told = until((f) => terminals.on('storage', f), () => true);
    const top = await navigator.storage.getDirectory();
    const dir = await (await (await top.getDirectoryHandle('terrarium')).getDirectoryHandle('full')).getDirectoryHandle('files');
    const at = await (await dir.getDirectoryHandle('work', { create: true })).getFileHandle('locked', { create: true });
    const taken = new Worker(URL.createObjectURL(new Blob([`onmessage = async (e) => { self.h = await e.data.createSyncAccessHandle(); postMessage(1); }`])));
    await new Promise((resolve) => {
      taken.onmessage = resolve;
      taken.postMessage(at);
    });
    const { output } = await run('echo text > locked; cat locked');
    const [error] = await told;
    taken.terminate();
    return { bad, output, error: { reason: error.reason, message: error.message } };
  });
  assert.equal(result.bad.reason, 'value');
  assert.equal(result.output, 'text\n');
  assert.equal(result.error.reason, 'no_storage');
});

test('no room in the browser: what there is stays, the rest is told and kept when there is room', limit, async () => {
  const { page } = await open();
  const cdp = await page.context().newCDPSession(page);
  const quota = (quotaSize) => cdp.send('Storage.overrideQuotaForOrigin', { origin: server.url, ...(quotaSize && { quotaSize }) });
  await page.evaluate(async () => {
    await make({ storage: 'quota', files: { '/work/before': 'before', '/work/rewritten': 'old' } });
    await terminals.close();
    await make({ storage: 'quota' });
  });
  const { usage } = await page.evaluate(() => navigator.storage.estimate());
  await quota(usage + 100_000);
  const full = await page.evaluate(async () => {
    const other = await terminals.create({ command: 'cat', pty: false });
    const screen = new Screen(other);
    const told = until((f) => terminals.on('storage', f), () => true);
    // Each at once: of what a command writes bit by bit, the beginning may have room.
    for (const name of ['big', 'rewritten']) await terminals.files.writeFile(`/work/${name}`, new Uint8Array(1_000_000));
    const { output } = await run('echo small > small; wc -c < big');
    const [error] = await told;
    await other.write('unharmed\n');
    await screen.shows((s) => s.text.includes('unharmed'));
    return { output, error: { reason: error.reason, message: error.message }, state: terminals.state };
  });
  assert.equal(full.output, '1000000\n');
  assert.deepEqual([full.error.reason, full.state], ['no_space', 'ready']);
  assert.match(full.error.message, /\/work\/big.*no room/);
  // Another tab would find what was kept before, what there was room for, and that there was a
  // file.
  const kept = () => page.evaluate(async () => {
    const top = await navigator.storage.getDirectory();
    let dir = top;
    for (const name of ['terrarium', 'quota', 'files', 'work']) dir = await dir.getDirectoryHandle(name);
    const sizes = {};
    for await (const [name, handle] of dir.entries()) {
      // Chromium has such a file while it writes.
      if (!name.endsWith('.crswap')) sizes[name] = (await handle.getFile()).size;
    }
    return sizes;
  });
  while ((await kept()).small !== 6);
  assert.deepEqual(await kept(), { before: 6, big: 0, rewritten: 3, small: 6 });
  await quota();
  await page.evaluate(async () => {
    await run('echo more > more');
    await terminals.close();
  });
  assert.deepEqual(await kept(), { before: 6, big: 1_000_000, more: 5, rewritten: 1_000_000, small: 6 });
});

test('commands see unsaved editors, and what they write is there when they end', limit, async () => {
  const { page, errors } = await open();
  const seen = await page.evaluate(async () => {
    const e = (window.e = new Editor({ '/a.txt': 'unsaved text\n', '/src/b.txt': 'more text\n', '/src/c': 'x\n' }));
    await make({ mounts: { '/work': e } });
    const changes = [];
    terminals.files.onChange((c) => changes.push(...c.map((x) => `${x.type} ${x.path}`)));
    const result = { grep: (await run('grep -r text . | sort; ls -l src | wc -l')).output };
    e.files.set('/a.txt', new TextEncoder().encode('edited text\n'));
    result.cat = (await run('cat a.txt')).output;
    result.sed = await run('sed -i s/edited/changed/ a.txt');
    result.text = e.text('/a.txt');
    result.redirect = await run('echo new > n; echo more >> n; cat n');
    result.n = e.text('/n');
    result.tree = await run('mkdir -p d/e && mv n d/e/m && mv d f && cat f/e/m && rm -r src && ls; rmdir f; rm none; cat f; mkdir f; cat a.txt/x');
    result.paths = [...e.files.keys(), ...e.dirs].sort();
    result.script = await run('printf "echo ran\\n" > run.sh; chmod +x run.sh; ls -l run.sh | cut -c 1-10; cp run.sh /tmp/; cat /tmp/run.sh | wc -c');
    result.exec = (await run('touch -d 2001-02-03 a.txt; date -r a.txt +%Y; ln -s a.txt l; ls -a | wc -l')).output;
    result.far = (await run('printf x | dd of=far bs=1 seek=9 2>/dev/null; od -An -c far | tr -d " "; rm far')).output;
    result.changes = [...new Set(changes)];
    return result;
  });
  assert.equal(seen.grep, './a.txt:unsaved text\n./src/b.txt:more text\n3\n');
  assert.equal(seen.cat, 'edited text\n');
  assert.equal(seen.sed.exitCode, 0, seen.sed.output);
  assert.equal(seen.text, 'changed text\n');
  assert.equal(seen.redirect.output, 'new\nmore\n');
  assert.equal(seen.n, 'new\nmore\n');
  assert.match(seen.tree.output, /^new\nmore\na\.txt\nf\n/);
  for (const word of ['not empty', 'No such file', 'directory', 'exists']) assert.match(seen.tree.output, new RegExp(word, 'i'));
  assert.deepEqual(seen.paths, ['/', '/a.txt', '/f', '/f/e', '/f/e/m']);
  assert.match(seen.script.output, /^-rwxr-xr-x\n9\n/);
  assert.match(seen.exec, /^2001\n/);
  assert.equal(seen.far, '\\0\\0\\0\\0\\0\\0\\0\\0\\0x\n');
  for (const c of ['1 /work/n', '2 /work/n', '2 /work/d', '3 /work/src/b.txt', '2 /work/f']) assert.ok(seen.changes.includes(c), `${c} in ${seen.changes}`);

  const files = await page.evaluate(async () => {
    const f = terminals.files;
    await f.writeFile('/work/deep/er/x', 'by the page');
    const read = new TextDecoder().decode(await f.readFile('/work/deep/er/x'));
    await f.rename('/work/deep/er/x', '/work/y');
    const list = await f.readDirectory('/work');
    const stat = await f.stat('/work/y');
    await f.delete('/work/deep', { recursive: true });
    const told = until((l) => f.onChange(l), (c) => c.some((x) => x.path === '/work/told'));
    e.tell([{ type: 2, path: '/told' }]);
    await told;
    // A command that has a file open sees what is announced.
    const tail = await terminals.create({ command: 'tail', args: ['-f', 'y'], pty: false, interactive: false });
    const screen = new Screen(tail);
    await screen.shows((s) => s.text.includes('by the page'));
    e.files.set('/y', new TextEncoder().encode('by the page, and an editor\n'));
    e.tell([{ type: 1, path: '/y' }]);
    await screen.shows((s) => s.text.includes('and an editor'));
    await tail.kill();
    await tail.exited;
    return { read, list, stat, gone: await refusal(f.stat('/work/deep')), dirs: [...e.dirs] };
  });
  assert.equal(files.read, 'by the page');
  assert.ok(files.list.some(([n, t]) => n === 'y' && t === 1));
  assert.equal(files.stat.size, 11);
  assert.equal(files.gone.reason, 'file_not_found');
  assert.ok(!files.dirs.includes('/deep'));

  // What a command has written while all is closed is not lost.
  const last = await page.evaluate(async () => {
    const t = await terminals.create({ command: 'sh', args: ['-c', 'exec 3>late; echo first >&3; echo told; sleep 100'], pty: false });
    await new Screen(t).shows((s) => s.text.includes('told'));
    await terminals.close();
    return { text: e.text('/late'), tell: e.tell };
  });
  assert.deepEqual(last, { text: 'first\n', tell: undefined });
  assert.deepEqual(errors, []);
});

test('a provider that throws, lies or never answers fails that call alone', limit, async () => {
  const { page } = await open();
  const result = await page.evaluate(async () => {
    const good = new Editor({ '/x': 'good\n' });
    const e = new Editor({ '/a': 'a\n' });
    const told = [];
    await make({ mounts: { '/work': e, '/good': good }, cwd: '/', limits: { providerMs: 400 } });
    terminals.on('provider', (x) => told.push(x.reason));
    const result = { told };
    const say = async (what, before, line) => {
      e.before = before;
      result[what] = (await run(line)).output;
    };
    await say('denied', () => { throw fault('NoPermissions'); }, 'cat work/a; cat good/x');
    await say('unavailable', () => { throw fault('Unavailable'); }, 'cat work/a');
    await say('write', (what) => { if (what === 'writeFile') throw fault('NoPermissions'); }, 'echo x > work/a || echo failed; echo x > work/b || echo failed; cat work/a');
    await say('bug', () => { throw new TypeError('a bug'); }, 'cat work/a; cat good/x');
    await say('hostile', () => { throw { get code() { throw 1; } }; }, 'cat work/a; cat good/x');
    await say('never', () => never, 'cat work/a; cat good/x');
    e.before = () => undefined;

    // Killed while it waits, it ends at once: long before the provider has had its time.
    await terminals.close();
    await make({ mounts: { '/work': e, '/good': good }, cwd: '/', limits: { providerMs: 600_000 } });
    result.killed = [];
    for (const line of ['cat work/a', 'ls work', 'echo x > work/a', 'cd work/sub', 'mkdir work/d']) {
      e.before = () => never;
      e.asked = [];
      const t = await terminals.create({ command: line, pty: false, interactive: false });
      while (e.asked.length === 0) await new Promise((r) => setTimeout(r));
      const began = performance.now();
      await t.kill();
      const exit = await t.exited;
      result.killed.push({ line, ms: performance.now() - began, signal: exit.signal });
    }
    const t = await terminals.create({ command: 'cat good/x', cwd: '/work/sub', pty: false });
    while (!e.asked.includes('stat /sub')) await new Promise((r) => setTimeout(r));
    const began = performance.now();
    await t.kill();
    await t.exited;
    result.killed.push({ line: 'cwd', ms: performance.now() - began, signal: 'SIGTERM' });
    result.others = (await run('cat good/x; ls')).output;

    // Answers that can't be.
    e.before = () => undefined;
    const lies = {
      stat: [undefined, null, {}, { type: 1 }, { type: 'x', size: 1 }, { type: 1, size: -1 }, { type: 1, size: NaN }, { type: 1, size: 1e300 }, 7],
      readDirectory: [undefined, 'text', [1], [['../x', 1]], [['a/b', 1]], [['', 1]], [['a\0', 1]], [['\ud800', 1]], new Array(1e6), [[{}, 1]]],
      readFile: [undefined, 'text', {}, [1, 2], new Uint8Array((128 << 20) + 1)],
    };
    result.lies = [];
    for (const [what, answers] of Object.entries(lies)) {
      const own = e[what];
      for (const [i, answer] of answers.entries()) {
        e[what] = async () => answer;
        const r = await run(what === 'readDirectory' ? 'ls work' : 'cat work/a');
        if (r.exitCode === 0) result.lies.push(`${what} ${i}: ${r.output}`);
      }
      e[what] = own;
    }
    e.stat = async () => ({ type: 1, size: 1e9, mtime: 0, ctime: 0 });
    result.size = (await run('cat work/a; wc -c work/a')).output;
    delete e.stat;
    result.after = (await run('cat work/a good/x')).output;
    return result;
  });
  assert.match(result.denied, /work\/a: .*[Pp]ermission denied\ngood\n/);
  assert.match(result.unavailable, /work\/a: ./);
  assert.match(result.write, /failed\n[^]*denied[^]*failed\na\n$/);
  for (const what of ['bug', 'hostile']) assert.match(result[what], /work\/a: .*\ngood\n/);
  assert.match(result.never, /work\/a: .*timed out\ngood\n/i);
  assert.deepEqual(result.told, ['provider_failed', 'provider_timeout']);
  for (const { line, ms, signal } of result.killed) {
    assert.ok(ms < 60_000, `${line}: ${ms} ms`); // 50 where the machine is idle
    assert.ok(signal, line);
  }
  console.log('killed after', Math.max(...result.killed.map((k) => Math.round(k.ms))), 'ms at most');
  assert.match(result.others, /^good\n[^]*good\n[^]*work\n/);
  assert.deepEqual(result.lies, []);
  assert.equal(result.size, 'a\n2 work/a\n');
  assert.equal(result.after, 'a\ngood\n');
});

test('mounts have places of their own, beside files that are kept', limit, async () => {
  const { page, errors } = await open();
  const result = await page.evaluate(async () => {
    const refused = [];
    for (const mounts of [{ '/': {} }, { '/a': {}, '/a/b': {} }]) {
      refused.push((await refusal(make({ mounts })))?.reason);
    }
    refused.push((await refusal(make({ mounts: { '/work': new Editor({}) }, files: { '/work/x': '' } })))?.reason);
    const e = new Editor({ '/sub/a': 'editor\n' });
    const options = { mounts: { '/work/ide': e }, storage: 'beside', files: { '/work/mine': 'mine\n' } };
    await make(options);
    const first = await run('ln -s ide/sub link; cat mine ide/sub/a link/a; echo kept > mine; echo x > ide/sub/b; ls');
    const session = { cwd: '/work/ide/sub' };
    await terminals.openSession('s', session);
    const { terminalId } = await terminals.client().createTerminal({ sessionId: 's', command: 'cat', args: ['a', '../../mine'] });
    await terminals.client().waitForTerminalExit({ sessionId: 's', terminalId });
    const { output } = await terminals.client().terminalOutput({ sessionId: 's', terminalId });
    const stat = await terminals.files.stat('/work/link/a');
    await terminals.close();
    const top = await navigator.storage.getDirectory();
    const files = await (await (await top.getDirectoryHandle('terrarium')).getDirectoryHandle('beside')).getDirectoryHandle('files');
    const kept = [];
    for await (const name of (await files.getDirectoryHandle('work')).keys()) kept.push(name);
    await make({ ...options, mounts: { '/work/ide': e } });
    const second = await run('cat mine ide/sub/b');
    await terminals.close();
    return { refused, first: first.output, session: output, size: stat.size, kept, second: second.output };
  });
  assert.deepEqual(result.refused, ['value', 'value', 'value']);
  assert.equal(result.first, 'mine\neditor\neditor\nide\nlink\nmine\n');
  assert.match(result.session, /^editor\r?\n.*mine: No such file/s);
  assert.equal(result.size, 7);
  assert.deepEqual(result.kept, ['mine']);
  assert.equal(result.second, 'kept\nx\n');
  assert.deepEqual(errors, []);
});
