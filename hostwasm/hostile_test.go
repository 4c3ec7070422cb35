package hostwasm_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	. "github.com/terrarium-dev/terrarium/core/meter/metertest"
	"github.com/terrarium-dev/terrarium/hostwasm"
)

// A hostile is a module that does harm, or tries to.
type hostile struct {
	name   string
	module []byte
	limits hostwasm.Limits // Fuel is 20e6 unless it is set

	refused string // what the refusal says; empty if it starts
	status  core.ExitStatus
	reason  core.Reason

	// How much a stack holds is the engine's business, and so is what was
	// executed until then.
	stack bool
}

// preview1 is the import module of WASI.
const preview1 = "wasi_snapshot_preview1"

// command returns a module with a page of memory and a body for _start.
func hostileCommand(locals string, body ...[]byte) []byte {
	return build(func(m *Module) { m.Export("_start", m.Func("()->()", locals, body...)) })
}

func build(add func(m *Module)) []byte {
	var m Module
	add(&m)
	m.Memory(1, 0)
	m.ExportMemory("memory")
	return m.Bytes()
}

// exits returns a module that exits with what a call of an import returns.
func exits(name, signature string, args ...[]byte) []byte {
	return exitsFrom(preview1, name, signature, args...)
}

func exitsFrom(module, name, signature string, args ...[]byte) []byte {
	return build(func(m *Module) {
		f := m.Import(module, name, signature)
		exit := m.Import(preview1, "proc_exit", "(i32)->()")
		m.Export("_start", m.Func("()->()", "", Code(args...), Call(f), Call(exit)))
	})
}

var (
	killed  = core.ExitStatus{Signal: "SIGKILL"}
	abort   = core.ExitStatus{Signal: "SIGABRT"}
	fpe     = core.ExitStatus{Signal: "SIGFPE"}
	segv    = core.ExitStatus{Signal: "SIGSEGV"}
	ill     = core.ExitStatus{Signal: "SIGILL"}
	forEver = Loop(EmptyType, Br(0))
)

func exitCode(code uint32) core.ExitStatus { return core.ExitStatus{ExitCode: code} }

// withStart returns a module whose start function is f, and whose _start is empty.
func withStart(body ...[]byte) []byte {
	return build(func(m *Module) {
		m.Start(m.Func("()->()", "", body...))
		m.Export("_start", m.Func("()->()", ""))
	})
}

