package bash

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/interp"

	"github.com/terrarium-dev/terrarium/plugins/absent"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/process"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/sys"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
	modes "github.com/terrarium-dev/terrarium/plugins/fs"
	"github.com/terrarium-dev/terrarium/plugins/proc"
)

// handlers are what the interpreter asks of us.
type handlers struct {
	script *script
	exec   func(env tool.Env, args []string) int
	has    func(name string) bool
}

// ours are builtins of the interpreter that the box does better.
var ours = map[string]bool{"printf": true}

// call is an interp.CallHandlerFunc: it lets our own command run where the
// interpreter has a lesser builtin.
func (h *handlers) call(_ context.Context, args []string) ([]string, error) {
	if ours[args[0]] && len(args) > 1 && args[1] != "-v" {
		args[0] = builtinPrintf
	}
	return args, nil
}

// access is an interp.AccessHandlerFunc.
func (h *handlers) access(_ context.Context, name string, mode interp.AccessMode) error {
	switch {
	case mode&interp.AccessExec != 0:
		return sys.Access(name, sys.Execute)
	case mode&interp.AccessWrite != 0:
		return sys.Access(name, sys.Write)
	case mode&interp.AccessRead != 0:
		return sys.Access(name, sys.Read)
	}
	_, err := os.Stat(name)
	return err
}

// open is an interp.OpenHandlerFunc. The umask was taken from perm.
func (h *handlers) open(ctx context.Context, name string, flag int, perm os.FileMode) (io.ReadWriteCloser, error) {
	if flag&os.O_CREATE == 0 || name == os.DevNull {
		return interp.DefaultOpenHandler()(ctx, name, flag, perm)
	}
	if !path.IsAbs(name) {
		name = path.Join(interp.HandlerCtx(ctx).Dir, name)
	}
	f, err := modes.OpenFile(name, flag, uint32(perm))
	if err != nil {
		return nil, err // and not a file that is nil
	}
	return f, nil
}

// execute is an interp.ExecHandlerFunc: a command of the box, or a module
// beside it, or a script.
func (h *handlers) execute(ctx context.Context, args []string) error {
	hc := interp.HandlerCtx(ctx)
	shell := process.Of(ctx)
	self := shell
	if args[0] != builtinPrintf {
		var end func()
		ctx, self, end = process.Start(ctx, args)
		defer end()
		defer unblock(ctx, self, hc.Stdin)()
		// Jobs get their turn, as while a system starts a program: one may make a file for this
		// command.
		runtime.Gosched()
	}
	env := tool.Env{
		Context: ctx,
		Stdin:   hc.Stdin, Stdout: hc.Stdout, Stderr: hc.Stderr,
		Dir: hc.Dir,
	}
	// No input is a nil file in an interface that is not.
	if f, ok := hc.Stdin.(*os.File); ok && f == nil {
		env.Stdin = nil
	}
	prefix := fmt.Sprintf("%s: line %d", h.script.name, hc.Pos.Line())
	switch {
	case h.script.interactive:
		prefix = h.script.name
	case h.script.dash:
		prefix = fmt.Sprintf("%s: %d", h.script.name, hc.Pos.Line())
	}
	if args[0] == builtinPrintf {
		if a := args[1]; len(a) > 1 && a[0] == '-' && a != "--" {
			fmt.Fprintf(hc.Stderr, "%s: printf: %s: invalid option\nprintf: usage: printf [-v var] format [arguments]\n", prefix, a[:2])
			return interp.ExitStatus(2)
		}
		messages := &printfMessages{w: hc.Stderr, prefix: prefix}
		env.Context, env.Stderr = process.Without(ctx), messages // it is the shell that writes
		env.Environ = environOf(hc.Env, "LC_ALL", "LC_CTYPE", "LANG", "TZ")
		defer messages.flush()
	} else {
		env.Environ = append(environ(hc.Env), "_="+programPath(args[0]))
	}
	run := &execution{handlers: h, prefix: prefix}
	status := self.Status(run.run(env, args))
	switch {
	case status == 0:
		return nil
	case args[0] == builtinPrintf && status == diedOfPipe:
		return brokenPipe{syscall.EPIPE}
	case self.Signal() != 0 && self != shell: // which nobody is left to tell of
		return killed{self, interp.ExitStatus(status)}
	}
	return interp.ExitStatus(status)
}

// An execution runs commands for one of the script's.
type execution struct {
	*handlers
	prefix string // begins messages
	depth  int    // of scripts that are each run by the next
}

// maxDepth is how many scripts may each be run by the next, as in Linux: one may be its own
// interpreter.
const maxDepth = 5

// Exit statuses of commands that can't be run.
const (
	notExecutable = 126
	notFound      = 127
)

