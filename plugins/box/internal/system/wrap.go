package system

import (
	"slices"
	"strconv"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/find"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/process"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// The commands here run another one with a property that the sandbox has none of: a priority, a
// session, a buffer. They check what they are told, and run it.

// niceness is the environment variable that tells a command of the niceness that it was started
// with.
const niceness = "TERRARIUM_NICENESS"

func nice(e *tool.Env, args []string) int {
	// -5 and --5 are -n 5 and -n -5.
	for i := 1; i < len(args) && strings.HasPrefix(args[i], "-"); i++ {
		if a := strings.TrimPrefix(args[i], "-"); isInteger(a) {
			args = append(append(append([]string{}, args[:i]...), "-n", a), args[i+1:]...)
			i++
		} else if args[i] == "-n" || args[i] == "--adjustment" {
			i++
		}
	}
	opts, status := e.Options(args, "+ n,adjustment=")
	if opts == nil {
		return status
	}
	now, _ := strconv.Atoi(e.Getenv(niceness))
	adjustment := 10
	for _, o := range opts.Options {
		if !isInteger(o.Arg) {
			e.Errorf("invalid adjustment %s", e.Quote(o.Arg))
			return exitCancelled
		}
		adjustment, _ = strconv.Atoi(o.Arg) // where it does not fit, the nearest that does
		adjustment = min(max(adjustment, -39), 39)
	}
	if len(opts.Operands) == 0 {
		if len(opts.Options) > 0 {
			return e.UsageError("a command must be given with an adjustment")
		}
		e.Out.WriteString(strconv.Itoa(now) + "\n")
		return 0
	}
	child := e.Child()
	value := strconv.Itoa(min(max(now+adjustment, -20), 19))
	child.Environ = append(without(child.Environ, niceness), niceness+"="+value)
	return instead(e, child, opts.Operands, e.Quote(opts.Operands[0]))
}

func isInteger(s string) bool {
	digits := strings.TrimLeft(s, "+-")
	return digits != "" && len(s)-len(digits) < 2 && strings.Trim(digits, "0123456789") == ""
}

func stdbuf(e *tool.Env, args []string) int {
	opts, status := e.Options(args, "+ i,input= o,output= e,error=")
	if opts == nil {
		return status
	}
	for _, o := range opts.Options {
		if o.Arg == "L" {
			if o.Name == "i" {
				return e.UsageError("line buffering stdin is meaningless")
			}
			continue
		}
		if _, ok := tool.ParseCount(o.Arg); !ok {
			e.Errorf("invalid mode %s", e.Quote(o.Arg))
			return exitCancelled
		}
	}
	switch {
	case len(opts.Operands) == 0:
		return e.UsageError("missing operand")
	case len(opts.Options) == 0:
		return e.UsageError("you must specify a buffering mode option")
	}
	return instead(e, e.Child(), opts.Operands, "failed to run command "+e.Quote(opts.Operands[0]))
}

// setsid waits for what it runs, as -w does: a command has no process group that it would have to
// leave.
func setsid(e *tool.Env, args []string) int {
	opts, status := e.Options(args, "+ c,ctty f,fork w,wait V")
	if opts == nil {
		return status
	}
	if len(opts.Operands) == 0 {
		return e.UsageError("no command specified")
	}
	return instead(e, e.Child(), opts.Operands, "failed to execute "+opts.Operands[0])
}

func ionice(e *tool.Env, args []string) int {
	opts, status := e.Options(args, "+ c,class= n,classdata= p,pid P,pgid u,uid t,ignore")
	if opts == nil {
		return status
	}
	for _, o := range opts.Options {
		switch o.Name {
		case "c":
			classes := []string{"0", "1", "2", "3", "none", "realtime", "best-effort", "idle"}
			if !slices.Contains(classes, strings.ToLower(o.Arg)) {
				e.Errorf("unknown scheduling class: '%s'", o.Arg)
				return 1
			}
		case "n":
			if !isInteger(o.Arg) {
				e.Errorf("invalid class data argument: '%s'", o.Arg)
				return 1
			}
		}
	}
	if opts.Has("p") || opts.Has("P") || opts.Has("u") || len(opts.Options) == 0 && len(opts.Operands) == 0 {
		if !opts.Has("c") && !opts.Has("n") {
			e.Out.WriteString("none: prio 0\n")
		}
		return 0
	}
	if len(opts.Operands) == 0 {
		return e.UsageError("bad usage")
	}
	return instead(e, e.Child(), opts.Operands, "failed to execute "+opts.Operands[0])
}

// instead runs a command in this one's place. If there is none it says what, and why.
func instead(e *tool.Env, child tool.Env, args []string, what string) int {
	process.Of(e.Context).Replace()
	return find.Execute(e, child, args, func(why string) { e.Errorf("%s: %s", what, why) })
}
