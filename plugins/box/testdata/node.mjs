// Runs "bash -c SCRIPT" of the module BOX under node's WASI, with two directories: node node.mjs BOX WORK TMP SCRIPT.
import { readFileSync } from 'node:fs';
import { WASI } from 'node:wasi';

const [box, work, tmp, script] = process.argv.slice(2);
const wasi = new WASI({
	version: 'preview1',
	args: ['bash', '-c', script],
	env: { PATH: '/bin', PWD: '/work' },
	preopens: { '/work': work, '/tmp': tmp },
	returnOnExit: true,
});
const module = await WebAssembly.compile(readFileSync(box));
const imports = wasi.getImportObject();
for (const { module: from, name } of WebAssembly.Module.imports(module)) {
	imports[from] ??= {};
	imports[from][name] ??= () => (name === 'features' ? 0n : 52); // none, and ENOSYS
}
process.exitCode = wasi.start(await WebAssembly.instantiate(module, imports));
