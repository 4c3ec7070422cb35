// Copies what the demo uses of other packages, as released, to dist/vendor: the demo has no
// bundler, and is served without node_modules. index.html's import map names the copies.

import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';

const modules = new URL('../node_modules/', import.meta.url);
const vendor = new URL('../dist/vendor/', import.meta.url);

/** By package: its files, and what they are called here. */
const packages = {
  '@xterm/xterm': { 'lib/xterm.mjs': 'xterm.js', 'css/xterm.css': 'xterm.css' },
  '@codemirror/state': { 'dist/index.js': 'codemirror-state.js' },
  '@codemirror/view': { 'dist/index.js': 'codemirror-view.js' },
  '@codemirror/commands': { 'dist/index.js': 'codemirror-commands.js' },
  '@codemirror/language': { 'dist/index.js': 'codemirror-language.js' },
  '@codemirror/legacy-modes': { 'mode/shell.js': 'codemirror-shell.js' },
  '@codemirror/streamparser': { 'dist/index.js': 'codemirror-streamparser.js' },
  '@lezer/common': { 'dist/index.js': 'lezer-common.js' },
  '@lezer/highlight': { 'dist/index.js': 'lezer-highlight.js' },
  'style-mod': { 'src/style-mod.js': 'style-mod.js' },
  crelt: { 'index.js': 'crelt.js' },
  'w3c-keyname': { 'index.js': 'w3c-keyname.js' },
  '@marijn/find-cluster-break': { 'src/index.js': 'find-cluster-break.js' },
};

await rm(vendor, { recursive: true, force: true });
await mkdir(vendor, { recursive: true });
const licences = [];
for (const [name, files] of Object.entries(packages)) {
  const from = new URL(`${name}/`, modules);
  for (const [file, to] of Object.entries(files)) await cp(new URL(file, from), new URL(to, vendor));
  const { version } = JSON.parse(await readFile(new URL('package.json', from), 'utf8'));
  licences.push(`${name} ${version}\n\n${await readFile(new URL('LICENSE', from), 'utf8')}`);
}
await writeFile(new URL('LICENSES.txt', vendor), licences.join('\n\n'));
