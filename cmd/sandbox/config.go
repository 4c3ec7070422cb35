package main

import (
	"encoding/hex"
	"math"
	"strings"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/abi"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
	"github.com/terrarium-dev/terrarium/hostwasm"
)

// A decoder reads what exports take, and an encoder writes what they return.
type (
	decoder struct{ abi.Decoder }
	encoder struct{ abi.Encoder }
)

// A config says what the page wants.
type config struct {
	modules       []module
	cwd           string
	env           []string
	deterministic bool
	ask           bool
	version       string
	mounts        []mount

	limits          hostwasm.Limits
	totalMemory     int64
	fileBytes       int64
	fileCount       int64
	outputByteLimit int64
	terminals       int
	keptTerminals   int
	keptBytes       int64
	killGrace       time.Duration
}

// A module is one that the page has, or can fetch.
type module struct {
	name     string
	commands []string
	sum      [32]byte // of a plugin, as it was before it was metered
	plugin   bool
}

// The most that a limit may be: what an instance can address, and a number of
// things that is far beyond that.
const (
	maxBytes   = 1 << 32
	maxCount   = 1 << 20
	maxMillis  = math.MaxInt64 / int64(time.Millisecond)
	maxModules = 4096
	maxMounts  = 64
)

// stack is what the calls of a guest take at most: the browser has that much for
// all that runs in a worker.
const stack = 1 << 20

func decodeConfig(p []byte) (c config, err error) {
	c = config{
		cwd: "/work", totalMemory: 2 << 30, fileBytes: 256 << 20, fileCount: 100_000,
		terminals: 256, keptTerminals: 256, keptBytes: 64 << 20,
	}
	c.limits.Stack = stack
	var d decoder
	err = d.Decode(p, func(v jsonrpc.Value) { d.config(v, &c) })
	return c, err
}

func (d *decoder) config(v jsonrpc.Value, c *config) {
	d.Object(v,
		abi.Of("modules", func(v jsonrpc.Value) {
			d.List(v, func(v jsonrpc.Value) { c.modules = append(c.modules, d.module(v)) })
		}),
		abi.Of("cwd", &c.cwd),
		abi.Of("env", &c.env),
		abi.Of("deterministic", &c.deterministic),
		abi.Of("ask", &c.ask),
		abi.Of("version", &c.version),
		abi.Of("mounts", func(v jsonrpc.Value) {
			d.List(v, func(v jsonrpc.Value) { c.mounts = append(c.mounts, d.mount(v)) })
		}),
		abi.Of("limits", func(v jsonrpc.Value) { d.limits(v, c) }),
	)
	if len(c.modules) > maxModules {
		d.Wrong("modules", "range")
	}
	if !cleanPath(c.cwd) {
		d.Wrong("cwd", "value")
	}
	d.checkMounts(c.mounts)
	for _, kv := range c.env {
		if strings.IndexByte(kv, '=') <= 0 || strings.IndexByte(kv, 0) >= 0 {
			d.Wrong("env", "value")
		}
	}
}

func (d *decoder) mount(v jsonrpc.Value) (m mount) {
	timeout := int64(10_000)
	d.Object(v, abi.Of("path", &m.path), abi.Int("timeoutMs", &timeout, 1, maxMillis/2))
	m.timeout = time.Duration(timeout) * time.Millisecond
	return m
}

// checkMounts wants each mount at a place of its own, and none in another.
func (d *decoder) checkMounts(mounts []mount) {
	if len(mounts) > maxMounts {
		d.Wrong("mounts", "range")
	}
	for i, m := range mounts {
		bad := !cleanPath(m.path) || m.path == "/"
		for _, ours := range []string{"/bin", "/dev", "/tmp"} {
			bad = bad || within(m.path, ours)
		}
		for _, other := range mounts[:i] {
			bad = bad || within(m.path, other.path) || within(other.path, m.path)
		}
		if bad {
			d.Wrong("mounts", "value")
		}
	}
}

// within reports whether a clean path is a directory or lies in it.
func within(name, dir string) bool { return name == dir || strings.HasPrefix(name, dir+"/") }

func (d *decoder) module(v jsonrpc.Value) (m module) {
	var sum string
	d.Object(v,
		abi.Of("name", &m.name),
		abi.Of("commands", &m.commands),
		abi.Of("sum", &sum),
	)
	for _, name := range m.commands {
		if name == "" || name == "." || name == ".." || strings.ContainsAny(name, "/\x00") {
			d.Wrong("commands", "value")
		}
	}
	if sum == "" {
		return m
	}
	m.plugin = true
	if n, err := hex.Decode(m.sum[:], []byte(sum)[:min(len(sum), 2*len(m.sum))]); err != nil || n != len(m.sum) || len(sum) != 2*n {
		d.Wrong("sum", "value")
	}
	return m
}