// endless never end by themselves.
func endless() []hostile {
	cases := []hostile{
		{name: "loop", module: hostileCommand("", forEver)},
		{name: "loop in start", module: withStart(forEver)},
		{name: "exponential recursion", module: build(func(m *Module) {
			f := m.Func("(i32)->()", "", If0(Get(0), Get(0), I32(1), Op(I32Sub), Call(0), Get(0), I32(1), Op(I32Sub), Call(0)))
			m.Export("_start", m.Func("()->()", "", I32(60), Call(f)))
		})},
		{name: "mutual recursion", module: build(func(m *Module) {
			f := m.Func("(i32)->()", "", If0(Get(0), Get(0), I32(1), Op(I32Sub), Call(1), Get(0), I32(1), Op(I32Sub), Call(1)))
			m.Func("(i32)->()", "", If0(Get(0), Get(0), I32(1), Op(I32Sub), Call(0), Get(0), I32(1), Op(I32Sub), Call(0)))
			m.Export("_start", m.Func("()->()", "", I32(60), Call(f)))
		})},
		{name: "br_table storm", module: hostileCommand("i32", Loop(EmptyType,
			Block(EmptyType, Block(EmptyType, Get(0), BrTable(table(5000)...))),
			Get(0), I32(1), Op(I32Add), Set(0), Br(0)))},
		{name: "memory.fill", module: filler(1024)},
		{name: "memory.copy", module: copier(1024)},
		{name: "memory.grow", module: hostileCommand("", Loop(EmptyType, I32(1), MemoryGrow(), Op(Drop), Br(0)))},
		{name: "table.grow", module: build(func(m *Module) {
			m.Table(0, 0)
			m.Export("_start", m.Func("()->()", "",
				Loop(EmptyType, Op(RefNull, FuncrefType), I32(1000), Misc(15, 0), Op(Drop), Br(0))))
		})},
		{name: "calls of ours", module: build(func(m *Module) {
			f := m.Import(preview1, "sched_yield", "()->i32")
			m.Export("_start", m.Func("()->()", "", Loop(EmptyType, Call(f), Op(Drop), Br(0))))
		}), limits: hostwasm.Limits{Fuel: 400e3}},
		{name: "lists of processes, numbers, signals", module: build(func(m *Module) {
			processes := m.Import("terrarium_proc_v0", "processes", "(i32,i32)->i32")
			reserve := m.Import("terrarium_proc_v0", "reserve", "(i32)->i32")
			signal := m.Import("terrarium_proc_v0", "signal", "(i32,i32)->i32")
			m.Export("_start", m.Func("()->()", "", Loop(EmptyType,
				I32(0), I32(65536), Call(processes), Op(Drop),
				I32(65532), Call(reserve), Op(Drop),
				I32(65532), Memory(I32Load, 0), I32(9), Call(signal), Op(Drop), Br(0))))
		}), limits: hostwasm.Limits{Fuel: 400e3}},
		{name: "descriptors moved around", module: build(func(m *Module) {
			dup := m.Import("terrarium_proc_v0", "dup", "(i32,i32,i32)->i32")
			renumber := m.Import(preview1, "fd_renumber", "(i32,i32)->i32")
			m.Export("_start", m.Func("()->()", "", Loop(EmptyType,
				I32(1), I32(0), I32(0), Call(dup), Op(Drop),
				I32(0), Memory(I32Load, 0), I32(2), Call(renumber), Op(Drop),
				I32(1), I32(0), I32(0), Call(dup), Op(Drop), Br(0))))
		}), limits: hostwasm.Limits{Fuel: 400e3}},
		{name: "calls of what is not there", module: build(func(m *Module) {
			f := m.Import("env", "nothing", "(i64,f32,f64)->i32")
			m.Export("_start", m.Func("()->()", "", Loop(EmptyType,
				I64(0), Op(0x43, 0, 0, 0, 0), Op(0x44, 0, 0, 0, 0, 0, 0, 0, 0), Call(f), Op(Drop), Br(0))))
		}), limits: hostwasm.Limits{Fuel: 400e3}},
	}
	cases = append(cases, busyHost()...)
	for i := range cases {
		cases[i].status, cases[i].reason = killed, core.ReasonFuel
	}
	return cases
}

// busyHost are a few instructions that have the host do much.
func busyHost() []hostile {
	const most = 4 << 20 // bytes of memory
	at := func(data string) func(*Module) { return func(m *Module) { m.Data(0, []byte(data)) } }
	call := func(name, params string, data func(*Module), args ...[]byte) []byte {
		var m Module
		f := m.Import(preview1, name, params+"->i32")
		m.Memory(most>>16, most>>16)
		m.ExportMemory("memory")
		data(&m)
		m.Export("_start", m.Func("()->()", "", Loop(EmptyType, Code(args...), Call(f), Op(Drop), Br(0))))
		return m.Bytes()
	}
	name := strings.Repeat("tmp/../", 580) + "tmp"
	cases := []hostile{
		{name: "randomness", module: call("random_get", "(i32,i32)", at(""), I32(0), I32(most))},
		{name: "a name with many steps", module: call("path_filestat_get", "(i32,i32,i32,i32,i32)", at(name),
			I32(3), I32(1), I32(0), I32(int32(len(name))), I32(1<<16))},
		{name: "zeros, again and again", module: build(func(m *Module) {
			open := m.Import(preview1, "path_open", "(i32,i32,i32,i32,i32,i64,i64,i32,i32)->i32")
			read := m.Import(preview1, "fd_read", "(i32,i32,i32,i32)->i32")
			m.Data(0, []byte("dev/zero"))
			// 1000 times the same 32 KiB, behind the list itself.
			list := make([]byte, 0, 8000)
			for range 1000 {
				list = binary.LittleEndian.AppendUint32(list, 1<<14)
				list = binary.LittleEndian.AppendUint32(list, 1<<15)
			}
			m.Data(32, list)
			m.Export("_start", m.Func("()->()", "",
				I32(3), I32(1), I32(0), I32(8), I32(0), I64(2), I64(2), I32(0), I32(16), Call(open), Op(Drop),
				Loop(EmptyType, I32(16), Memory(I32Load, 0), I32(32), I32(1000), I32(20), Call(read), Op(Drop), Br(0))))
		})},
	}
	for i := range cases {
		cases[i].limits.Fuel = 400e3
	}
	return cases
}

// If0 runs body if condition is not zero.
func If0(condition []byte, body ...[]byte) []byte { return Code(condition, If(EmptyType, body...)) }

