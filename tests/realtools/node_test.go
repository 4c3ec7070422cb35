package realtools_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// byteScript is a script that works with bytes, and byteLines what it prints.
const byteScript = `const fs = require("fs");
const b = Buffer.from("héllo €😀");
console.log(b, b.length, b.toString("hex"), b.toString("base64"), Buffer.from(b.toString("base64"), "base64").toString());
console.log(Buffer.from([0xff, 0xe2, 0x82, 0x41]).toString(), new TextDecoder().decode(new TextEncoder().encode("ä")), btoa("hi"), atob("aGk="));
const w = Buffer.alloc(4);
w.writeUInt32BE(0xdeadbeef, 0);
console.log(w, w.readUInt16LE(2), JSON.stringify(w), w.indexOf(0xbe), Buffer.concat([w, Buffer.from("x")]).length);
fs.writeFileSync("bin", Buffer.from([0, 255, 1, 254]));
console.log(fs.readFileSync("bin"), fs.readFileSync("bin", "hex"), JSON.parse(Buffer.from("[1]")));
fs.writeFileSync("txt", "é");
fs.appendFileSync("txt", Buffer.from("x"));
console.log(fs.readFileSync("txt", "utf8"), fs.readFileSync("txt").toString().length);
process.stdout.write(Buffer.from("out\n"));
fs.unlinkSync("bin");
fs.unlinkSync("txt");
`

const byteLines = `<Buffer 68 c3 a9 6c 6c 6f 20 e2 82 ac f0 9f 98 80> 14 68c3a96c6c6f20e282acf09f9880 aMOpbGxvIOKCrPCfmIA= héllo €😀
��A ä aGk= hi
<Buffer de ad be ef> 61374 {"type":"Buffer","data":[222,173,190,239]} 2 5
<Buffer 00 ff 01 fe> 00ff01fe [ 1 ]
éx 2
out
`

