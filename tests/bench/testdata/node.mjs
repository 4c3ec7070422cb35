// node node.mjs pipe|pty N: run /bin/true N times to the end of its output, print the nanoseconds
// of each.
import { createRequire } from 'node:module'
import { spawn } from 'node:child_process'

const [mode, n] = process.argv.slice(2)
const run = mode === 'pty' ? onPty(createRequire(import.meta.url)('node-pty')) : onPipe
for (let i = 0; i < Number(n); i++) {
	const begin = process.hrtime.bigint()
	await run()
	console.log(String(process.hrtime.bigint() - begin))
}

function onPipe() {
	return new Promise((done) => {
		const child = spawn('/bin/true', [], { stdio: ['ignore', 'pipe', 'pipe'] })
		let output = ''
		for (const stream of [child.stdout, child.stderr]) stream.on('data', (p) => (output += p))
		child.on('close', () => done(output))
	})
}

function onPty(pty) {
	return () =>
		new Promise((done) => {
			const child = pty.spawn('/bin/true', [], { cols: 120, rows: 40 })
			let output = ''
			child.onData((p) => (output += p))
			child.onExit(() => done(output))
		})
}