func table(n int) []uint32 {
	labels := make([]uint32, n)
	for i := range labels {
		labels[i] = uint32(i % 2)
	}
	return labels
}

// filler fills all of its memory again and again; copier copies it.
func filler(pages int32) []byte {
	return hostileCommand("", I32(pages-1), MemoryGrow(), Op(Drop),
		Loop(EmptyType, I32(0), I32(1), I32(pages<<16), Misc(11, 0), Br(0)))
}

func copier(pages int32) []byte {
	return hostileCommand("", I32(pages-1), MemoryGrow(), Op(Drop),
		Loop(EmptyType, I32(1), I32(0), I32(pages<<16-1), Misc(10, 0, 0), Br(0)))
}

// trapping do what WebAssembly forbids.
func trapping() []hostile {
	cases := []hostile{
		{name: "unreachable", module: hostileCommand("", Op(Unreachable)), status: abort},
		{name: "unreachable in start", module: withStart(Op(Unreachable)), status: abort},
		{name: "division by zero", module: hostileCommand("", I32(1), I32(0), Op(I32DivS), Op(Drop)), status: fpe},
		{name: "division overflow", module: hostileCommand("", I32(-1<<31), I32(-1), Op(I32DivS), Op(Drop)), status: fpe},
		{name: "conversion of infinity", module: hostileCommand("", Op(0x43, 0, 0, 0x80, 0x7f), Op(0xa8), Op(Drop)), status: fpe},
		{name: "load beyond memory", module: hostileCommand("", I32(-4), Memory(I32Load, 0xffffffff), Op(Drop)), status: segv},
		{name: "fill beyond memory", module: hostileCommand("", I32(0), I32(0), I32(-1), Misc(11, 0)), status: segv},
		{name: "data beyond memory", module: build(func(m *Module) {
			m.Data(65535, []byte("too long"))
			m.Export("_start", m.Func("()->()", ""))
		}), status: segv},
		{name: "call of no element", module: indirect(5), status: ill},
		{name: "call of another type", module: indirect(0), status: ill},
		{name: "trap beyond its own maximum", module: growAndTrap(4), status: abort},
	}
	for i := range cases {
		cases[i].reason = core.ReasonTrap
	}
	return append(cases, hostile{
		name: "trap without the memory it wanted", module: growAndTrap(100), limits: hostwasm.Limits{Memory: 1 << 20},
		status: abort, reason: core.ReasonMemory,
	})
}

// growAndTrap returns a module that wants 50 pages, of which its memory may have
// max, and traps.
func growAndTrap(max uint32) []byte {
	var m Module
	m.Memory(1, max)
	m.ExportMemory("memory")
	m.Export("_start", m.Func("()->()", "", I32(49), MemoryGrow(), Op(Drop, Unreachable)))
	return m.Bytes()
}

// recursing call themselves without end.
func recursing() []hostile {
	again := Code(Get(0), Get(1), Call(0))
	signature, locals := "(i64,i64)->()", "i64,i64,i64,i64"
	start := Code(I64(1), I64(2), Call(0))
	const large = 2000 // calls of a function whose results are all needed at the end
	cases := []hostile{
		{name: "recursion", module: build(func(m *Module) {
			m.Func(signature, locals, again)
			m.Export("_start", m.Func("()->()", "", start))
		})},
		{name: "recursion in start", module: build(func(m *Module) {
			m.Func(signature, locals, again)
			m.Start(m.Func("()->()", "", start))
			m.Export("_start", m.Func("()->()", ""))
		})},
		{name: "recursion through a table", module: build(func(m *Module) {
			m.Table(1, 1)
			f := m.Func("()->()", "", I32(0), CallIndirect(m.Type("()->()"), 0))
			m.Elem(0, f)
			m.Export("_start", f)
		})},
		{name: "recursion with large frames", module: build(func(m *Module) {
			// 0x7c is i64.add.
			f := m.Func("()->i64", "", bytes.Repeat(Call(0), large), bytes.Repeat(Op(0x7c), large-1))
			m.Export("_start", m.Func("()->()", "", Call(f), Op(Drop)))
		})},
	}
	for i := range cases {
		cases[i].status, cases[i].reason, cases[i].stack = segv, core.ReasonStack, true
		cases[i].limits.Fuel = -1
	}
	return cases
}