// TestNode runs scripts for Node.js with the QuickJS of our index, which is downloaded:
// TERRARIUM_LONG=1 asks for it. What they print is what Node.js 20 prints.
func TestNode(t *testing.T) {
	if os.Getenv("TERRARIUM_LONG") != "1" {
		t.Skip("downloads 45 MiB: TERRARIUM_LONG=1 runs it")
	}
	environ := append(os.Environ(), "XDG_CACHE_HOME="+cache, "XDG_DATA_HOME="+t.TempDir())
	add := exec.Command(binary, "plugins", "add", "--yes", "node") // a name of qjs
	add.Env = environ
	if out, err := add.CombinedOutput(); err != nil {
		t.Fatalf("add: %v\n%s", err, out)
	}
	root := t.TempDir()
	for name, text := range map[string]string{
		"a.js":       "console.log(process.argv.slice(2), require('./lib').two, require('./d.json').z, __filename === require('path').resolve('a.js'))\n",
		"lib.js":     "exports.two = 2\n",
		"m/x.mjs":    "import fs, {existsSync as there} from 'node:fs'\nimport {two, default as three} from './y.mjs'\nconst s = await Promise.resolve(there('y.mjs'))\nconsole.log(typeof fs.readFileSync, two, three(), s)\n",
		"m/y.mjs":    "export const two = 2\nexport default function () { return 3 }\n",
		"d.json":     `{"z": 9}`,
		"throws.js":  "'use strict'\nconst fs = require('fs')\nasync function main() { await null; throw new Error('boom') }\nmain()\n",
		"throws.mjs": "import fs from 'fs'\nconst main = async () => { await null; throw new Error('boom') }\nawait main()\n",
		"main.js":    "#!/usr/bin/env node\nconst lib = require('./lib.js')\nif (require.main === module) console.log(lib.two, this === exports, __filename === process.argv[1])\nif (lib.two) return\nconsole.log('no')\n",
		"json.js":    "console.log('once')\nJSON.parse('{')\n",
		"bytes.js":   byteScript,
		"package.js": "process.exitCode = 3; setTimeout(() => console.log('later'), 5); Promise.resolve().then(() => console.log('soon'))\n",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		line, want string
		status     int
	}{
		{"node a.js x y", "[ 'x', 'y' ] 2 9 true\n", 0},
		{"node package", "soon\nlater\n", 3},
		{`node -e 'console.log({a: 1, b: "x", c: {d: {e: {f: 1}}}}, [1, , "q"], null, new Map([["k", 1]]), new Set())'`,
			"{ a: 1, b: 'x', c: { d: { e: [Object] } } } [ 1, <1 empty item>, 'q' ] null Map(1) { 'k' => 1 } Set(0) {}\n", 0},
		{"node -p '[1,2,3,4,5,6,7,8,9,10]'", "[\n  1, 2, 3, 4,  5,\n  6, 7, 8, 9, 10\n]\n", 0},
		{`node -p '[{id: 1, name: "Alice", mail: "alice@example.com"}, {id: 2, name: "Bob", mail: "bob@example.com"}]'`,
			"[\n  { id: 1, name: 'Alice', mail: 'alice@example.com' },\n  { id: 2, name: 'Bob', mail: 'bob@example.com' }\n]\n", 0},
		{`echo 5 | node -e 'console.log(+require("fs").readFileSync(0, "utf8") * 2)'; echo 'console.log(1)' | node`, "10\n1\n", 0},
		{`node -e 'const fs = require("fs"); fs.mkdirSync("x/y", {recursive: true}); fs.writeFileSync("x/f", "é"); console.log(fs.readdirSync("x"), fs.statSync("x/f").size); fs.rmSync("x", {recursive: true}); console.log(fs.existsSync("x")); try { fs.readFileSync("x") } catch (e) { console.log(e.code) }'`,
			"[ 'f', 'y' ] 2\nfalse\nENOENT\n", 0},
		{"node -e 'process.exit(7)'", "", 7},
		{"cd m && node x.mjs && node --check x.mjs && echo ok; echo '}' >bad.js; node --check bad.js 2>/dev/null", "function 2 3 true\nok\n", 1},
		{"node -e 'throw new Error(1)' 2>/dev/null", "", 1},
		{"node throws.js 2>&1 | head -1; node throws.js 2>/dev/null", "Uncaught Error: boom\n", 1},
		{"node throws.mjs 2>&1 | head -1; node throws.mjs 2>/dev/null", "Uncaught Error: boom\n", 1},
		{"node main.js", "2 true true\n", 0},
		{"node json.js 2>/dev/null", "once\n", 1},
		{"node bytes.js", byteLines, 0},
		{"node -e 'setTimeout(() => { throw 1 }, 1)' 2>/dev/null", "", 1},
		{"node -e 'async function main() { throw 1 } main()' 2>/dev/null", "", 1},
		{`node -e 'require("lodash")' 2>&1 | sed -n '1p;$p'`,
			"Uncaught Error: Cannot find module 'lodash' { code: 'MODULE_NOT_FOUND' }\nnode: lodash is not in this sandbox: node is QuickJS, with fs, path, " +
				"assert, process, events, fs/promises, util, os, buffer, perf_hooks; its owner can make a package of npm part " +
				"of the script: npx esbuild FILE --bundle --platform=node\n", 0},
		{`node -e 'require("./nosuch")' 2>&1 | sed -n '1p;$p'`,
			"Uncaught Error: Cannot find module './nosuch' { code: 'MODULE_NOT_FOUND' }\nnode is QuickJS in this sandbox\n", 0},
	} {
		cmd := exec.Command(binary, "run", "--host", "wasm", "--mount", root, "--cwd", root, "--", "bash", "-c", test.line)
		cmd.Env = environ
		out, err := cmd.Output()
		if cmd.ProcessState == nil {
			t.Fatal(err)
		}
		if status := cmd.ProcessState.ExitCode(); string(out) != test.want || status != test.status {
			t.Errorf("%s: got status %d, %q, want %d, %q", test.line, status, out, test.status, test.want)
		}
	}
}
