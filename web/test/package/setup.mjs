// The package as npm would install it, packed once for all tests of it, and the examples beside it.

import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { existsSync } from 'node:fs';

export const web = fileURLToPath(new URL('../..', import.meta.url));

/** Runs a program of node_modules in web, and returns what it prints. */
export async function run(name, ...args) {
  const program = name === 'npm' ? name : join(web, 'node_modules/.bin', name);
  try {
    return (await promisify(execFile)(program, args, { cwd: web, maxBuffer: 1 << 24 })).stdout;
  } catch (e) {
    throw new Error(`${name} ${args.join(' ')}: ${e.stdout}${e.stderr}`);
  }
}

/** Why there is nothing to be packed, or false. */
export const unbuilt = ['dist/sandbox.wasm.gz', 'dist/core.wasm', 'dist/index.js', 'plugins/index.js'].every((f) => existsSync(join(web, f)))
  ? false
  : 'make build has not been run';

/**
 * Makes a folder in web with the tarball, and the package unpacked in its node_modules. What else
 * examples need is found in web/node_modules: they share one installation.
 */
export async function unpacked() {
  await mkdir(join(web, '.cache'), { recursive: true });
  const dir = await mkdtemp(join(web, '.cache', 'package-'));
  const [{ filename, files }] = JSON.parse(await run('npm', 'pack', '--json', '--silent', '--offline', '--pack-destination', dir));
  const tarball = join(dir, filename);
  const at = join(dir, 'node_modules/@terrarium/web');
  await mkdir(at, { recursive: true });
  await promisify(execFile)('tar', ['xzf', tarball, '-C', at, '--strip-components=1']);
  await cp(join(web, 'examples'), join(dir, 'examples'), { recursive: true });
  return { dir, tarball, files: files.map((f) => f.path).sort(), remove: () => rm(dir, { recursive: true, force: true }) };
}