// indirect calls an element of a table as if it took an i32.
func indirect(element int32) []byte {
	return build(func(m *Module) {
		m.Table(1, 1)
		m.Elem(0, 0)
		f := m.Func("()->()", "", I32(0), I32(element), CallIndirect(m.Type("(i32)->()"), 0))
		m.Export("_start", f)
	})
}

// ending end in other ways.
func ending() []hostile {
	const fault, inval, srch = 21, 28, 71
	cases := []hostile{
		{name: "more memory at first than allowed", limits: hostwasm.Limits{Memory: 1 << 20}, module: func() []byte {
			var m Module
			m.Memory(100, 0)
			m.ExportMemory("memory")
			m.Export("_start", m.Func("()->()", ""))
			return m.Bytes()
		}(), status: killed, reason: core.ReasonMemory},
		{name: "4 GiB at first", module: func() []byte {
			var m Module
			m.Memory(65536, 0)
			m.ExportMemory("memory")
			m.Export("_start", m.Func("()->()", ""))
			return m.Bytes()
		}(), status: killed, reason: core.ReasonMemory},
		{name: "no memory", module: func() []byte {
			var m Module
			m.Export("_start", m.Func("()->()", ""))
			return m.Bytes()
		}()},
		{name: "grow by everything", module: build(func(m *Module) {
			exit := m.Import(preview1, "proc_exit", "(i32)->()")
			m.Export("_start", m.Func("()->()", "", I32(65535), MemoryGrow(), Call(exit)))
		}), status: exitCode(255)},
		{name: "exit inside start", module: build(func(m *Module) {
			exit := m.Import(preview1, "proc_exit", "(i32)->()")
			m.Start(m.Func("()->()", "", I32(3), Call(exit)))
			m.Export("_start", m.Func("()->()", "", Op(Unreachable)))
		}), status: exitCode(3)},
		{name: "random_get of 4 GiB", module: exits("random_get", "(i32,i32)->i32", I32(0), I32(-1)), status: exitCode(fault)},
		{name: "poll of a billion", module: exits("poll_oneoff", "(i32,i32,i32,i32)->i32",
			I32(0), I32(0), I32(1<<30), I32(0)), status: exitCode(fault)},
		{name: "poll of nothing", module: exits("poll_oneoff", "(i32,i32,i32,i32)->i32",
			I32(0), I32(0), I32(0), I32(0)), status: exitCode(inval)},
		{name: "poll of 2^32-1", module: exits("poll_oneoff", "(i32,i32,i32,i32)->i32",
			I32(0), I32(0), I32(-1), I32(0)), status: exitCode(fault)},
		{name: "write of vectors that hold themselves", module: build(func(m *Module) {
			write := m.Import(preview1, "fd_write", "(i32,i32,i32,i32)->i32")
			exit := m.Import(preview1, "proc_exit", "(i32)->()")
			m.Data(0, []byte{0, 0, 0, 0, 16, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 12, 0, 0, 0})
			m.Export("_start", m.Func("()->()", "", I32(1), I32(0), I32(3), I32(4), Call(write), Call(exit)))
		})},
		{name: "raise", module: build(func(m *Module) {
			const sigabrt = 6
			raise := m.Import(preview1, "proc_raise", "(i32)->i32")
			m.Export("_start", m.Func("()->()", "", I32(sigabrt), Call(raise), Op(Drop), Op(Unreachable)))
		}), status: abort},
		{name: "write of 2^31 vectors", module: exits("fd_write", "(i32,i32,i32,i32)->i32",
			I32(1), I32(0), I32(-1<<31), I32(0)), status: exitCode(inval)},
		{name: "write of vectors beyond memory", module: exits("fd_write", "(i32,i32,i32,i32)->i32",
			I32(1), I32(65532), I32(1), I32(0)), status: exitCode(fault)},
		{name: "list of processes of 4 GiB", module: exitsFrom("terrarium_proc_v0", "processes", "(i32,i32)->i32", I32(0), I32(-1)), status: exitCode(fault)},
		{name: "list of processes beyond memory", module: exitsFrom("terrarium_proc_v0", "processes", "(i32,i32)->i32", I32(65532), I32(16)), status: exitCode(fault)},
		{name: "signal to everybody", module: exitsFrom("terrarium_proc_v0", "signal", "(i32,i32)->i32", I32(-1), I32(9)), status: exitCode(srch)},
		{name: "signal to the parent of the first", module: exitsFrom("terrarium_proc_v0", "signal", "(i32,i32)->i32", I32(0), I32(9)), status: exitCode(srch)},
		{name: "args beyond memory", module: exits("args_get", "(i32,i32)->i32", I32(-1), I32(-1)), status: exitCode(fault)},
		{name: "path of 4 GiB", module: exits("path_create_directory", "(i32,i32,i32)->i32", I32(3), I32(0), I32(-1)), status: exitCode(fault)},
	}
	for code, want := range map[int32]uint32{0: 0, 1: 1, 255: 255, 256: 0, -1: 255} {
		cases = append(cases, hostile{name: "proc_exit", status: exitCode(want), module: build(func(m *Module) {
			exit := m.Import(preview1, "proc_exit", "(i32)->()")
			m.Export("_start", m.Func("()->()", "", I32(code), Call(exit)))
		})})
	}
	return cases
}

