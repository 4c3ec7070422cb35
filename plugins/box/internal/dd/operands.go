package dd

import (
	"math"
	"math/bits"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// A plan is what the operands ask for.
type plan struct {
	from, to           string // "" for the standard ones
	ibs, obs           int64  // bytes, at least 1
	skip, seek         int64  // bytes
	count              int64  // blocks, or bytes if countBytes
	countBytes         bool
	conv, iflag, oflag map[string]bool
	status             string
	twoBuffers         bool // blocks of the output are not those of the input
}

const (
	conversions = " ucase lcase swab notrunc nocreat excl noerror sync fsync fdatasync sparse "
	otherTables = " ascii ebcdic ibm block unblock "
	flags       = " append binary cio direct directory dsync fullblock noatime nocache noctty nofollow nolinks nonblock sync text " +
		"count_bytes skip_bytes seek_bytes "
	statuses = " none noxfer progress "
)

// parse reads the operands. If it returns nil the command is over, with the status that it returns.
func parse(env *tool.Env, operands []string) (*plan, int) {
	p := &plan{conv: map[string]bool{}, iflag: map[string]bool{}, oflag: map[string]bool{}}
	numbers, inBytes := map[string]int64{"count": math.MaxInt64}, map[string]bool{}
	for _, o := range operands {
		name, value, ok := strings.Cut(o, "=")
		if !ok {
			return nil, env.UsageError("unrecognized operand %s", env.Quote(o))
		}
		what := ""
		switch name {
		case "if":
			p.from = value
		case "of":
			p.to = value
		case "conv":
			if ok = words(p.conv, value, conversions); !ok && strings.Contains(otherTables, " "+value+" ") {
				env.Errorf("%s: this conversion is not supported", value)
				return nil, 1
			}
			what = "conversion"
		case "iflag":
			ok, what = words(p.iflag, value, flags), "input flag"
		case "oflag":
			ok, what = words(p.oflag, value, flags) && !p.oflag["fullblock"], "output flag"
		case "status":
			ok, what = strings.Contains(statuses, " "+value+" "), "status level"
			p.status = value
		case "iseek", "oseek", "skip", "seek", "count", "ibs", "obs", "bs", "cbs":
			n, why := number(env, value)
			if n == 0 && strings.HasSuffix(name, "bs") && why == "" {
				why = "invalid"
			}
			if why != "" {
				env.Errorf("invalid number: %s%s", env.Quote(value), strings.TrimPrefix(why, "invalid"))
				return nil, 1
			}
			switch name {
			case "iseek":
				name = "skip"
			case "oseek":
				name = "seek"
			}
			numbers[name], inBytes[name] = n, strings.Contains(value, "B")
		default:
			return nil, env.UsageError("unrecognized operand %s", env.Quote(o))
		}
		if !ok {
			return nil, env.UsageError("invalid %s: %s", what, env.Quote(value))
		}
	}
	for _, two := range [][2]string{{"lcase", "ucase"}, {"excl", "nocreat"}} {
		if p.conv[two[0]] && p.conv[two[1]] {
			env.Errorf("cannot combine %s and %s", two[0], two[1])
			return nil, 1
		}
	}
	p.ibs, p.obs = orElse(numbers["ibs"], 512), orElse(numbers["obs"], 512)
	if n := numbers["bs"]; n > 0 {
		p.ibs, p.obs = n, n
	}
	p.twoBuffers = numbers["bs"] == 0 || p.conv["ucase"] || p.conv["lcase"] || p.conv["swab"]
	p.skip = inUnits(numbers["skip"], p.ibs, inBytes["skip"] || p.iflag["skip_bytes"])
	p.seek = inUnits(numbers["seek"], p.obs, inBytes["seek"] || p.oflag["seek_bytes"])
	p.count, p.countBytes = numbers["count"], inBytes["count"] || p.iflag["count_bytes"]
	return p, 0
}

// words puts the words of a list into set, and reports whether all of them are known.
func words(set map[string]bool, list, known string) bool {
	for word := range strings.SplitSeq(list, ",") {
		if word == "" || !strings.Contains(known, " "+word+" ") {
			return false
		}
		set[word] = true
	}
	return true
}

func orElse(n, otherwise int64) int64 {
	if n == 0 {
		return otherwise
	}
	return n
}

// inUnits returns n blocks in bytes, and math.MaxInt64 for more.
func inUnits(n, block int64, inBytes bool) int64 {
	if inBytes {
		return n
	}
	if hi, lo := bits.Mul64(uint64(n), uint64(block)); hi == 0 && lo <= math.MaxInt64 {
		return int64(lo)
	}
	return math.MaxInt64
}

// number reads a product of counts, such as 2x80x18b, and says why it can't: "invalid", or what
// follows the number.
func number(env *tool.Env, s string) (n int64, why string) {
	n = 1
	factors := strings.Split(s, "x")
	for i, f := range factors {
		unit := int64(1)
		switch {
		case strings.HasSuffix(f, "c"):
			f = f[:len(f)-1]
		case strings.HasSuffix(f, "w"):
			f, unit = f[:len(f)-1], 2
		case len(f) > 1 && strings.HasSuffix(f, "B") && '0' <= f[len(f)-2] && f[len(f)-2] <= '9':
			f = f[:len(f)-1]
		}
		v, ok := tool.ParseCount(f)
		if !ok || strings.HasSuffix(f, "m") {
			return 0, "invalid"
		}
		if f == "0" && i < len(factors)-1 {
			env.Errorf("warning: %s is a zero multiplier; use %s if that is intended", env.Quote("0x"), env.Quote("00x"))
		}
		if n = inUnits(n, inUnits(v, unit, false), false); v == math.MaxInt64 || n == math.MaxInt64 {
			return 0, ": Value too large for defined data type"
		}
	}
	return n, ""
}
