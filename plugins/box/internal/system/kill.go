package system

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/process"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/regex"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

const sigterm = 15

// send sends a signal to a process, and reports whether there is one.
func send(e *tool.Env, pid, signal int) bool {
	p := process.Of(e.Context)
	return p != nil && p.Kill(pid, signal) == nil
}

func kill(e *tool.Env, args []string) int {
	names, signal := args[1:], sigterm
	for len(names) > 0 && len(names[0]) > 1 && names[0][0] == '-' {
		option := names[0]
		names = names[1:]
		switch option {
		case "-l", "-L":
			return list(e, names)
		case "-s", "-n", "--signal":
			if len(names) > 0 {
				option, names = "-"+names[0], names[1:]
			}
		}
		if option == "--" {
			break
		}
		if n, ok := signalNumber(option[1:]); ok {
			signal = n
		}
	}
	if len(names) == 0 {
		e.Warn("kill: not enough arguments")
		return 1
	}
	status := 0
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		switch {
		case err != nil:
			e.Errorf("failed to parse argument: '%s'", name)
			status = 1
		case !send(e, pid, signal):
			e.Errorf("(%s): No such process", name)
			status = 1
		}
	}
	return status
}

// list is kill -l: the names of all signals, or what the first of names is otherwise called.
func list(e *tool.Env, names []string) int {
	if len(names) == 0 {
		for n := 1; n < len(signalNames); n++ {
			end := " "
			if n == 16 || n == len(signalNames)-1 { // as procps has them
				end = "\n"
			}
			e.Out.WriteString(signalNames[n] + end)
		}
		return 0
	}
	n, ok := signalNumber(names[0])
	switch {
	case !ok || n <= 0 || n >= len(signalNames):
		e.Errorf("unknown signal name %s", names[0])
	case '0' <= names[0][0] && names[0][0] <= '9':
		e.Out.WriteString(signalNames[n] + "\n")
	default:
		fmt.Fprintln(e.Out, n)
	}
	return 0
}

// takeSignal takes an option that is a signal, such as -9 or -TERM, out of args.
func takeSignal(args []string) (rest []string, signal int) {
	signal = sigterm
	for i, arg := range args {
		if arg == "--" {
			return append(rest, args[i:]...), signal
		}
		if len(arg) > 2 || len(arg) == 2 && '0' <= arg[1] && arg[1] <= '9' {
			if n, ok := signalNumber(arg[1:]); ok && arg[0] == '-' {
				signal = n
				continue
			}
		}
		rest = append(rest, arg)
	}
	return rest, signal
}

// pgrep is pkill too.
func pgrep(e *tool.Env, args []string) int {
	const usage = 2
	kills := strings.HasSuffix(args[0], "pkill")
	signal := sigterm
	if kills {
		args, signal = takeSignal(args)
	}
	opts, status := e.Options(args, "a,list-full c,count d,delimiter= e,echo f,full g,pgroup= i,ignore-case l,list-name n,newest o,oldest "+
		"O,older= P,parent= s,session= t,terminal= u,euid= U,uid= G,group= v,inverse w x,exact signal=")
	if opts == nil {
		return max(status, usage)
	}
	delimiter, parents := "\n", []int(nil)
	for _, o := range opts.Options {
		switch o.Name {
		case "d":
			delimiter = o.Arg
		case "P":
			var err error
			if parents, err = numbers(o.Arg); err != nil {
				e.Errorf("not a number: %s", o.Arg)
				return usage
			}
		case "signal":
			n, ok := signalNumber(o.Arg)
			if !ok {
				e.Errorf("Unknown signal %q.", o.Arg)
				return usage
			}
			signal = n
		}
	}
	if len(opts.Operands) == 0 && parents == nil && !opts.Has("u") && !opts.Has("U") {
		e.Errorf("no matching criteria specified")
		e.Warn("Try `" + e.Name + " --help' for more information.")
		return usage
	}
	if len(opts.Operands) > 1 {
		e.Errorf("only one pattern can be provided")
		e.Warn("Try `" + e.Name + " --help' for more information.")
		return usage
	}
	pattern := strings.Join(opts.Operands, "")
	if opts.Has("x") {
		pattern = "^(" + pattern + ")$"
	}
	re, err := regex.Compile(pattern, regex.Options{Extended: true, IgnoreCase: opts.Has("i")})
	if err != nil {
		e.Errorf("%v", err)
		return usage
	}
	self := process.Of(e.Context)
	list := slices.DeleteFunc(processes(e, args), func(p process.Info) bool {
		text := comm(p)
		if opts.Has("f") {
			text = commandLine(p)
		}
		ok, _ := re.Match([]byte(text))
		ok = ok && (parents == nil || slices.Contains(parents, p.Parent))
		return ok == opts.Has("v") || self == nil || p.PID == self.ID()
	})
	if len(list) > 0 && (opts.Has("n") || opts.Has("o")) {
		slices.SortStableFunc(list, func(a, b process.Info) int { return a.Start.Compare(b.Start) })
		if opts.Has("n") {
			list = list[len(list)-1:]
		}
		list = list[:1]
	}
	var lines []string
	for _, p := range list {
		line := strconv.Itoa(p.PID)
		switch {
		case kills:
			send(e, p.PID, signal)
			line = comm(p) + " killed (pid " + line + ")"
		case opts.Has("a"):
			line += " " + commandLine(p)
		case opts.Has("l"):
			line += " " + comm(p)
		}
		lines = append(lines, line)
	}
	switch {
	case opts.Has("c"):
		e.Out.WriteString(strconv.Itoa(len(list)) + "\n")
	case len(lines) > 0 && (!kills || opts.Has("e")):
		e.Out.WriteString(strings.Join(lines, delimiter) + "\n")
	}
	if len(list) == 0 {
		return 1
	}
	return 0
}

