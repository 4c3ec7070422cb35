package main

import (
	"math"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/abi"
	"github.com/terrarium-dev/terrarium/core/acp"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// A config says how a registry is opened.
type config struct {
	core    core.Config
	acp     acp.Config
	withACP bool
}

// The most that a limit may be: what an instance could address, and a number
// of things that is far beyond that.
const (
	maxBytes = 1 << 32
	maxCount = 1 << 20
)

func decodeConfig(p []byte) (c config, err error) {
	var d decoder
	err = d.Decode(p, func(v jsonrpc.Value) { d.config(v, &c) })
	return c, err
}

// config reads a negative number only where core gives it a meaning.
func (d *decoder) config(v jsonrpc.Value, c *config) {
	var seed string
	d.Object(v,
		abi.Of("seed", &seed),
		abi.Of("ask", &c.core.Ask),
		abi.Int("killGraceNs", (*int64)(&c.core.KillGrace), math.MinInt64, math.MaxInt64),
		abi.Int("lostAfterNs", (*int64)(&c.core.LostAfter), 0, math.MaxInt64),
		abi.Int("drainSilenceNs", (*int64)(&c.core.DrainSilence), 0, math.MaxInt64),
		abi.Int("drainLimitNs", (*int64)(&c.core.DrainLimit), 0, math.MaxInt64),
		abi.Int("timeoutNs", (*int64)(&c.core.Timeout), math.MinInt64, math.MaxInt64),
		abi.Int("rows", &c.core.Rows, 0, core.MaxSize),
		abi.Int("cols", &c.core.Cols, 0, core.MaxSize),
		abi.Int("outputByteLimit", &c.core.OutputByteLimit, -1, maxBytes),
		abi.Int("maxOutputByteLimit", &c.core.MaxOutputByteLimit, 0, maxBytes),
		abi.Int("maxInput", &c.core.MaxInput, 0, maxBytes),
		abi.Int("liveBytes", &c.core.LiveBytes, 0, maxBytes),
		abi.Int("maxTerminals", &c.core.MaxTerminals, 0, maxCount),
		abi.Int("maxSessionTerminals", &c.core.MaxSessionTerminals, 0, maxCount),
		abi.Int("maxOutputBytes", &c.core.MaxOutputBytes, 0, maxBytes),
		abi.Int("keepTerminals", &c.core.KeepTerminals, -1, maxCount),
		abi.Int("keepBytes", &c.core.KeepBytes, 0, maxBytes),
		abi.Int("maxKeptTerminals", &c.core.MaxKeptTerminals, 0, maxCount),
		abi.Int("maxKeptBytes", &c.core.MaxKeptBytes, 0, maxBytes),
		abi.Of("acp", func(v jsonrpc.Value) { c.withACP = true; d.acp(v, &c.acp) }),
	)
	d.seed(seed, &c.core.Seed)
}

// seed reads 16 bytes as 32 hexadecimal digits.
func (d *decoder) seed(digits string, seed *[16]byte) {
	if digits == "" {
		d.Wrong("seed", "missing")
		return
	}
	if len(digits) != 2*len(seed) {
		d.Wrong("seed", "value")
		return
	}
	for i := range len(digits) {
		n, valid := hexDigit(digits[i])
		if !valid {
			d.Wrong("seed", "value")
		}
		seed[i/2] = seed[i/2]<<4 | n
	}
	if *seed == [16]byte{} {
		d.Wrong("seed", "value") // nobody's source of randomness gives that
	}
}

func hexDigit(c byte) (n byte, valid bool) {
	switch {
	case '0' <= c && c <= '9':
		return c - '0', true
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10, true
	case 'A' <= c && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}

func (d *decoder) acp(v jsonrpc.Value, c *acp.Config) {
	d.Object(v,
		abi.Of("command", func(v jsonrpc.Value) { d.command(v, &c.Command) }),
		abi.Of("noTerminal", &c.NoTerminal),
		abi.Of("lenient", &c.Lenient),
		abi.Int("maxLine", &c.MaxLine, 0, maxInput),
		abi.Int("maxResponse", &c.MaxResponse, 0, maxInput),
		abi.Int("maxPending", &c.MaxPending, 0, maxCount),
		abi.Int("maxSessions", &c.MaxSessions, 0, maxCount),
		abi.Of("version", &c.Version),
	)
}
