package hostwasm_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	. "github.com/terrarium-dev/terrarium/core/meter/metertest"
	"github.com/terrarium-dev/terrarium/hostwasm"
	"github.com/terrarium-dev/terrarium/hostwasm/httpfetch"
)

// fetching are the calls that hostile guests of terrarium_http_v0 make, each of which leaves an
// errno. They have the last descriptor at 0, what is written at 64, and what is read at 32.
type fetching struct{ open, openNonblock, openNowhere, openWrong, read, write, writeBeyond, close, exit []byte }

// An exchangeOpener is how a guest gets an exchange: it imports what it needs into m, and returns
// the call with some flags whose descriptor belongs at out.
type exchangeOpener func(m *Module) func(flags byte, out []byte) []byte

// importsOpen has a guest call open of terrarium_http_v0.
func importsOpen(m *Module) func(byte, []byte) []byte {
	open := m.Import("terrarium_http_v0", "open", "(i32,i32)->i32")
	return func(flags byte, out []byte) []byte { return Code(I32(int32(flags)), out, Call(open)) }
}

// opensDevice has a guest open /dev/http, as all do that can't import open.
func opensDevice(m *Module) func(byte, []byte) []byte { return opensDeviceTo(m, 1<<1|1<<6) }

// opensDeviceToRead has it open for reading alone, and so not at all.
func opensDeviceToRead(m *Module) func(byte, []byte) []byte { return opensDeviceTo(m, 1<<1) }

func opensDeviceTo(m *Module, rights int64) func(byte, []byte) []byte {
	const root, name, at = 3, "dev/http", 48
	const nonblock, unknown = 4, 64 // fdflags for what open calls 1 and 2
	open := m.Import(preview1, "path_open", "(i32,i32,i32,i32,i32,i64,i64,i32,i32)->i32")
	m.Data(at, []byte(name))
	return func(flags byte, out []byte) []byte {
		fdflags := []int32{0, nonblock, unknown}[flags]
		return Code(I32(root), I32(0), I32(at), I32(int32(len(name))), I32(0), I64(rights), I64(0), I32(fdflags), out, Call(open))
	}
}

// fetches returns a module with a body for _start, made of these calls, that writes text.
func fetches(by exchangeOpener, text string, body func(f fetching) []byte) []byte {
	return build(func(m *Module) {
		open := by(m)
		read := m.Import(preview1, "fd_read", "(i32,i32,i32,i32)->i32")
		write := m.Import(preview1, "fd_write", "(i32,i32,i32,i32)->i32")
		shut := m.Import(preview1, "fd_close", "(i32)->i32")
		exit := m.Import(preview1, "proc_exit", "(i32)->()")
		fd := Code(I32(0), Memory(I32Load, 0))
		call := func(f uint32, args ...[]byte) []byte { return Code(Code(args...), Call(f)) }
		n := byte(len(text))
		// A vector of 8 bytes at 32, one of the text at 64, and one that leads out.
		m.Data(0, append(make([]byte, 8), 32, 0, 0, 0, 8, 0, 0, 0, 64, 0, 0, 0, n, 0, 0, 0, 255, 255, 0, 0, 2, 0, 0, 0))
		m.Data(64, []byte(text))
		m.Export("_start", m.Func("()->()", "i32", body(fetching{
			open:         open(0, I32(0)),
			openNonblock: open(1, I32(0)),
			openNowhere:  open(0, I32(65534)),
			openWrong:    open(2, I32(0)),
			read:         call(read, fd, I32(8), I32(1), I32(4)),
			write:        call(write, fd, I32(16), I32(1), I32(4)),
			writeBeyond:  call(write, fd, I32(24), I32(1), I32(4)),
			close:        call(shut, fd),
			exit:         Call(exit),
		})))
	})
}

// TestHTTPHostile are guests that use an exchange as no library would. None takes from others what
// they need, nor leaves anything behind, however it has got there.
func TestHTTPHostile(t *testing.T) {
	for name, by := range map[string]exchangeOpener{"import": importsOpen, "device": opensDevice} {
		t.Run(name, func(t *testing.T) { testHTTPHostile(t, by) })
	}
}

