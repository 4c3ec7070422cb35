// Runs modules that meter_test's Generate made, and prints what came of each as
// a line of JSON: node run.mjs FILE… <- one module per file, metered or not.
import { readFileSync } from "node:fs";

const slice = 2_000_000n;

for (const file of process.argv.slice(2)) {
	let granted = 0n, fuel;
	const imports = {
		terrarium_meter: {
			refill() { granted += slice; fuel.value += slice; },
			grow() { return 1; },
		},
	};
	const module = new WebAssembly.Module(readFileSync(file));
	const { exports } = new WebAssembly.Instance(module, imports);
	fuel = exports["terrarium.fuel"];

	const outcome = { result: 0, trapped: false };
	try {
		outcome.result = exports.run(1, 2) >>> 0;
	} catch (e) {
		if (!(e instanceof WebAssembly.RuntimeError)) throw e;
		outcome.trapped = true;
	}
	outcome.steps = exports.steps.value >>> 0;
	// FNV-1a over 32 bits at a time.
	let hash = 0x811c9dc5;
	for (const word of new Uint32Array(exports.memory.buffer)) hash = Math.imul(hash ^ word, 0x01000193) >>> 0;
	outcome.memory = hash;
	if (fuel) outcome.fuel = Number(granted - fuel.value);
	console.log(JSON.stringify(outcome));
}
