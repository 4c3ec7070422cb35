// What plain scripts for Node.js expect, on QuickJS with its modules std and _node:fs. Before this
// there is a line that sets globalThis.__node: {argv, env, cwd, file, code, print}. The function is
// not indented, since the box has a budget.
import("std").then(async (std) => {
const sys = await import("_node:fs");
const node = globalThis.__node;
delete globalThis.__node;
const put = (file, text) => {
	if (ArrayBuffer.isView(text)) file.write(text.buffer, text.byteOffset, text.byteLength);
	else file.puts(String(text));
	file.flush();
};

// utf8 returns the text that bytes are; each part that is none is U+FFFD.
const utf8 = (bytes) => {
	let text = "";
	for (let i = 0; i < bytes.length;) {
		const b = bytes[i], n = b < 0x80 ? 0 : b < 0xc2 || b > 0xf4 ? -1 : b < 0xe0 ? 1 : b < 0xf0 ? 2 : 3;
		let c = n > 0 ? b & 0x3f >> n : b, k = 1;
		for (; k <= n; k++) {
			const x = bytes[i + k], low = k > 1 ? 0x80 : { 0xe0: 0xa0, 0xf0: 0x90 }[b] ?? 0x80, high = k > 1 ? 0xbf : { 0xed: 0x9f, 0xf4: 0x8f }[b] ?? 0xbf;
			if (!(x >= low && x <= high)) break;
			c = c << 6 | x & 0x3f;
		}
		text += n >= 0 && k > n ? String.fromCodePoint(c) : "\ufffd";
		i += k;
	}
	return text;
};
const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const base64 = (bytes) => {
	let text = "";
	for (let i = 0; i < bytes.length; i += 3) {
		const n = bytes[i] << 16 | bytes[i + 1] << 8 | bytes[i + 2];
		text += letters[n >> 18] + letters[n >> 12 & 63] + (i + 1 < bytes.length ? letters[n >> 6 & 63] : "=") + (i + 2 < bytes.length ? letters[n & 63] : "=");
	}
	return text;
};
const binary = (text) => Uint8Array.from(text, (c) => c.charCodeAt(0));
// encodings turn text into bytes, and bytes into text.
const encodings = {
	utf8: [(text) => binary(unescape(encodeURIComponent(text.replace(/[\ud800-\udfff]/gu, "\ufffd")))), utf8],
	hex: [(text) => Uint8Array.from(text.match(/^(?:[0-9a-f]{2})*/i)[0].match(/../g) ?? [], (x) => parseInt(x, 16)), (bytes) => Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("")],
	latin1: [binary, (bytes) => Array.from(bytes, (b) => String.fromCharCode(b)).join("")],
	base64: [(text) => {
		const bytes = [];
		let n = 0, bits = 0;
		for (const c of text) {
			const at = letters.indexOf({ "-": "+", _: "/" }[c] ?? c);
			if (at < 0) continue;
			n = (n << 6 | at) & 0xffffff;
			if ((bits += 6) >= 8) bytes.push(n >> (bits -= 8) & 255);
		}
		return Uint8Array.from(bytes);
	}, base64],
};
const encoding = (name = "utf8") => {
	const e = encodings[{ "utf-8": "utf8", binary: "latin1", ascii: "latin1" }[name = name.toLowerCase()] ?? name];
	if (!e) throw new TypeError(`Unknown encoding: ${name}`);
	return e;
};
class Buffer extends Uint8Array {
	static from(v, name, length) {
		if (v instanceof ArrayBuffer) return new Buffer(v, name, length);
		if (typeof v === "string" || v instanceof String) v = encoding(name)[0](String(v));
		const list = v.type === "Buffer" ? v.data : v, b = new Buffer(list.length);
		b.set(list);
		return b;
	}
	static alloc(n, fill = 0, name) { const b = new Buffer(n); return fill ? b.fill(typeof fill === "string" ? encoding(name)[0](fill)[0] : fill) : b; }
	static allocUnsafe(n) { return new Buffer(n); }
	static isBuffer(v) { return v instanceof Buffer; }
	static byteLength(v, name) { return typeof v === "string" ? encoding(name)[0](v).length : v.byteLength; }
	static concat(list) {
		const all = new Buffer(list.reduce((n, b) => n + b.length, 0));
		let at = 0;
		for (const b of list) all.set(b, (at += b.length) - b.length);
		return all;
	}
	toString(name, from = 0, to = this.length) { return encoding(name)[1](this.subarray(from, to)); }
	toJSON() { return { type: "Buffer", data: Array.from(this) }; }
	slice(from, to) { return this.subarray(from, to); }
	compare(b) {
		for (let i = 0; i < this.length && i < b.length; i++) if (this[i] !== b[i]) return this[i] < b[i] ? -1 : 1;
		return Math.sign(this.length - b.length);
	}
	equals(b) { return this.compare(b) === 0; }
	copy(to, at = 0, from = 0, end = this.length) { const part = this.subarray(from, Math.min(end, from + to.length - at)); to.set(part, at); return part.length; }
	write(text, at = 0, ...name) { return Buffer.from(text, name.at(-1)).copy(this, at); }
	indexOf(v, from = 0, name) {
		const sought = typeof v === "number" ? [v & 255] : typeof v === "string" ? encoding(name)[0](v) : v;
		for (let i = from; i + sought.length <= this.length; i++) if (sought.every((b, j) => this[i + j] === b)) return i;
		return -1;
	}
	includes(...args) { return this.indexOf(...args) >= 0; }
}
for (const [type, size] of Object.entries({ UInt8: 1, Int8: 1, UInt16: 2, Int16: 2, UInt32: 4, Int32: 4, BigUInt64: 8, BigInt64: 8, Float32: 4, Float64: 8 })) {
	for (const end of size > 1 ? ["LE", "BE"] : [""]) {
		const view = (b) => new DataView(b.buffer, b.byteOffset, b.byteLength), kind = type.replace("UInt", "Uint");
		const name = type.replace("Float32", "Float").replace("Float64", "Double") + end;
		Buffer.prototype["read" + name] = function (at = 0) { return view(this)["get" + kind](at, end === "LE"); };
		Buffer.prototype["write" + name] = function (v, at = 0) { view(this)["set" + kind](at, v, end === "LE"); return at + size; };
	}
}
class TextEncoder {
	encode(text = "") { return encodings.utf8[0](String(text)); }
}
class TextDecoder {
	constructor(name = "utf8") { if (!/^utf-?8$/i.test(name)) throw new RangeError(`The "${name}" encoding is not supported`); }
	decode(bytes = []) { return utf8(bytes instanceof ArrayBuffer ? new Uint8Array(bytes) : bytes).replace(/^\ufeff/, ""); }
}

const quote = (s) => {
	const mark = !s.includes("'") ? "'" : !s.includes('"') ? '"' : !s.includes("`") ? "`" : "'";
	return mark + s.replace(/[\\\n\r\t\b\f\v]/g, (c) => JSON.stringify(c).slice(1, -1)).replaceAll(mark, "\\" + mark) + mark;
};
const keyOf = (k) => typeof k === "symbol" ? `[${String(k)}]` : /^[A-Za-z_$][\w$]*$/.test(k) ? k : quote(k);
const isIndex = (k) => /^(0|[1-9]\d*)$/.test(k);

let reached = 0; // how many objects the last one was inside of that inspect has shown
// inspect returns a value as console.log shows it: in one line where that is short.
const inspect = (v, depth = 2, seen = [], indent = 0) => {
	switch (typeof v) {
	case "string": return quote(v);
	case "bigint": return v + "n";
	case "number": return Object.is(v, -0) ? "-0" : String(v);
	case "function": return `[${/^class\b/.test(String(v)) ? "class" : "Function"}${v.name ? (/^class\b/.test(String(v)) ? " " : ": ") + v.name : " (anonymous)"}]`;
	case "object": break;
	default: return String(v);
	}
	if (v === null) return "null";
	if (seen.includes(v)) return "[Circular *1]";
	if (v instanceof Error) return trace(v);
	if (v instanceof Date) return isNaN(v) ? "Invalid Date" : v.toISOString();
	if (v instanceof RegExp) return String(v);
	if (v instanceof Buffer) return `<Buffer${Array.from(v.subarray(0, 50), (b) => " " + b.toString(16).padStart(2, "0")).join("")}${v.length > 50 ? ` ... ${v.length - 50} more byte${v.length > 51 ? "s" : ""}` : ""}>`;
	const name = Object.getPrototypeOf(v) === null ? "[Object: null prototype]" : v.constructor?.name ?? "Object";
	const isList = Array.isArray(v) || ArrayBuffer.isView(v) && !(v instanceof DataView);
	if (depth < 0 && (isList ? v.length : Reflect.ownKeys(v).length || v.size)) return isList ? "[Array]" : `[${name}]`;
	const before = reached;
	reached = seen.length;
	const below = (x) => inspect(x, depth - 1, [...seen, v], indent + 2);
	const parts = [];
	let head = name === "Object" || name === "Array" ? "" : name + " ";
	if (isList) {
		if (head || !Array.isArray(v)) head = `${name}(${v.length}) `;
		for (let i = 0, gap = 0; i < Math.min(v.length, 100); i++) {
			gap = i in v ? 0 : gap + 1;
			if (gap > 1) parts.pop();
			parts.push(gap ? `<${gap} empty item${gap > 1 ? "s" : ""}>` : below(v[i]));
		}
		if (v.length > 100) parts.push(`... ${v.length - 100} more item${v.length > 101 ? "s" : ""}`);
	} else if (v instanceof Map) {
		head = `Map(${v.size}) `;
		for (const [k, x] of v) parts.push(`${below(k)} => ${below(x)}`);
	} else if (v instanceof Set) {
		head = `Set(${v.size}) `;
		for (const x of v) parts.push(below(x));
	} else if (v instanceof Promise) {
		parts.push("<pending>");
	}
	for (const k of Reflect.ownKeys(v)) {
		const p = Object.getOwnPropertyDescriptor(v, k);
		if (!p.enumerable || isList && typeof k === "string" && isIndex(k)) continue;
		parts.push(`${keyOf(k)}: ${p.get ? p.set ? "[Getter/Setter]" : "[Getter]" : p.set ? "[Setter]" : below(p.value)}`);
	}
	const [open, close] = isList ? ["[", "]"] : ["{", "}"];
	if (parts.length === 0) {
		reached = before;
		return `${head}${open}${close}`;
	}
	const rows = isList && parts.length > 6 ? columns(parts, v, indent) : parts;
	const length = rows.reduce((n, p) => n + p.length, 0) + 2 * rows.length + head.length + indent + 10;
	const nested = parts.some((p) => p.includes("\n"));
	const level = seen.length, inside = reached - level;
	if (rows === parts && length <= 80 && !nested && inside < 3) return `${head}${open} ${parts.join(", ")} ${close}`;
	const pad = " ".repeat(indent + 2);
	return `${head}${open}\n${pad}${rows.join(",\n" + pad)}\n${" ".repeat(indent)}${close}`;
};

// columns puts short items of a long list side by side.
const columns = (parts, list, indent) => {
	const widest = Math.max(...parts.map((p) => p.length)) + 2;
	const total = parts.reduce((n, p) => n + p.length + 2, 0);
	if (widest * 3 + indent >= 80 || !(total / widest > 5 || widest <= 8)) return parts;
	const biased = Math.max(widest - 3 - Math.sqrt(widest - total / parts.length), 1);
	const n = Math.min(Math.round(Math.sqrt(2.5 * biased * parts.length) / biased), Math.floor((80 - indent) / widest), 12, 15);
	if (n <= 1) return parts;
	const numbers = Array.from(list).every((x) => typeof x === "number" || typeof x === "bigint");
	const width = Array.from({ length: n }, (_, i) => Math.max(...parts.filter((_, j) => j % n === i).map((p) => p.length)));
	const rows = [];
	for (let i = 0; i < parts.length; i += n) {
		const row = parts.slice(i, i + n);
		rows.push(row.map((p, j) => {
			if (numbers) return p.padStart(width[j]);
			return j === row.length - 1 ? p : (p + ", ").padEnd(width[j] + 2);
		}).join(numbers ? ", " : ""));
	}
	return rows;
};

const trace = (e) => {
	const stack = (e.stack ?? "").split("\n").filter((l) => l.trim() && !/<eval>|node\.js|\(native\)/.test(l)).join("\n");
	const extra = Object.keys(e).length ? " " + inspect({ ...e }) : "";
	return `${e.name ?? "Error"}${e.message ? ": " + e.message : ""}${stack ? "\n" + stack : extra ? "" : ""}${extra}`;
};

const format = (...args) => {
	let text = "";
	if (typeof args[0] === "string" && args.length > 1) {
		text = args.shift().replace(/%[sdifjoOc%]/g, (f) => {
			if (f === "%%") return "%";
			if (args.length === 0) return f;
			const a = args.shift();
			switch (f) {
			case "%s": return typeof a === "object" && a !== null ? inspect(a, 0) : String(a);
			case "%d": return String(Number(a));
			case "%i": return String(parseInt(a));
			case "%f": return String(parseFloat(a));
			case "%j": return JSON.stringify(a);
			case "%c": return "";
			}
			return inspect(a, 4);
		});
		if (args.length) text += " ";
	}
	return text + args.map((a) => typeof a === "string" ? a : inspect(a)).join(" ");
};

const timers = new Map();
let group = "";
const line = (file) => (...args) => put(file, format(...args).replace(/^/gm, group) + "\n");
const console = { log: line(std.out), info: line(std.out), debug: line(std.out), error: line(std.err), warn: line(std.err), trace: line(std.err) };
console.dir = (v) => console.log(inspect(v));
console.table = console.log;
console.assert = (ok, ...args) => { if (!ok) console.error("Assertion failed" + (args.length ? ":" : ""), ...args); };
console.group = (...args) => { if (args.length) console.log(...args); group += "  "; };
console.groupEnd = () => { group = group.slice(2); };
console.time = (name = "default") => timers.set(name, Date.now());
console.timeEnd = (name = "default") => console.log(`${name}: ${Date.now() - timers.get(name)}ms`);

class Exit {}
const handlers = {};
const leave = (code) => {
	if (code !== undefined) process.exitCode = code;
	for (const f of handlers.exit ?? []) f(process.exitCode ?? 0);
	std.out.flush();
	exit(process.exitCode ?? 0);
	throw new Exit();
};
const stream = (file, fd) => ({ fd, isTTY: false, columns: 80, write: (text) => { put(file, text); return true; }, on() { return this; }, once() { return this; }, end() {} });
const process = {
	argv: node.argv, argv0: "node", execArgv: [], env: node.env, pid: 1, platform: "linux", arch: "wasm32", version: "v0.0.0-quickjs", versions: { quickjs: "2021-03-27" },
	exitCode: undefined, cwd: () => node.cwd, exit: leave, stdout: stream(std.out, 1), stderr: stream(std.err, 2),
	nextTick: (f, ...args) => { Promise.resolve().then(() => f(...args)); }, uptime: () => (Date.now() - began) / 1000,
	hrtime: Object.assign(() => [Math.floor(Date.now() / 1000), Date.now() % 1000 * 1e6], { bigint: () => BigInt(Date.now()) * 1000000n }),
	memoryUsage: () => ({ rss: 0, heapTotal: 0, heapUsed: 0, external: 0 }), emitWarning: (w) => console.error(`(node) ${w}`),
	on: (event, f) => { (handlers[event] ??= []).push(f); return process; },
};
process.once = process.on;
const began = Date.now();

const path = {
	sep: "/", delimiter: ":",
	normalize: (p) => {
		const parts = [];
		for (const part of p.split("/")) {
			if (part === ".." && parts.length && parts.at(-1) !== "..") parts.pop();
			else if (part && part !== "." && !(part === ".." && p.startsWith("/"))) parts.push(part);
		}
		return (p.startsWith("/") ? "/" : "") + parts.join("/") + (p.endsWith("/") && parts.length ? "/" : "") || ".";
	},
	isAbsolute: (p) => p.startsWith("/"),
	join: (...parts) => path.normalize(parts.filter((p) => p).join("/")),
	resolve: (...parts) => {
		let full = "";
		for (const p of [node.cwd, ...parts]) full = p.startsWith("/") ? p : p ? full + "/" + p : full;
		return path.normalize(full).replace(/(.)\/$/, "$1");
	},
	dirname: (p) => p.replace(/\/+$/, "").replace(/\/*[^/]*$/, "") || (p.startsWith("/") ? "/" : "."),
	basename: (p, end) => { const base = p.replace(/\/+$/, "").replace(/^.*\//, ""); return end && base.endsWith(end) && base !== end ? base.slice(0, -end.length) : base; },
	extname: (p) => path.basename(p).match(/^.+(\.[^.]*)$/)?.[1] ?? "",
	relative: (from, to) => {
		const [a, b] = [from, to].map((p) => path.resolve(p).split("/").filter((x) => x));
		let i = 0;
		while (i < a.length && i < b.length && a[i] === b[i]) i++;
		return [...a.slice(i).map(() => ".."), ...b.slice(i)].join("/");
	},
	parse: (p) => ({ root: p.startsWith("/") ? "/" : "", dir: path.dirname(p), base: path.basename(p), ext: path.extname(p), name: path.basename(p, path.extname(p)) }),
};
path.format = (p) => (p.dir ? p.dir + "/" : "") + (p.base ?? p.name + p.ext);
path.posix = path;

const texts = { ENOENT: "no such file or directory", EEXIST: "file already exists", ENOTDIR: "not a directory", EISDIR: "illegal operation on a directory", ENOTEMPTY: "directory not empty", EROFS: "read-only file system", EACCES: "permission denied" };
const failed = (code, call, file) => Object.assign(new Error(`${code}: ${texts[code] ?? code}, ${call} '${file}'`), { code, syscall: call, path: file });
const doing = (call, file, f) => {
	try {
		return f(path.resolve(file));
	} catch (e) {
		throw e instanceof Error ? e : failed("E" + (e.code ?? "IO"), call, file);
	}
};
const stat = (call, s) => ({ ...s, isFile: () => s.is_file, isDirectory: () => s.is_directory, isSymbolicLink: () => s.is_symlink, mtimeMs: s.mtime, mtime: new Date(s.mtime), atime: new Date(s.atime), ctime: new Date(s.mtime) });
const encodingOf = (o) => typeof o === "string" ? o : o?.encoding;
const write = (call, mode) => (file, data, options) => doing("open", file, (full) => {
	const f = std.open(full, mode);
	if (!f) throw failed(fs.existsSync(full) ? "EISDIR" : fs.existsSync(path.dirname(full)) ? "EROFS" : "ENOENT", "open", file);
	put(f, typeof data === "string" && encodingOf(options) ? Buffer.from(data, encodingOf(options)) : data);
	f.close();
});
const fs = {
	existsSync: (file) => { try { sys.statSync(path.resolve(file)); return true; } catch { return false; } },
	readFileSync: (file, options) => {
		const input = file === 0 || file === "/dev/stdin", name = encodingOf(options);
		if (!input) { const s = fs.statSync(file, {}, "open"); if (s.isDirectory()) throw failed("EISDIR", "read", file); }
		if (/^utf-?8$/i.test(name)) return input ? std.in.readAsString() : std.loadFile(path.resolve(file));
		const all = readAll(input ? std.in : std.open(path.resolve(file), "rb"));
		return name ? all.toString(name) : all;
	},
	writeFileSync: write("open", "w"), appendFileSync: write("open", "a"),
	statSync: (file, options, call = "stat") => {
		if (options?.throwIfNoEntry === false && !fs.existsSync(file)) return undefined;
		return doing(call, file, (full) => stat(call, sys.statSync(full)));
	},
	lstatSync: (file) => doing("lstat", file, (full) => stat("lstat", sys.lstatSync(full))),
	mkdirSync: (file, options) => {
		if (options?.recursive) {
			let at = "";
			for (const part of path.resolve(file).split("/").filter((p) => p)) { at += "/" + part; if (!fs.existsSync(at)) sys.mkdirSync(at, false, 0o777); }
			return;
		}
		if (fs.existsSync(file)) throw failed("EEXIST", "mkdir", file);
		doing("mkdir", file, (full) => { sys.mkdirSync(full, false, 0o777); });
	},
	readdirSync: (file, options) => doing("scandir", file, (full) => {
		const fd = sys.openSync(full, 0, 0), all = [];
		for (let cookie = 0, more = true; more;) {
			const page = sys.freaddirSync(fd, cookie);
			all.push(...page.res);
			cookie = page.cookie;
			more = !page.fin;
		}
		sys.fcloseSync(fd);
		const found = all.filter((f) => f.name !== "." && f.name !== "..").sort((a, b) => a.name < b.name ? -1 : 1);
		return options?.withFileTypes ? found.map((f) => ({ name: f.name, isFile: () => f.filetype === 4, isDirectory: () => f.filetype === 3, isSymbolicLink: () => f.filetype === 7 })) : found.map((f) => f.name);
	}),
	unlinkSync: (file) => { fs.lstatSync(file); doing("unlink", file, (full) => { sys.rmSync(full, false, true); }); },
	rmdirSync: (file) => doing("rmdir", file, (full) => { sys.rmdirSync(full, false); }),
	rmSync: (file, options) => {
		if (options?.force && !fs.existsSync(file)) return;
		if (!fs.lstatSync(file).isDirectory()) return fs.unlinkSync(file);
		if (!options?.recursive) throw failed("EISDIR", "rm", file);
		for (const name of fs.readdirSync(file)) fs.rmSync(path.join(file, name), options);
		fs.rmdirSync(file);
	},
	renameSync: (from, to) => doing("rename", from, (full) => { sys.renameSync(full, path.resolve(to)); }),
	copyFileSync: (from, to) => doing("copyfile", from, (full) => { sys.copyFileSync(full, path.resolve(to)); }),
};
const readAll = (f) => {
	const parts = [];
	for (let n = 1; n > 0;) {
		const part = new Buffer(64 << 10);
		n = f.read(part.buffer, 0, part.length);
		parts.push(part.subarray(0, n));
	}
	if (f !== std.in) f.close();
	return Buffer.concat(parts);
};
fs.promises = {};
for (const name of Object.keys(fs)) {
	if (!name.endsWith("Sync")) continue;
	const plain = name.slice(0, -4);
	fs.promises[plain] = async (...args) => fs[name](...args);
	fs[plain] = (...args) => { const done = args.pop(); fs.promises[plain](...args).then((v) => done(null, v), done); };
}
fs.promises.access = async (file) => { fs.statSync(file, {}, "access"); };

const assert = (ok, message) => { if (!ok) throw message instanceof Error ? message : Object.assign(new Error(message ?? "The expression evaluated to a falsy value"), { name: "AssertionError", code: "ERR_ASSERTION" }); };
const same = (a, b) => inspect(a, 20) === inspect(b, 20);
Object.assign(assert, {
	ok: assert, equal: (a, b, m) => assert(a == b, m ?? `${inspect(a)} == ${inspect(b)}`), notEqual: (a, b, m) => assert(a != b, m),
	strictEqual: (a, b, m) => assert(Object.is(a, b), m ?? `Expected values to be strictly equal:\n\n${inspect(a)} !== ${inspect(b)}\n`), notStrictEqual: (a, b, m) => assert(!Object.is(a, b), m),
	deepEqual: (a, b, m) => assert(same(a, b), m ?? `Expected values to be deeply equal`), deepStrictEqual: (a, b, m) => assert(same(a, b), m ?? `Expected values to be strictly deep-equal:\n${inspect(a)}\n\nshould equal\n\n${inspect(b)}`),
	throws: (f, m) => { try { f(); } catch { return; } assert(false, "Missing expected exception."); },
});
assert.strict = assert;
class EventEmitter {
	#all = {};
	on(event, f) { (this.#all[event] ??= []).push(f); return this; }
	off(event, f) { this.#all[event] = (this.#all[event] ?? []).filter((g) => g !== f); return this; }
	once(event, f) { const g = (...args) => { this.off(event, g); f(...args); }; return this.on(event, g); }
	emit(event, ...args) { const all = this.#all[event] ?? []; for (const f of all) f.apply(this, args); return all.length > 0; }
}
EventEmitter.EventEmitter = EventEmitter;
const builtin = {
	fs, path, assert, process, events: EventEmitter, "fs/promises": fs.promises, util: { TextEncoder, TextDecoder, inspect: (v, o) => inspect(v, o?.depth === null ? 99 : o?.depth ?? 2), format, promisify: (f) => (...args) => new Promise((yes, no) => f(...args, (e, v) => e ? no(e) : yes(v))) },
	os: { EOL: "\n", platform: () => "linux", tmpdir: () => "/tmp", homedir: () => node.env.HOME ?? "/", cpus: () => [{}], hostname: () => "sandbox" },
	buffer: { Buffer },
	perf_hooks: { performance: { now: () => Date.now() - began } },
};

const loaded = new Map();
let main; // the module of the file that was named
const lacking = new WeakMap(); // what was not found, by the error that says so
const missing = (name) => {
	const e = Object.assign(new Error(`Cannot find module '${name}'`), { code: "MODULE_NOT_FOUND" });
	lacking.set(e, name);
	return e;
};
const requireFrom = (dir) => {
	const require = (name) => {
		const own = builtin[name.replace(/^node:/, "")];
		if (own) return own;
		if (!/^[./]/.test(name)) throw missing(name);
		const full = path.resolve(dir, name);
		const file = [full, full + ".js", full + ".cjs", full + ".json", full + "/index.js"].find((f) => fs.existsSync(f) && !fs.statSync(f).isDirectory());
		if (!file) throw missing(name);
		if (!loaded.has(file)) {
			const module = { exports: {}, filename: file, id: file };
			loaded.set(file, module);
			const code = std.loadFile(file);
			if (file.endsWith(".json")) module.exports = JSON.parse(code);
			else load(code, module, file);
		}
		return loaded.get(file).exports;
	};
	require.cache = {};
	require.main = main;
	return require;
};
// plain returns a module's code as require wants it: this QuickJS loads no modules by their paths.
const plain = (code) => {
	const names = [], list = (text) => text.split(",").map((x) => x.trim()).filter((x) => x).map((x) => x.split(/\s+as\s+/));
	const bind = (what, from) => what.replace(/\{([^}]*)\}/, "").split(",").map((x) => x.trim()).filter((x) => x)
		.map((x) => x.startsWith("*") ? `const ${x.replace(/^\*\s*as\s+/, "")} = require(${from});` : `const ${x} = __default(require(${from}));`)
		.concat((what.match(/\{([^}]*)\}/) ?? []).slice(1).map((x) => `const {${list(x).map(([a, b]) => b ? `${a}: ${b}` : a)}} = require(${from});`)).join(" ");
	code = code.replace(/^\s*import\s+(['"][^'"]+['"])/gm, "require($1)")
		.replace(/^\s*import\s+([^'"()]+?)\s+from\s*(['"][^'"]+['"])/gm, (_, what, from) => bind(what, from))
		.replace(/^\s*export\s+\*\s+from\s*(['"][^'"]+['"])/gm, "Object.assign(exports, require($1))")
		.replace(/^\s*export\s*\{([^}]*)\}\s*from\s*(['"][^'"]+['"])/gm, (_, what, from) => list(what).map(([a, b]) => `exports.${b ?? a} = require(${from}).${a};`).join(" "))
		.replace(/^\s*export\s*\{([^}]*)\}/gm, (_, what) => { names.push(...list(what)); return ""; })
		.replace(/^\s*export\s+default\s+/gm, "exports.default = ")
		.replace(/^\s*export\s+((?:const|let|var|class|(?:async\s+)?function\*?)\s+([\w$]+))/gm, (_, what, name) => { names.push([name]); return what; })
		.replace(/\bimport\s*\(/g, "__import(").replace(/\bimport\.meta\b/g, "__meta");
	const exported = names.map(([a, b]) => `Object.defineProperty(exports, ${JSON.stringify(b ?? a)}, {get: () => ${a}, enumerable: true});`).join("");
	return exported + code;
};
const isModule = (file, code) => file.endsWith(".mjs") || !file.endsWith(".cjs") && /^\s*(import\s[^(]|import\s*[{*'"]|export\s)/m.test(code);
const AsyncFunction = (async () => {}).constructor;

// load runs a file's code as a function of what each has for its own. It begins in the code's first
// line.
const load = (code, module, file) => {
	const all = { ...own(module, file), exports: module.exports, module };
	const names = Object.keys(all), values = Object.values(all);
	code = code.replace(/^#!.*/, "");
	if (!isModule(file, code)) {
		new Function(...names, code).apply(module.exports, values);
		return;
	}
	code = plain(code);
	try {
		new Function(...names, code);
	} catch { // it waits for something, which only the first of all can
		new AsyncFunction(...names, code).apply(undefined, values).catch(fatal);
		return;
	}
	new Function(...names, code).apply(undefined, values);
};

// first runs the file that was named as an eval does, which tells what its last line has come to:
// most often a promise, of whose failure this QuickJS tells nobody else. What no eval takes, such
// as a return, is loaded like all others.
const first = (file) => {
	const module = { exports: {}, filename: file, id: file }, text = std.loadFile(file).replace(/^#!.*/, "");
	const strict = /^\s*(['"])use strict\1/.test(text) ? '"use strict"; ' : "";
	const code = isModule(file, text) ? plain(text) : text;
	loaded.set(file, module);
	main = module;
	for (const [name, value] of Object.entries({ ...own(module, file), exports: module.exports, module })) Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
	let begun = false;
	globalThis.__begin = () => { begun = true; };
	try {
		const value = (0, eval)(`${strict}__begin(); ${code}`);
		if (value instanceof Promise) value.catch(fatal);
	} catch (e) {
		if (begun) throw e;
		load(text, module, file);
	}
};
// own are the names that a file has for its own, but for module and exports.
const own = (module, file) => {
	const dir = path.dirname(file), require = requireFrom(dir);
	return { require, __filename: file, __dirname: dir, __default: (m) => m.default ?? m, __import: async (name) => require(name), __meta: { url: "file://" + file, filename: file, dirname: dir } };
};

// hint is the last line of what ends a script: where a package was not found, what can be done.
const hint = (e) => {
	const name = e instanceof Error ? lacking.get(e) : undefined;
	if (name === undefined || /^[./]/.test(name)) return "node is QuickJS in this sandbox";
	return `node: ${name} is not in this sandbox: node is QuickJS, with ${Object.keys(builtin).join(", ")}; ` +
		"its owner can make a package of npm part of the script: npx esbuild FILE --bundle --platform=node";
};
const fatal = (e) => {
	if (e instanceof Exit) return;
	put(std.err, `Uncaught ${e instanceof Error ? trace(e) : inspect(e)}\n\n${hint(e)}\n`);
	std.out.flush();
	exit(1);
};
const btoa = (text) => base64(binary(String(text))), atob = (text) => encodings.latin1[1](encodings.base64[0](String(text)));
Object.assign(globalThis, { Buffer, TextEncoder, TextDecoder, btoa, atob, console, process, global: globalThis, queueMicrotask: (f) => { Promise.resolve().then(f); }, performance: builtin.perf_hooks.performance });
delete globalThis.print;
delete globalThis.args;

// What is called later may fail, or say with which status to end when nothing else is to come.
const later = globalThis.setTimeout, never = globalThis.clearTimeout, waiting = new Map();
let last = 0;
const call = (id, f, args) => {
	try {
		f(...args);
	} catch (e) {
		fatal(e);
	}
	if (waiting.size === 0) Promise.resolve().then(() => later(() => { if (waiting.size === 0 && (process.exitCode || handlers.exit)) leave(); }, 0));
};
globalThis.setTimeout = (f, ms = 0, ...args) => {
	const id = ++last;
	waiting.set(id, later(() => { waiting.delete(id); call(id, f, args); }, ms));
	return Object.assign(Object(id), { unref() { return this; }, ref() { return this; } });
};
globalThis.setInterval = (f, ms = 0, ...args) => {
	const id = ++last;
	const again = () => waiting.set(id, later(() => { again(); call(id, f, args); }, ms));
	again();
	return Object(id);
};
globalThis.clearTimeout = globalThis.clearInterval = globalThis.clearImmediate = (id) => { if (waiting.has(+id)) { never(waiting.get(+id)); waiting.delete(+id); } };
globalThis.setImmediate = (f, ...args) => setTimeout(f, 0, ...args);
try {
	const file = node.file || path.join(node.cwd, "[eval]");
	if (node.file && !node.code) {
		first(file);
	} else {
		Object.assign(globalThis, builtin, { require: requireFrom(node.cwd), module: { exports: {} }, exports: {}, process, console });
		if (node.check) {
			const run = isModule(node.check, node.code) ? AsyncFunction : Function;
			new run(isModule(node.check, node.code) ? plain(node.code) : node.code.replace(/^#!.*/, ""));
			return;
		}
		const value = (0, eval)(node.code);
		// This QuickJS tells nobody when any other promise fails.
		if (value instanceof Promise) value.catch(fatal);
		if (node.print) console.log(value);
	}
	setTimeout(() => {}, 0);
} catch (e) {
	fatal(e);
}
});