// limits reads limits, where 0 is the default: what c has already, or what they
// mean elsewhere.
func (d *decoder) limits(v jsonrpc.Value, c *config) {
	var wall, grace int64
	var total, bytes, count, kept int64
	var terminals, keptTerminals int
	l := &c.limits
	d.Object(v,
		abi.Int("memory", &l.Memory, 0, maxBytes),
		abi.Int("fuel", &l.Fuel, 0, math.MaxInt64),
		abi.Int("wallMs", &wall, 0, maxMillis),
		abi.Int("output", &l.Output, 0, math.MaxInt64),
		abi.Int("openFiles", &l.OpenFiles, 0, maxCount),
		abi.Int("processes", &l.Processes, 0, maxCount),
		abi.Int("scratch", &l.Scratch, 0, maxBytes),
		abi.Int("totalMemory", &total, 0, maxBytes),
		abi.Int("fileBytes", &bytes, 0, maxBytes),
		abi.Int("fileCount", &count, 0, 1<<24),
		abi.Int("outputByteLimit", &c.outputByteLimit, 0, maxBytes),
		abi.Int("terminals", &terminals, 0, maxCount),
		abi.Int("keptTerminals", &keptTerminals, 0, maxCount),
		abi.Int("keptBytes", &kept, 0, maxBytes),
		abi.Int("killGraceMs", &grace, 0, maxMillis),
	)
	l.Wall, c.killGrace = time.Duration(wall)*time.Millisecond, time.Duration(grace)*time.Millisecond
	set(&c.totalMemory, total)
	set(&c.fileBytes, bytes)
	set(&c.fileCount, count)
	set(&c.keptBytes, kept)
	set(&c.terminals, terminals)
	set(&c.keptTerminals, keptTerminals)
}

// set changes a default, unless n is 0.
func set[T int | int64](to *T, n T) {
	if n != 0 {
		*to = n
	}
}

// decodeCommand reads what the page wants to run, in dir and with all files unless
// it says otherwise.
func decodeCommand(p []byte, dir string) (c core.Command, err error) {
	c = core.Command{Pty: true, Interactive: true, Screen: true}
	var timeout int64
	rendering := "default"
	var d decoder
	err = d.Decode(p, func(v jsonrpc.Value) {
		d.Object(v,
			abi.Of("command", &c.Command),
			abi.Of("args", &c.Args),
			abi.Of("env", func(v jsonrpc.Value) { d.Env(v, &c.Env) }),
			abi.Of("cwd", &c.Cwd),
			abi.Of("roots", &c.Roots),
			abi.Of("pty", &c.Pty),
			abi.Of("interactive", &c.Interactive),
			abi.Int("rows", &c.Rows, math.MinInt32, math.MaxInt32), // core knows the limits
			abi.Int("cols", &c.Cols, math.MinInt32, math.MaxInt32),
			abi.Of("rendering", &rendering),
			abi.Int("outputByteLimit", &c.OutputByteLimit, 0, math.MaxInt64),
			abi.Int("timeoutMs", &timeout, 0, maxMillis),
		)
	})
	c.Timeout = time.Duration(timeout) * time.Millisecond
	var known bool
	if c.Rendering, known = core.ParseRendering(rendering); !known || c.Rendering == core.RenderScreen {
		d.Wrong("rendering", "value")
		err = d.Err()
	}
	if c.Cwd == "" {
		c.Cwd = dir
	}
	if len(c.Roots) == 0 {
		c.Roots = allFiles
	}
	return c, err
}

// A peerConfig says how an ACP client is served.
type peerConfig struct {
	lenient     bool
	interactive bool
	pty         bool
	rows, cols  int
}

func decodePeer(p []byte) (c peerConfig, err error) {
	c.pty = true
	var d decoder
	err = d.Decode(p, func(v jsonrpc.Value) {
		d.Object(v,
			abi.Of("lenient", &c.lenient),
			abi.Of("interactive", &c.interactive),
			abi.Of("pty", &c.pty),
			abi.Int("rows", &c.rows, 0, core.MaxSize),
			abi.Int("cols", &c.cols, 0, core.MaxSize),
		)
	})
	return c, err
}

// decodeFailure reads why the page has no module.
func decodeFailure(p []byte) (e *core.HostError, err error) {
	e = &core.HostError{Reason: "failed"}
	var d decoder
	err = d.Decode(p, func(v jsonrpc.Value) {
		d.Object(v, abi.Of("reason", &e.Reason), abi.Of("message", &e.Message))
	})
	return e, err
}
