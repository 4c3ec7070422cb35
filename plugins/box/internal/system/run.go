package system

import (
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/find"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/process"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// Exit statuses of commands that run others.
const (
	exitCancelled = 125 // our own trouble
	exitNotFound  = 127
	exitTimedOut  = 124
)

func env(e *tool.Env, args []string) int {
	opts, status := e.Options(args, "+ i,ignore-environment 0,null u,unset= C,chdir= S,split-string= v,debug block-signal? default-signal? "+
		"ignore-signal? list-signal-handling")
	if opts == nil {
		return status
	}
	child := e.Child()
	child.Environ = append([]string{}, e.Environ...)
	operands, end, dir := opts.Operands, "\n", ""
	for _, o := range opts.Options {
		switch o.Name {
		case "i":
			child.Environ = nil
		case "0":
			end = "\x00"
		case "C":
			dir = o.Arg
		case "S":
			operands = append(strings.Fields(o.Arg), operands...)
		case "u":
			if o.Arg == "" || strings.Contains(o.Arg, "=") {
				e.Errorf("cannot unset %s: Invalid argument", e.Quote(o.Arg))
				return exitCancelled
			}
		}
	}
	for _, o := range opts.Options {
		if o.Name == "u" {
			child.Environ = without(child.Environ, o.Arg)
		}
	}
	if len(operands) > 0 && operands[0] == "-" {
		child.Environ, operands = nil, operands[1:]
	}
	for len(operands) > 0 && strings.Contains(operands[0], "=") {
		name, _, _ := strings.Cut(operands[0], "=")
		child.Environ = append(without(child.Environ, name), operands[0])
		operands = operands[1:]
	}
	if len(operands) == 0 {
		if dir != "" {
			return e.UsageError("must specify command with --chdir (-C)")
		}
		for _, v := range child.Environ {
			e.Out.WriteString(v + end)
		}
		return 0
	}
	if end == "\x00" {
		return e.UsageError("cannot specify --null (-0) with command")
	}
	if dir != "" {
		if fi, err := e.Stat(dir); err != nil || !fi.IsDir() {
			if err == nil {
				err = syscall.ENOTDIR
			}
			e.Errorf("cannot change directory to %s: %s", tool.QuoteAlways(dir), tool.Strerror(err))
			return exitCancelled
		}
		child.Dir = strings.TrimSuffix(e.Path(dir), "/.")
	}
	process.Of(e.Context).Replace()
	return find.Execute(e, child, operands, func(why string) { e.Errorf("%s: %s", e.Quote(operands[0]), why) })
}

// without returns the variables but one.
func without(environ []string, name string) []string {
	var out []string
	for _, v := range environ {
		if !strings.HasPrefix(v, name+"=") {
			out = append(out, v)
		}
	}
	return out
}

func printenv(e *tool.Env, args []string) int {
	opts, status := e.Options(args, "+ 0,null")
	if opts == nil {
		return status
	}
	end := "\n"
	if opts.Has("0") {
		end = "\x00"
	}
	if len(opts.Operands) == 0 {
		for _, v := range e.Environ {
			e.Out.WriteString(v + end)
		}
	}
	for _, name := range opts.Operands {
		v, ok := e.LookupEnv(name)
		if !ok {
			status = 1
			continue
		}
		e.Out.WriteString(v + end)
	}
	return status
}

func timeout(e *tool.Env, args []string) int {
	opts, status := e.Options(args, "+ foreground k,kill-after= preserve-status s,signal= v,verbose")
	if opts == nil {
		return status
	}
	sig, grace := sigterm, time.Duration(0)
	for _, o := range opts.Options {
		switch o.Name {
		case "k":
			g, ok := duration(o.Arg)
			if !ok {
				return e.UsageError("invalid time interval %s", e.Quote(o.Arg))
			}
			grace = g
		case "s":
			n, ok := signalNumber(o.Arg)
			if !ok {
				return e.UsageError("%s: invalid signal", e.Quote(o.Arg))
			}
			sig = n
		}
	}
	if len(opts.Operands) < 2 {
		return e.TryHelp()
	}
	d, ok := duration(opts.Operands[0])
	if !ok {
		return e.UsageError("invalid time interval %s", e.Quote(opts.Operands[0]))
	}
	command := opts.Operands[1:]
	child := e.Child()
	ctx, cancel := context.WithCancel(e.Context)
	defer cancel()
	var expired atomic.Bool
	self := process.Of(e.Context)
	if self == nil {
		child.Context = ctx
	}
	if child.Stdin != nil {
		child.Stdin = &interruptible{ctx: ctx, r: child.Stdin}
	}
	if d > 0 {
		stop := after(d, func() {
			expired.Store(true)
			if opts.Has("v") {
				e.Errorf("sending signal %s to command %s", signalNames[sig], e.Quote(command[0]))
			}
			self.KillBelow(sig)
			cancel()
		})
		defer stop()
		if grace > 0 {
			stop := after(d+grace, func() { self.KillBelow(9) })
			defer stop()
		}
	}
	status = find.Execute(e, child, command, func(why string) {
		e.Errorf("failed to run command %s: %s", e.Quote(command[0]), why)
	})
	switch {
	case e.Context.Err() != nil || !expired.Load():
		return status
	case status == 128+9, sig == 9: // which is how it ends too
		if self != nil {
			send(e, self.ID(), 9)
		}
		return 128 + 9
	case opts.Has("preserve-status"):
		return max(status, 1)
	}
	return exitTimedOut
}

// after calls f in so long, unless it is stopped before.
func after(d time.Duration, f func()) (stop func() bool) { return time.AfterFunc(d, f).Stop }

// duration reads a number with an optional unit: s, m, h or d.
func duration(s string) (time.Duration, bool) {
	unit := time.Second
	if s != "" {
		if u, ok := map[byte]time.Duration{'s': time.Second, 'm': time.Minute, 'h': time.Hour, 'd': 24 * time.Hour}[s[len(s)-1]]; ok {
			unit, s = u, s[:len(s)-1]
		}
	}
	if s == "" || s[0] == '+' && len(s) == 1 {
		return 0, false
	}
	n, err := strconv.ParseFloat(s, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) || n < 0 || n != n {
		return 0, false
	}
	if n*float64(unit) > 1<<62 {
		return 1 << 62, true
	}
	return time.Duration(n * float64(unit)), true
}

// interruptible is an input that ends when its context does, even where a read blocks.
type interruptible struct {
	ctx context.Context
	r   io.Reader
}

func (i *interruptible) Read(p []byte) (int, error) {
	type result struct {
		data []byte
		err  error
	}
	done := make(chan result, 1)
	// The goroutine ends with the read. One that is still blocked when the time is up ends with the
	// process, or when its input does; what it reads is lost, as it would be with a killed command.
	go func() {
		buf := make([]byte, len(p))
		n, err := i.r.Read(buf)
		done <- result{buf[:n], err}
	}()
	select {
	case r := <-done:
		return copy(p, r.data), r.err
	case <-i.ctx.Done():
		return 0, io.EOF
	}
}

// nohup runs a command that SIGHUP does not end. There is no terminal whose output would need a
// file.
func nohup(e *tool.Env, args []string) int {
	opts, status := e.Options(args, "+")
	if opts == nil {
		return status
	}
	if len(opts.Operands) == 0 {
		return e.UsageError("missing operand")
	}
	process.Of(e.Context).Ignore(1, true)
	process.Of(e.Context).Replace()
	return find.Execute(e, e.Child(), opts.Operands, func(why string) {
		e.Errorf("failed to run command %s: %s", tool.QuoteAlways(opts.Operands[0]), why)
	})
}

func which(e *tool.Env, args []string) int {
	all, silent, status := false, false, 0
	names := args[1:]
	for len(names) > 0 && len(names[0]) > 1 && names[0][0] == '-' {
		for _, c := range names[0][1:] {
			switch c {
			case 'a':
				all = true
			case 's':
				silent = true
			default:
				e.Warn("Illegal option -" + string(c))
				e.Out.WriteString("Usage: /usr/bin/which [-a] args\n")
				return 2
			}
		}
		names = names[1:]
	}
	if len(names) == 0 {
		return 1
	}
	for _, name := range names {
		found := find.LookupAll(e, name)
		if len(found) == 0 {
			status = 1
		}
		if !all {
			found = found[:min(len(found), 1)]
		}
		for _, p := range found {
			if !silent {
				e.Out.WriteString(p + "\n")
			}
		}
	}
	return status
}
