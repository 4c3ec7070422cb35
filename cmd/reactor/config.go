package main

import (
	"math"

	"github.com/terrarium-dev/terrarium/core"
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
	err = d.decode(p, func(v jsonrpc.Value) { d.config(v, &c) })
	return c, err
}

// config reads a negative number only where core gives it a meaning.
func (d *decoder) config(v jsonrpc.Value, c *config) {
	var seed string
	d.object(v,
		member{name: "seed", into: &seed},
		member{name: "ask", into: &c.core.Ask},
		member{"killGraceNs", (*int64)(&c.core.KillGrace), math.MinInt64, math.MaxInt64},
		member{"lostAfterNs", (*int64)(&c.core.LostAfter), 0, math.MaxInt64},
		member{"drainSilenceNs", (*int64)(&c.core.DrainSilence), 0, math.MaxInt64},
		member{"drainLimitNs", (*int64)(&c.core.DrainLimit), 0, math.MaxInt64},
		member{"timeoutNs", (*int64)(&c.core.Timeout), math.MinInt64, math.MaxInt64},
		member{"rows", &c.core.Rows, 0, core.MaxSize},
		member{"cols", &c.core.Cols, 0, core.MaxSize},
		member{"outputByteLimit", &c.core.OutputByteLimit, -1, maxBytes},
		member{"maxOutputByteLimit", &c.core.MaxOutputByteLimit, 0, maxBytes},
		member{"maxInput", &c.core.MaxInput, 0, maxBytes},
		member{"liveBytes", &c.core.LiveBytes, 0, maxBytes},
		member{"maxTerminals", &c.core.MaxTerminals, 0, maxCount},
		member{"maxSessionTerminals", &c.core.MaxSessionTerminals, 0, maxCount},
		member{"maxOutputBytes", &c.core.MaxOutputBytes, 0, maxBytes},
		member{"keepTerminals", &c.core.KeepTerminals, -1, maxCount},
		member{"keepBytes", &c.core.KeepBytes, 0, maxBytes},
		member{"maxKeptTerminals", &c.core.MaxKeptTerminals, 0, maxCount},
		member{"maxKeptBytes", &c.core.MaxKeptBytes, 0, maxBytes},
		member{name: "acp", into: func(v jsonrpc.Value) { c.withACP = true; d.acp(v, &c.acp) }},
	)
	d.seed(seed, &c.core.Seed)
}

// seed reads 16 bytes as 32 hexadecimal digits.
func (d *decoder) seed(digits string, seed *[16]byte) {
	if digits == "" {
		d.wrong("seed", "missing")
		return
	}
	if len(digits) != 2*len(seed) {
		d.wrong("seed", "value")
		return
	}
	for i := range len(digits) {
		n, valid := hexDigit(digits[i])
		if !valid {
			d.wrong("seed", "value")
		}
		seed[i/2] = seed[i/2]<<4 | n
	}
	if *seed == [16]byte{} {
		d.wrong("seed", "value") // nobody's source of randomness gives that
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
	d.object(v,
		member{name: "command", into: func(v jsonrpc.Value) { d.command(v, &c.Command) }},
		member{name: "noTerminal", into: &c.NoTerminal},
		member{name: "lenient", into: &c.Lenient},
		member{"maxLine", &c.MaxLine, 0, maxInput},
		member{"maxResponse", &c.MaxResponse, 0, maxInput},
		member{"maxPending", &c.MaxPending, 0, maxCount},
		member{"maxSessions", &c.MaxSessions, 0, maxCount},
		member{name: "version", into: &c.Version},
	)
}