// Starting returns env for a command that no shell has started, such as env: it finds what it
// starts as a shell does. exec runs those of the box, and has says which there are.
func Starting(env tool.Env, exec func(tool.Env, []string) int, has func(string) bool) tool.Env {
	x := &execution{handlers: &handlers{script: &script{name: "box"}, exec: exec, has: has}, prefix: "box"}
	env.Context = context.WithValue(env.Context, execKey{}, exec)
	env.Exec, env.Has = x.start, has
	return env
}

// start is the Exec of commands.
func (x *execution) start(env tool.Env, args []string) int {
	ctx, self, end := process.Start(env.Context, args)
	defer end()
	defer unblock(ctx, self, env.Stdin)()
	env.Context = ctx
	return self.Status(x.run(env, args))
}

// diedOfPipe is the status of a command that has written to a pipe that nobody reads.
const diedOfPipe = 128 + 13

// brokenPipe is the error of our printf that has died of that, as the interpreter knows it: it is
// the shell that dies.
type brokenPipe struct{ error }

func (b brokenPipe) Unwrap() error { return b.error }

func (brokenPipe) BrokenPipe() {}

// killed is the error of a command that was ended by a signal, of which the interpreter tells.
type killed struct {
	*process.Process
	status interp.ExitStatus
}

func (k killed) Error() string { return k.status.Error() }
func (k killed) Unwrap() error { return k.status }

// unblock has reads of stdin end when self is killed, until restore: it may be the shell's own.
func unblock(ctx context.Context, self *process.Process, stdin io.Reader) (restore func()) {
	f, ok := stdin.(*os.File)
	if !ok || f == nil {
		return func() {}
	}
	done := make(chan struct{})
	stop := context.AfterFunc(ctx, func() { // ends at once
		defer close(done)
		if self.Signal() != 0 {
			f.SetReadDeadline(time.Unix(1, 0))
		}
	})
	return func() {
		if stop() {
			return
		}
		<-done
		if self.Signal() != 0 {
			f.SetReadDeadline(time.Time{})
		}
	}
}

// run runs a command as the process of its context.
func (x *execution) run(env tool.Env, args []string) int {
	env.Exec, env.Has = x.start, x.has
	dir, base := path.Split(args[0])
	if dir == "" {
		return x.search(env, args)
	}
	if systemDirs[dir] && x.known(base) {
		return x.command(env, base, args)
	}
	return x.file(env, args)
}

// systemDirs are where commands are, by the names that scripts have for them.
var systemDirs = map[string]bool{"/bin/": true, "/usr/bin/": true, "/usr/local/bin/": true}

// search runs what a name without a slash means: what is first in PATH, or a command.
func (x *execution) search(env tool.Env, args []string) int {
	name, refused := args[0], ""
	for dir := range strings.SplitSeq(env.Getenv("PATH"), ":") {
		if systemDirs[dir+"/"] {
			if x.known(name) {
				break
			}
			continue
		}
		if dir == "" {
			dir = "."
		}
		file := strings.TrimSuffix(dir, "/") + "/" + name
		if isScript(env.Path(file)) {
			return x.file(env, append([]string{file}, args[1:]...))
		}
		if info, err := env.Stat(file); refused == "" && err == nil && info.Mode().IsRegular() && !sys.Executable(info) {
			refused = file
		}
	}
	if refused != "" && !x.known(name) {
		x.warn(env, refused, "Permission denied")
		return notExecutable
	}
	return x.command(env, name, args)
}

// isScript reports whether a file may be run, and is no native program, which can't be.
func isScript(name string) bool {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() || !sys.Executable(info) {
		return false
	}
	head, err := readHead(name)
	return err == nil && !strings.HasPrefix(head, "\x7fELF")
}

// known reports whether there is a command of that name.
func (x *execution) known(name string) bool {
	return x.has != nil && x.has(name) || moduleOf(name) != ""
}

// command runs a command of the box, or a plugin's: one of the same name has been added to be used.
func (x *execution) command(env tool.Env, name string, args []string) int {
	if args[0] != builtinPrintf {
		process.Of(env.Context).SetArgs(args)
	}
	if x.has != nil && x.has(name) && moduleOf(name) == ownModule() {
		return x.exec(env, args)
	}
	return x.plugin(env, name, args)
}

// ownModule is the module that this shell is of.
var ownModule = sync.OnceValue(func() string { return moduleOf("bash") })

// moduleOf returns which module a command is of, "" if there is no such command, or this is not the
// sandbox.
func moduleOf(name string) string {
	if !proc.Supported() || name == "" || strings.Contains(name, "/") {
		return ""
	}
	head, err := readHead("/bin/" + name)
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(head, "\n")
	module, _ := strings.CutPrefix(line, "#!terrarium ")
	return module
}

