package tests

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/testscript"

	. "github.com/terrarium-dev/terrarium/core/meter/metertest"
)

// modules are what the verb module makes, by KIND.
var modules = map[string]func(m *Module){
	// They exit with a status of their own, so that a test can tell them apart.
	"exit7": func(m *Module) { exitsWith(m, 7) },
	"exit8": func(m *Module) { exitsWith(m, 8) },
	// wants imports something that nobody offers but that can be answered.
	"wants": func(m *Module) {
		m.Import("wasi_snapshot_preview1", "sock_connect", "(i32)->i32")
		m.Import("env\x1b[2J", "evil\u009b31m", "()->i32")
		exitsWith(m, 7)
	},
	"library": func(*Module) {},
	"global": func(m *Module) {
		m.ImportGlobal("env", "base", "i32")
		exitsWith(m, 7)
	},
	"other": func(m *Module) {
		m.Import("gojs", "run", "()->f64")
		exitsWith(m, 7)
	},
	"shape": func(m *Module) {
		m.Import("wasi_snapshot_preview1", "fd_write", "()->i32")
		exitsWith(m, 7)
	},
	// nonsense adds a number to nothing, which only an engine notices.
	"nonsense": func(m *Module) { m.Export("_start", m.Func("()->()", "", Op(0x6a))) },
	// atomic uses an instruction of the threads proposal.
	"atomic": func(m *Module) { m.Export("_start", m.Func("()->()", "", Op(0xfe, 3, 0))) },
	// colourful imports what would change a terminal's colour.
	"colourful": func(m *Module) {
		m.Import("env\x1b[31m", "\u009b32m", "()->()")
		exitsWith(m, 7)
	},
	// traps calls inner, which does what nobody may, from outer.
	"traps": func(m *Module) {
		inner := m.Func("()->()", "", Op(Unreachable))
		outer := m.Func("()->()", "", Call(inner), Call(inner))
		m.Export("_start", m.Func("()->()", "", Call(outer), Call(outer)))
		m.FunctionNames("inner\x1b[31m", "outer", "_start")
	},
	// loops does so for ever.
	"loops": func(m *Module) { m.Export("_start", m.Func("()->()", "", Loop(EmptyType, Br(0)))) },
	// slow takes long to compile, as long as a module of its size may.
	"slow": func(m *Module) {
		m.Export("_start", m.Func("()->()", "", bytes.Repeat(Loop(EmptyType, I32(0), BrIf(0)), 9500)))
	},
	// paints does to a terminal what a stranger should not, on both its outputs.
	"paints": func(m *Module) {
		prints(m, "a\x1b]52;c;eA==\ab\x1b]0;t\ac\x1b[21td\x1b]11;?\ae\x1bP$qm\x1b\\f\x05g\x1b[31m\x1b[?1049;25;1000hh\x1b[?25l")
	},
	// answers says what is asked of it, and broken something else, and fails.
	"answers": func(m *Module) { prints(m, "42\n") },
	"broken":  func(m *Module) { prints(m, "no \x1b[31msuch\nthing ", exiting(m, 3)...) },
	// shell and versions say what the trials of our own modules want to hear.
	"shell":    func(m *Module) { prints(m, "ok\nbash\n") },
	"versions": func(m *Module) { prints(m, "git version 0\n") },
	// asks asks a terminal where its cursor is, and reads a line.
	"asks": func(m *Module) {
		read := m.Import("wasi_snapshot_preview1", "fd_read", "(i32,i32,i32,i32)->i32")
		prints(m, "ab\x1b[6n", I32(0), I32(0), I32(1), I32(8), Call(read), Op(Drop))
	},
	// huge has a memory larger than a sandbox without --memory.
	"huge": func(m *Module) {
		exit := m.Import("wasi_snapshot_preview1", "proc_exit", "(i32)->()")
		m.Export("_start", m.Func("()->()", "", I32(7), Call(exit)))
		m.Memory(9000, 0)
		m.ExportMemory("memory")
	},
}

// prints writes text to standard output, and to standard error; then it goes on.
func prints(m *Module, text string, then ...[]byte) {
	const at, rest = 64, 8
	write := m.Import("wasi_snapshot_preview1", "fd_write", "(i32,i32,i32,i32)->i32")
	m.Data(0, binary.LittleEndian.AppendUint32([]byte{at, 0, 0, 0}, uint32(len(text))))
	m.Data(at, []byte(text))
	var body [][]byte
	for _, fd := range []int32{1, 2} {
		body = append(body, I32(fd), I32(0), I32(1), I32(rest), Call(write), Op(Drop))
	}
	m.Export("_start", m.Func("()->()", "", append(body, then...)...))
}

func exitsWith(m *Module, code int32) {
	m.Export("_start", m.Func("()->()", "", exiting(m, code)...))
}

func exiting(m *Module, code int32) [][]byte {
	exit := m.Import("wasi_snapshot_preview1", "proc_exit", "(i32)->()")
	return [][]byte{I32(code), Call(exit)}
}

func makeModule(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 || modules[args[0]] == nil && args[0] != "big" {
		ts.Fatalf("usage: module KIND FILE")
	}
	file := ts.MkAbs(args[1])
	ts.Check(os.MkdirAll(filepath.Dir(file), 0o777))
	if args[0] == "big" { // more than a module may have, most of it a hole
		ts.Check(os.WriteFile(file, []byte("\x00asm\x01\x00\x00\x00"), 0o666))
		ts.Check(os.Truncate(file, 128<<20+1))
		return
	}
	ts.Check(os.WriteFile(file, moduleOf(args[0]), 0o777))
}

// moduleOf returns a module of that kind.
func moduleOf(kind string) []byte {
	var m Module
	modules[kind](&m)
	if kind != "huge" {
		m.Memory(1, 0)
		m.ExportMemory("memory")
	}
	return m.Bytes()
}
