// Runs scripts with "bash -c" of the module BOX under node's WASI, one after the other: node
// node.mjs BOX DIR SCRIPT… The first has the directories DIR/0/work and DIR/0/tmp, and leaves its
// output in DIR/0/stdout and DIR/0/stderr. The statuses of all are printed as JSON.
import { openSync, readFileSync } from 'node:fs';
import { WASI } from 'node:wasi';

const [box, dir, ...scripts] = process.argv.slice(2);
// It takes a second, and serves all scripts.
const module = await WebAssembly.compile(readFileSync(box));
const statuses = [];
for (const [i, script] of scripts.entries()) {
	const at = (name) => `${dir}/${i}/${name}`;
	const wasi = new WASI({
		version: 'preview1',
		args: ['bash', '-c', script],
		env: { PATH: '/bin', PWD: '/work' },
		preopens: { '/work': at('work'), '/tmp': at('tmp') },
		stdout: openSync(at('stdout'), 'w'),
		stderr: openSync(at('stderr'), 'w'),
		returnOnExit: true,
	});
	const imports = wasi.getImportObject();
	for (const { module: from, name } of WebAssembly.Module.imports(module)) {
		imports[from] ??= {};
		imports[from][name] ??= () => (name === 'features' ? 0n : 52); // none, and ENOSYS
	}
	statuses.push(wasi.start(await WebAssembly.instantiate(module, imports)));
}
console.log(JSON.stringify(statuses));