// refusedModules are no commands.
func refusedModules() []hostile {
	start := func(m *Module) { m.Export("_start", m.Func("()->()", "")) }
	return []hostile{
		{name: "known import of another shape", refused: "imports wasi_snapshot_preview1.fd_write as (i64)->i32: it is (i32,i32,i32,i32)->i32",
			module: build(func(m *Module) { m.Import(preview1, "fd_write", "(i64)->i32"); start(m) })},
		{name: "unknown import", refused: "imports env.launch (i32)->(), which is not offered",
			module: build(func(m *Module) { m.Import("env", "launch", "(i32)->()"); start(m) })},
		{name: "imported global", refused: "imports env.g, a global: only functions are offered",
			module: build(func(m *Module) { m.ImportGlobal("env", "g", "i32"); start(m) })},
		{name: "escapes in an import's name", refused: "imports env.\uFFFD[31m\uFFFDx\uFFFD ()->(), which is not offered",
			module: build(func(m *Module) { m.Import("env", "\x1b[31m\ax\n", "()->()"); start(m) })},
		{name: "a long import's name", refused: "a…",
			module: build(func(m *Module) { m.Import("env", strings.Repeat("a", 1000), "()->()"); start(m) })},
		{name: "an import's name of a megabyte", refused: "a name of 1048576 bytes, at most 100000",
			module: build(func(m *Module) { m.Import("env", strings.Repeat("a", 1<<20), "()->()"); start(m) })},
		{name: "no _start", refused: "exports no function _start",
			module: build(func(m *Module) { m.Export("start", m.Func("()->()", "")) })},
		{name: "_start with a result", refused: "exports no function _start",
			module: build(func(m *Module) { m.Export("_start", m.Func("()->i32", "", I32(0))) })},
		{name: "memory that is not exported", refused: `"memory"`,
			module: func() []byte {
				var m Module
				m.Memory(1, 0)
				start(&m)
				return m.Bytes()
			}()},
		{name: "memory of another name", refused: `"memory"`,
			module: func() []byte {
				var m Module
				m.Memory(1, 0)
				m.ExportMemory("mem")
				start(&m)
				return m.Bytes()
			}()},
		{name: "locals bomb", refused: "over the limit",
			module: hostileCommand(strings.Repeat("i64,", 40_000) + "i64")},
		{name: "a million functions", refused: "over the limit", module: build(func(m *Module) {
			for range 1 << 20 {
				m.Func("()->()", "")
			}
			start(m)
		})},
		{name: "too much data", refused: "hostile: ", limits: hostwasm.Limits{Module: 1 << 20}, module: build(func(m *Module) {
			m.PassiveData(make([]byte, 2<<20))
			start(m)
		})},
		{name: "table too large", refused: "over the limit", module: build(func(m *Module) { m.Table(2<<20, 0); start(m) })},
		{name: "the meter's export", refused: "reserved name",
			module: build(func(m *Module) { m.ExportGlobal("terrarium.fuel", m.Global("i64", I64(0))); start(m) })},
		{name: "the meter's import", refused: "reserved name",
			module: build(func(m *Module) { m.Import("terrarium_meter", "refill", "()->()"); start(m) })},
		{name: "deep nesting", refused: "over the limit",
			module: hostileCommand("", deep(100_000))},
		{name: "loops inside each other", refused: "more than 256 loops",
			module: hostileCommand("", bytes.Repeat(Op(0x03, EmptyType), 5000), bytes.Repeat(Op(End), 5000))},
		{name: "branch tables of a megabyte", refused: "more than 65536 labels",
			module: hostileCommand("", bytes.Repeat(Block(EmptyType, Block(EmptyType, I32(0), BrTable(table(20_000)...))), 5))},
		{name: "function of a megabyte", refused: "over the limit", module: hostileCommand("", bytes.Repeat(Op(Nop), 1<<20))},
		{name: "type error", refused: "", module: hostileCommand("", I64(0), Op(I32Eqz), Op(Drop))},
		{name: "cut short", refused: "malformed", module: hostileCommand("", forEver)[:40]},
	}
}