func testHTTPHostile(t *testing.T, by exchangeOpener) {
	checkLeaks(t)
	s := httptest.NewServer(http.NotFoundHandler())
	defer s.Close()
	const again, badf, fault, inval = 6, 8, 21, 28
	drop := Op(Drop)
	kind := Code(I32(32), Memory(I32Load, 0)) // of the frame that was read
	for _, c := range []hostile{
		{name: "a descriptor outside of memory", module: fetches(by, "", func(f fetching) []byte { return Code(f.openNowhere, f.exit) }), status: exitCode(fault)},
		{name: "a flag that there is not", module: fetches(by, "", func(f fetching) []byte { return Code(f.openWrong, f.exit) }), status: exitCode(inval)},
		{name: "one after the other until there are no more", module: fetches(by, "", func(f fetching) []byte {
			return Code(Loop(EmptyType, f.open, Tee(0), Op(I32Eqz), BrIf(0)), Get(0), f.exit)
		}), status: exitCode(again)},
		{name: "open and closed, thousands of times", module: fetches(by, "", func(f fetching) []byte {
			return Code(I32(3000), Set(0), Loop(EmptyType, f.open, drop, f.close, drop, Get(0), I32(1), Op(I32Sub), Tee(0), BrIf(0)), I32(0), f.exit)
		})},
		{name: "closed twice", module: fetches(by, "", func(f fetching) []byte { return Code(f.open, drop, f.close, drop, f.close, f.exit) }), status: exitCode(badf)},
		{name: "written to when it was closed", module: fetches(by, "x", func(f fetching) []byte { return Code(f.open, drop, f.close, drop, f.write, f.exit) }), status: exitCode(badf)},
		{name: "written to from outside of memory", module: fetches(by, "x", func(f fetching) []byte { return Code(f.open, drop, f.writeBeyond, f.exit) }), status: exitCode(fault)},
		{name: "nothing to read yet", module: fetches(by, "", func(f fetching) []byte { return Code(f.openNonblock, drop, f.read, f.exit) }), status: exitCode(again)},
		{name: "a header of 1 MiB", module: fetches(by, "\x01\x00\x00\x00\x00\x00\x10\x00", func(f fetching) []byte { return Code(f.open, drop, f.write, drop, f.read, drop, kind, f.exit) }), status: exitCode(4)},
		{name: "a body first", module: fetches(by, "\x02\x00\x00\x00\x00\x00\x00\x00", func(f fetching) []byte { return Code(f.open, drop, f.write, drop, f.read, drop, kind, f.exit) }), status: exitCode(4)},
		{name: "an end in the middle of a header", module: fetches(by, "\x01\x00\x00\x00\x40\x00\x00\x00GET", func(f fetching) []byte { return Code(f.open, drop, f.write, f.exit) })},
		{name: "a read without a request", module: fetches(by, "", func(f fetching) []byte { return Code(f.open, drop, f.read, f.exit) }),
			limits: hostwasm.Limits{Wall: time.Second}, status: killed, reason: core.ReasonTimeout},
		{name: "a header that never ends", module: fetches(by, "\x01\x00\x00\x00\x00\x00\x01\x00"+strings.Repeat("x", 64), func(f fetching) []byte {
			return Code(f.open, drop, f.write, drop, f.read, f.exit)
		}), limits: hostwasm.Limits{Wall: time.Second}, status: killed, reason: core.ReasonTimeout},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, on := range places() {
				h := on.host(t, hostwasm.Config{
					Limits: c.limits, HTTP: httpfetch.New(httpfetch.Config{Dial: dialOnly(s)}),
					Commands: map[string]*hostwasm.Module{"hostile": hostwasm.NewModule("hostile", c.module)},
				})
				got := run(t, h, core.Command{Command: "hostile", Args: []string{"x"}})
				if got.exit.Status != c.status || got.exit.Reason != c.reason {
					t.Errorf("%v: got %v %q, want %v %q; %s", on, got.exit.Status, got.exit.Reason, c.status, c.reason, got.stderr)
				}
			}
		})
	}
}

// TestHTTPOpened is what opening an exchange is answered with.
func TestHTTPOpened(t *testing.T) { everywhere(t, testHTTPOpened) }

func testHTTPOpened(t *testing.T, on place) {
	const acces, noent, nosys = 2, 44, 52
	for _, c := range []struct {
		name                   string
		by                     exchangeOpener
		without, deterministic bool
		errno                  uint32
	}{
		{"import", importsOpen, false, false, 0},
		{"device", opensDevice, false, false, 0},
		{"device, to be read alone", opensDeviceToRead, false, false, acces},
		{"import without a network", importsOpen, true, false, nosys},
		{"device without a network", opensDevice, true, false, noent},
		{"device where commands are deterministic", opensDevice, false, true, noent},
	} {
		config := hostwasm.Config{Deterministic: c.deterministic, Commands: map[string]*hostwasm.Module{
			"open": hostwasm.NewModule("open", fetches(c.by, "", func(f fetching) []byte { return Code(f.open, f.exit) })),
		}}
		if !c.without {
			config.HTTP = httpfetch.New(httpfetch.Config{Dial: func(context.Context, string, uint16) (net.Conn, error) { return nil, errors.ErrUnsupported }})
		}
		got := run(t, on.host(t, config), core.Command{Command: "open", Args: []string{"x"}})
		if want := exitCode(c.errno); got.exit.Status != want {
			t.Errorf("%s: got %v, want %v; %s", c.name, got.exit.Status, want, got.stderr)
		}
	}
}