// plugin starts a command of another module.
func (x *execution) plugin(env tool.Env, name string, args []string) int {
	if !proc.Supported() {
		return x.missing(env, args[0])
	}
	status, err := spawn(env, name, withInput(env, name, args))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return x.missing(env, args[0])
	case err != nil:
		x.warn(env, args[0], tool.Strerror(err))
		return notExecutable
	}
	return status
}

func (x *execution) missing(env tool.Env, name string) int {
	advice, plugin := absent.Advice(name)
	switch {
	case plugin:
		x.notFound(env, name)
		io.WriteString(env.Stderr, "hint: "+advice+"\n")
	case advice != "":
		io.WriteString(env.Stderr, name+": "+advice+"\n")
	default:
		x.notFound(env, name)
	}
	return notFound
}

// notFound says that there is no such command.
func (x *execution) notFound(env tool.Env, name string) {
	if x.script.dash {
		x.warn(env, name, "not found")
		return
	}
	x.warn(env, tool.QuoteControl(name), "command not found")
}

func (x *execution) warn(env tool.Env, name, why string) {
	io.WriteString(env.Stderr, x.prefix+": "+name+": "+why+"\n")
}

// magic begins a WebAssembly module.
const magic = "\x00asm"

// file runs a script or a module by its path.
func (x *execution) file(env tool.Env, args []string) int {
	name := args[0]
	full := name
	if !path.IsAbs(full) {
		full = path.Join(env.Dir, name)
	}
	info, err := os.Stat(full)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if x.script.dash {
			x.notFound(env, name)
			return notFound
		}
		x.warn(env, name, "No such file or directory")
		return notFound
	case err != nil:
		x.warn(env, name, tool.Strerror(err))
		return notExecutable
	case info.IsDir():
		x.warn(env, name, "Is a directory")
		return notExecutable
	case !sys.Executable(info):
		x.warn(env, name, "Permission denied")
		return notExecutable
	}
	head, err := readHead(full)
	if err != nil {
		x.warn(env, name, tool.Strerror(err))
		return notExecutable
	}
	if x.depth == maxDepth {
		x.warn(env, name, tool.Strerror(syscall.ELOOP))
		return notExecutable
	}
	if strings.HasPrefix(head, magic) {
		status, err := spawn(env, full, args)
		if err != nil {
			x.warn(env, name, tool.Strerror(err))
			return notExecutable
		}
		return status
	}
	if line, ok := strings.CutPrefix(head, "#!"); ok {
		line, _, _ = strings.Cut(line, "\n")
		return x.interpreted(env, strings.TrimSpace(line), args)
	}
	return x.deeper().run(env, append([]string{"bash"}, args...))
}

// deeper is x for what runs a script.
func (x *execution) deeper() *execution {
	y := *x
	y.depth++
	return &y
}

// interpreted runs a script by what its first line names.
func (x *execution) interpreted(env tool.Env, line string, args []string) int {
	interpreter, argument, _ := strings.Cut(line, " ")
	if interpreter == "" {
		interpreter = "/bin/bash"
	}
	call := []string{interpreter}
	if argument = strings.TrimSpace(argument); argument != "" {
		call = append(call, argument)
	}
	if path.Base(interpreter) == "env" && argument != "" { // #!/usr/bin/env python3
		call = strings.Fields(strings.TrimPrefix(argument, "-S "))
	} else if systemDirs[path.Dir(interpreter)+"/"] {
		call[0] = path.Base(interpreter)
	}
	process.Of(env.Context).SetName(path.Base(args[0]))
	return x.deeper().run(env, append(call, args...))
}

func readHead(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	var head [256]byte // as much as execve(2) looks at
	n, err := f.Read(head[:])
	if err == io.EOF {
		err = nil
	}
	return string(head[:n]), err
}

// programPath is where a command seems to be, which bash tells it by the variable _.
func programPath(name string) string {
	if strings.Contains(name, "/") {
		return name
	}
	return "/usr/bin/" + name
}

// environOf returns those of the variables that are exported: to look at all takes longer than a
// builtin that is called in a loop.
func environOf(e expand.Environ, names ...string) (list []string) {
	for _, name := range names {
		if v := e.Get(name); v.Exported && v.Kind == expand.String {
			list = append(list, name+"="+v.String())
		}
	}
	return list
}

// environ returns the exported variables, but for _, which is each command's own.
func environ(e expand.Environ) []string {
	var list []string
	for name, v := range e.Each {
		if v.Exported && v.Kind == expand.String && name != "_" {
			list = append(list, name+"="+v.String())
		}
	}
	return list
}