// deep returns blocks inside each other.
func deep(n int) []byte {
	b := make([]byte, 0, 3*n)
	for range n {
		b = append(b, 0x02, EmptyType)
	}
	for range n {
		b = append(b, End)
	}
	return b
}

// TestHostile runs modules that do harm in each place. Each must end as it
// should, with its reason, and leave what else the host runs alone; and it
// must do the same in each: what it writes, how it ends, what it costs.
func TestHostile(t *testing.T) {
	checkLeaks(t)
	for i, c := range slices.Concat(endless(), trapping(), recursing(), ending()) {
		if testing.Short() && i%4 > 0 { // each ends on its only thread, in one of a few ways
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			var first result
			for i, on := range places() {
				h := hostOf(t, on, c)
				b := stand(t, h)
				got := run(t, h, core.Command{Command: "hostile", Args: []string{"x"}})
				b.alive(t)
				if got.exit.Status != c.status || got.exit.Reason != c.reason {
					t.Errorf("%v: got %v %q, want %v %q; %s", on, got.exit.Status, got.exit.Reason, c.status, c.reason, got.stderr)
				}
				printableOnly(t, got.stderr)
				if i == 0 {
					first = got
					continue
				}
				if c.stack {
					first.exit.Usage, got.exit.Usage, first.stderr, got.stderr = core.Usage{}, core.Usage{}, "", ""
				}
				if got != first {
					t.Errorf("%v: got %+v, %v has %+v", on, got, places()[0], first)
				}
			}
		})
	}
}

// TestRefused starts modules that are refused, with a reason that can be shown.
func TestRefused(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing runs")
	}
	checkLeaks(t)
	for _, c := range refusedModules() {
		t.Run(c.name, func(t *testing.T) {
			for _, on := range places() {
				h := hostOf(t, on, c)
				e, err := h.Resolve(context.Background(), core.Command{Command: "hostile", Args: []string{"x"}})
				if err != nil {
					t.Fatal(err)
				}
				p, err := h.Start(context.Background(), e)
				if err == nil {
					p.Close()
					t.Fatalf("%v: got nil, want a refusal", on)
				}
				if _, ok := errors.AsType[*core.HostError](err); !ok || !strings.Contains(err.Error(), c.refused) {
					t.Errorf("%v: got %v, want %q in it", on, err, c.refused)
				}
				printableOnly(t, err.Error())
				if len(err.Error()) > 4096 {
					t.Errorf("%v: got a message of %d bytes", on, len(err.Error()))
				}
			}
		})
	}
}

// hostOf returns a host with the commands guest and hostile.
func hostOf(t *testing.T, on place, c hostile) host {
	if c.limits.Fuel == 0 {
		c.limits.Fuel = 20e6
	}
	return on.host(t, hostwasm.Config{Limits: c.limits, Commands: map[string]*hostwasm.Module{
		"guest": guest, "echo": echo, "hostile": hostwasm.NewModule("hostile", c.module),
	}})
}

// printableOnly checks that text of ours does nothing to a terminal.
func printableOnly(t *testing.T, text string) {
	t.Helper()
	for _, r := range text {
		if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 {
			t.Errorf("got %q, want no control characters", text)
			return
		}
	}
}

// checkLeaks fails the test if it leaves goroutines or descriptors behind.
func checkLeaks(t *testing.T) {
	t.Helper()
	goroutines, files := runtime.NumGoroutine(), openFiles(t)
	t.Cleanup(func() {
		var g, f int
		for late := time.Now().Add(time.Minute); time.Now().Before(late); {
			runtime.GC() // engines free descriptors in finalizers
			if g, f = runtime.NumGoroutine(), openFiles(t); g <= goroutines && f <= files {
				return
			}
			time.Sleep(10 * time.Millisecond) // what has been told to end is ending
		}
		t.Errorf("left behind: %d goroutines (before: %d), %d descriptors (before: %d)", g, goroutines, f, files)
	})
}

// openFiles counts our descriptors; where they can't be counted there are none.
func openFiles(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/dev/fd")
	if err != nil {
		return 0
	}
	return len(entries)
}
