package basic

import (
	"bytes"
	"strconv"
	"strings"
	"time"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

func yes(env *tool.Env, args []string) int {
	opts, status := env.Options(args, "+")
	if opts == nil {
		return status
	}
	line := "y\n"
	if len(opts.Operands) > 0 {
		line = strings.Join(opts.Operands, " ") + "\n"
	}
	block := bytes.Repeat([]byte(line), 1+8192/len(line))
	for !env.Stopped() {
		env.Out.Write(block)
	}
	return 1
}

func sleep(env *tool.Env, args []string) int {
	opts, status := env.Options(args, "+")
	if opts == nil {
		return status
	}
	if len(opts.Operands) == 0 {
		return env.UsageError("missing operand")
	}
	var total time.Duration
	bad := false
	for _, arg := range opts.Operands {
		d, ok := seconds(arg)
		if !ok {
			env.Errorf("invalid time interval %s", env.Quote(arg))
			bad = true
		}
		total += d
	}
	if bad {
		return env.TryHelp()
	}
	timer := time.NewTimer(total)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-env.Context.Done():
	}
	return 0
}

// maxSleep keeps sums of times from running over.
const maxSleep = 1 << 60

// seconds reads a number with an optional unit: s, m, h or d.
func seconds(s string) (time.Duration, bool) {
	unit := 1.0
	if s != "" {
		switch s[len(s)-1] {
		case 's':
			s = s[:len(s)-1]
		case 'm':
			s, unit = s[:len(s)-1], 60
		case 'h':
			s, unit = s[:len(s)-1], 60*60
		case 'd':
			s, unit = s[:len(s)-1], 24*60*60
		}
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || f < 0 || f != f {
		return 0, false
	}
	return time.Duration(min(f*unit*1e9, maxSleep)), true
}