// killall sends a signal to processes by their names.
func killall(e *tool.Env, args []string) int {
	args, signal := takeSignal(args)
	opts, status := e.Options(args, "e,exact I,ignore-case g,process-group i,interactive l,list q,quiet r,regexp s,signal= u,user= v,verbose w,wait")
	if opts == nil {
		return status
	}
	if opts.Has("l") {
		e.Out.WriteString(strings.Join(signalNames[1:17], " ") + "\n" + strings.Join(signalNames[17:], " ") + "\n")
		return 0
	}
	for _, o := range opts.Options {
		if o.Name == "s" {
			n, ok := signalNumber(o.Arg)
			if !ok {
				e.Warn(o.Arg + ": unknown signal; killall -l lists signals.")
				return 1
			}
			signal = n
		}
	}
	if len(opts.Operands) == 0 {
		e.Warn("Usage: killall [OPTION]... [--] NAME...")
		return 1
	}
	for _, name := range opts.Operands {
		same := func(s string) bool { return s == name }
		switch {
		case opts.Has("r"):
			re, err := regex.Compile(name, regex.Options{Extended: true, IgnoreCase: opts.Has("I")})
			if err != nil {
				e.Warn("killall: Bad regular expression: " + name)
				return 1
			}
			same = func(s string) bool {
				ok, _ := re.Match([]byte(s))
				return ok
			}
		case opts.Has("I"):
			same = func(s string) bool { return strings.EqualFold(s, name) }
		}
		if !killNamed(e, args, same, signal, opts.Has("v"), opts.Has("w")) {
			if !opts.Has("q") {
				e.Warn(name + ": no process found")
			}
			status = 1
		}
	}
	return status
}

// killNamed sends a signal to the processes with a name, and waits for their end if it is told to.
// It reports whether there were any.
func killNamed(e *tool.Env, args []string, same func(string) bool, signal int, verbose, wait bool) bool {
	self := process.Of(e.Context)
	if self == nil {
		return false
	}
	var sent []int
	for _, p := range processes(e, args) {
		if p.PID == self.ID() || p.Ended || !same(comm(p)) || !send(e, p.PID, signal) {
			continue
		}
		sent = append(sent, p.PID)
		if verbose {
			e.Warn("Killed " + comm(p) + "(" + strconv.Itoa(p.PID) + ") with signal " + strconv.Itoa(signal))
		}
	}
	for wait && !e.Stopped() && slices.ContainsFunc(sent, func(pid int) bool { return send(e, pid, 0) }) {
		time.Sleep(10 * time.Millisecond)
	}
	return len(sent) > 0
}

// pidof prints the numbers of processes by their names, the newest first.
func pidof(e *tool.Env, args []string) int {
	opts, status := e.Options(args, "c n q s x z d= S= o=")
	if opts == nil {
		return status
	}
	var pids []string
	for _, name := range opts.Operands {
		for _, p := range slices.Backward(processes(e, args)) {
			if comm(p) == name || len(p.Args) > 0 && p.Args[0] == name {
				pids = append(pids, strconv.Itoa(p.PID))
			}
		}
	}
	if len(pids) == 0 {
		return 1
	}
	if opts.Has("s") {
		pids = pids[:1]
	}
	e.Out.WriteString(strings.Join(pids, " ") + "\n")
	return 0
}
