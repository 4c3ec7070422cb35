// What npm packs: that it is all and nothing else, that others can resolve it, and how large it is.

import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

import { rolldown } from 'rolldown';
import { hung } from '../view/serve.mjs';
import { run, unbuilt, unpacked, web } from './setup.mjs';

const limit = { skip: unbuilt, timeout: hung };
let packed;

before(async () => (packed = unbuilt ? undefined : await unpacked()));
after(() => packed?.remove());

test('the files', limit, () => {
  const scripts = ['display', 'index', 'providers', 'shared', 'sidecar', 'worker', 'xterm'].flatMap((n) => [`dist/${n}.js`, `dist/${n}.js.map`]);
  const types = ['display', 'errors', 'index', 'reactor', 'sidecar', 'types', 'view/words', 'xterm'].map((n) => `dist/${n}.d.ts`);
  const plugins = ['box.wasm.gz', 'git.wasm.gz', 'index.d.ts', 'index.js', 'index.json'].map((n) => `plugins/${n}`);
  assert.deepEqual(packed.files, [
    'LICENSE', 'README.md', 'package.json', 'dist/THIRD_PARTY_LICENSES.txt', 'dist/core.wasm', 'dist/sandbox.wasm.gz', ...scripts, ...types, ...plugins,
  ].sort());
});

test('publint and arethetypeswrong', limit, async () => {
  await run('publint', 'run', packed.tarball, '--strict');
  // Pages have modules only; and these are files, which nobody imports.
  const files = ['./worker.js', './sandbox.wasm.gz', './core.wasm', './plugins/*'];
  await run('attw', packed.tarball, '--profile', 'esm-only', '--exclude-entrypoints', ...files);
});

test('the types of the examples', limit, async () => {
  const config = {
    compilerOptions: {
      noEmit: true, strict: true, exactOptionalPropertyTypes: true, checkJs: true, target: 'ES2023', module: 'ESNext',
      moduleResolution: 'bundler', lib: ['ES2023', 'DOM', 'DOM.Iterable'], types: ['vite/client'],
    },
    include: ['examples'],
  };
  const file = join(packed.dir, 'tsconfig.json');
  await writeFile(file, JSON.stringify(config));
  await run('tsc', '-p', file);
});

test('the versions in the examples are those that they are tested with', limit, async () => {
  const { version, devDependencies } = JSON.parse(await readFile(join(web, 'package.json'), 'utf8'));
  const ours = { ...devDependencies, '@terrarium/web': version };
  for (const example of ['vite', 'monaco']) {
    const p = JSON.parse(await readFile(join(web, 'examples', example, 'package.json'), 'utf8'));
    for (const [name, wanted] of Object.entries({ ...p.dependencies, ...p.devDependencies })) assert.equal(wanted, ours[name], `${example}: ${name}`);
  }
});

test('25 KB of JavaScript, besides that of Go', limit, async () => {
  const compressed = (code) => gzipSync(code, { level: 9 }).length;
  const size = async (name) => compressed(await readFile(join(packed.dir, 'node_modules/@terrarium/web/dist', name)));
  const sum = async (...names) => (await Promise.all(names.map(size))).reduce((a, b) => a + b, 0);
  const usual = await sum('index.js', 'shared.js', 'worker.js', 'xterm.js');
  // It is in worker.js; where it is alone it takes a little more, or less.
  const script = await rolldown({ input: join(web, 'dist/wasm_exec.js'), treeshake: false });
  const go = compressed((await script.generate({ minify: true })).output[0].code);
  console.log(`# with createTerminals and /xterm: ${usual} bytes, ${go} of them Go's; providers: ${await sum('providers.js')}, /display: ${await sum('display.js')} more`);
  assert.ok(usual - go <= 25_000, `${usual - go} bytes`);
});
