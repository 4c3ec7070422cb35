package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/plugin"
	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/hostnative"
	"github.com/terrarium-dev/terrarium/hostwasm"
	"github.com/terrarium-dev/terrarium/hostwasm/cache"
	"github.com/terrarium-dev/terrarium/hostwasm/engine"
	"github.com/terrarium-dev/terrarium/hostwasm/engine/wazero"
	"github.com/terrarium-dev/terrarium/hostwasm/worker"
	"github.com/terrarium-dev/terrarium/plugins"
)

// hostFlags say where commands run, and what the sandbox gives them.
type hostFlags struct {
	host          string
	engine        string
	mounts        []string
	plugins       []string
	limits        limitFlags
	fuel          count
	deterministic bool
	inProcess     bool
	stdin, stdout *os.File // of native commands on pipes, if not nil
	required      bool
	confine       confineFlags
	elsewhere     bool     // the host is another machine's: nothing is looked for here
	starters      []string // what --engine knows besides, which starts containers
}

const sandboxHelp = `The sandbox: terrarium run|serve|mcp --host wasm

Commands are WASI modules that nobody has to trust. They see the files that are
handed over, at the same paths, a /tmp of their own, /dev/null and the like, and
/bin with the names of commands; no other file, no network but what --net names;
the variables PATH, HOME, TMPDIR, LANG, TERM, PWD and those of --env. serve
hands over a session's directories, or else --cwd; run nothing.

  --mount HOST[:GUEST][:ro]  hand a directory over, at its own path or at GUEST,
                             to be read only; repeatable. run starts in the
                             first one; --cwd too is a directory of the sandbox
  --plugins DIR              its NAME.wasm are commands called NAME; repeatable
  --memory N                 default 512MiB; more: "terrarium help limits"
  --fuel N                   at most so many instructions: 2G; default: no limit
  --deterministic            the same clock and random numbers in each run
  --engine wazero|wasmtime   wasmtime is faster, but in few builds ("doctor")
  --sandbox-required         refuse to run with less than "doctor" could tell
  --in-process               run modules that you trust in this process, sooner
  --net HOST[:PORT]          let curl, wget and git fetch there: "help native"

"run" takes the path of a module here too: ./tool.wasm. It may run for an hour,
write 1GiB, have 256 open files, 64 processes. What it leaves of our input is
lost (</dev/null keeps it). Its first run compiles it, into the user's cache.
`

// hosts and engines are what --host and --engine know, the default first.
var (
	hosts   = []string{"native", "wasm"}
	engines = []string{"wazero"} // and those that a build tag adds
)

// engineOpeners make the engines.
var engineOpeners = map[string]func() (engine.Engine, error){
	"wazero": func() (engine.Engine, error) { return wazero.New(wazero.Config{}) },
}

// sandboxFlags make sense for --host wasm only.
var sandboxFlags = []string{"engine", "mount", "plugins", "fuel", "deterministic", "in-process"}

func (f *hostFlags) add(cmd *cobra.Command) {
	set := cmd.Flags()
	set.StringVar(&f.host, "host", hosts[0], "")
	set.StringVar(&f.engine, "engine", engines[0], "")
	set.Var((*repeated)(&f.mounts), "mount", "")
	set.Var((*repeated)(&f.plugins), "plugins", "")
	f.limits.add(cmd)
	set.Var(&f.fuel, "fuel", "")
	set.BoolVar(&f.deterministic, "deterministic", false, "")
	set.BoolVar(&f.inProcess, "in-process", false, "")
	set.BoolVar(&f.required, "sandbox-required", false, "")
	f.confine.add(cmd)
	cmd.RegisterFlagCompletionFunc("host", cobra.FixedCompletions(hosts, cobra.ShellCompDirectiveNoFileComp))
	cmd.RegisterFlagCompletionFunc("engine", cobra.FixedCompletions(slices.Concat(engines, f.starters), cobra.ShellCompDirectiveNoFileComp))
	cmd.MarkFlagDirname("mount")
	cmd.MarkFlagDirname("plugins")
}

// noEngine says that there is no engine of that name, and which of those that there are was
// probably meant.
func noEngine(name string, there []string) error {
	err := fmt.Errorf("--engine %s: no such engine", name)
	var near []string
	for _, e := range there {
		if isNear(name, e) {
			near = append(near, e)
		}
	}
	if near == nil {
		return fmt.Errorf("%w: use %s", err, strings.Join(there, " or "))
	}
	return didYouMean(err, near)
}

// check says what is wrong with the flags.
func (f *hostFlags) check(set *pflag.FlagSet) error {
	if !slices.Contains(hosts, f.host) {
		return fmt.Errorf("--host %s: no such host: use %s", f.host, strings.Join(hosts, " or "))
	}
	for _, name := range sandboxFlags {
		if f.host != "wasm" && set.Changed(name) {
			return fmt.Errorf("--%s needs --host wasm", name)
		}
	}
	if err := f.confine.check(set, f.host, f.required); err != nil {
		return err
	}
	if !f.elsewhere {
		if err := f.confine.checkWrite(); err != nil {
			return err
		}
	}
	switch {
	case f.elsewhere: // it knows which engines it has
	case f.engine == "wasmtime" && !slices.Contains(engines, f.engine):
		return fmt.Errorf("--engine wasmtime: not in this build: it needs cgo and -tags wasmtime")
	case !slices.Contains(engines, f.engine):
		return noEngine(f.engine, engines)
	}
	switch {
	case f.required && f.inProcess:
		return errors.New("--sandbox-required: with --in-process, the system holds nothing back from commands")
	case f.deterministic && len(f.confine.net) > 0:
		return errors.New("--net: with --deterministic commands reach no network: what servers answer is not the same in each run")
	case f.fuel < 0:
		return fmt.Errorf("--fuel %d: negative", f.fuel)
	}
	return f.limits.check(set, f.host)
}

// A closingHost is closed when all its commands have ended.
type closingHost interface {
	driver.Host
	Close() error
}

// open returns the host. A command that names a module of ours becomes one of
// the sandbox's. pool is how many processes are kept ready for commands, where
// they need some (see worker.Config).
func (f *commandFlags) open(c *core.Command, pool int) (closingHost, error) {
	if f.place != nil {
		return f.openPlace(c)
	}
	if f.host == "native" {
		f.narrow()
		sandbox, err := f.confine.sandbox(c.Cwd, f.required)
		if err != nil {
			return nil, err
		}
		host, err := hostnative.New(hostnative.Config{Env: f.base, Stdin: f.stdin, Stdout: f.stdout, Sandbox: sandbox, Limits: f.limits.native()})
		if err != nil {
			return nil, f.limits.hint(err)
		}
		for _, lack := range []func() error{
			host.LimitsLack, host.SandboxLacks, host.SandboxUntested, host.SandboxClosed,
		} {
			if err := lack(); err != nil {
				warn(os.Stderr, err)
			}
		}
		if c.Command != "" && runtime.GOOS == "linux" && host.SandboxLacks() == nil {
			f.confine.tellHome(sandbox.Roots)
		}
		return host, nil
	}
	config, err := f.sandbox(c)
	if err != nil {
		return nil, err
	}
	if f.inProcess {
		host, err := f.openInProcess(config)
		if err != nil {
			return nil, err
		}
		return withHints(host), nil
	}
	dir, _ := openCache()
	host, err := worker.New(worker.Config{
		Commands: config.Commands, Mounts: config.Mounts, Env: config.Env, Hidden: config.Hidden, Limits: config.Limits, Deterministic: config.Deterministic,
		HTTP: config.HTTP, Bounds: config.Bounds, Compiling: compiling, Engine: f.engine, CacheDir: dir, Pool: pool,
		Required: f.required, Unconfined: unconfined, Undumpable: true, Refused: refused, Logger: new(compileLog),
	})
	if err != nil {
		return nil, err
	}
	if f.required {
		if err := confines(host); err != nil {
			host.Close()
			return nil, err
		}
	}
	return withHints(counting{host}), nil
}

// sandbox returns what the flags say of commands.
func (f *hostFlags) sandbox(c *core.Command) (config hostwasm.Config, err error) {
	limits := f.limits.wasm()
	limits.Fuel = int64(f.fuel)
	config = hostwasm.Config{
		Limits:        limits,
		Deterministic: f.deterministic,
		// Who asks for the commands of one that is missing is told: see withHints.
		Commands: hostwasm.Commands(slices.DeleteFunc(ownModules(),
			func(m plugins.Module) bool { return m.Missing() != nil })),
		Hidden:    ownDirs(f.plugins),
		Compiling: compiling,
	}
	if err := f.confine.fetches(&config); err != nil {
		return config, err
	}
	for _, m := range f.mounts {
		mount, err := parseMount(m)
		if err != nil {
			return config, err
		}
		config.Mounts = append(config.Mounts, mount)
	}
	if err := f.addPlugins(&config); err != nil { // after what a person hands over, which wins
		return config, err
	}
	return config, addModule(config.Commands, c)
}

// openInProcess returns the host whose guests run here.
func (f *hostFlags) openInProcess(config hostwasm.Config) (*hostwasm.Host, error) {
	if _, kept := openCache(); kept != nil { // or nothing is kept
		config.Cache = kept
	}
	var err error
	if config.Engine, err = engineOpeners[f.engine](); err != nil {
		return nil, err
	}
	return hostwasm.New(config)
}

// A preparer is a host that can compile what its commands need before it is needed.
type preparer interface {
	PrepareAll(ctx context.Context) error
}

// prepare compiles what a host's commands need that was not compiled yet, in
// the background: nobody shall wait for it later. It ends with ctx.
func prepare(ctx context.Context, host closingHost) {
	h, ok := host.(preparer)
	if !ok {
		return
	}
	if err := h.PrepareAll(ctx); err != nil && ctx.Err() == nil {
		notice("compile: " + err.Error())
	}
}

// cacheDir returns the directory for compiled modules.
func cacheDir() (string, error) {
	base, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no folder for compiled modules: %w", err)
	}
	return filepath.Join(base, "terrarium", "modules"), nil
}

// openCache opens the cache of compiled modules. Where it can't be used, dir is
// empty and c is nil, and compiling says why when that matters.
func openCache() (dir string, c hostwasm.Cache) {
	dir, err := cacheDir()
	if err == nil {
		c, err = hostwasm.CacheIn(dir)
	}
	if err != nil {
		return "", nil
	}
	return dir, c
}

// keepsCompiled reports whether what is compiled is kept for the next time, and says once why not.
var keepsCompiled = sync.OnceValue(func() bool {
	dir, err := cacheDir()
	if err == nil {
		err = tryCache(dir)
	}
	if err != nil {
		warn(os.Stderr, withHome(fmt.Errorf("%w: modules are compiled each time", err)))
	}
	return err == nil
})

// tryCache says why nothing can be kept in dir.
func tryCache(dir string) error {
	c, err := cache.Open(dir)
	if err != nil {
		return err
	}
	stage, err := c.Stage()
	if err != nil {
		return fmt.Errorf("compile cache: %w", err)
	}
	return os.Remove(stage)
}

// compiling says that something slow is under way. A terminal learns it when it has taken a second.
// Elsewhere, as in a log or at an agent's, a module that is large has one line at once: it would be
// silent for long, and what is said of others would depend on how busy the machine is.
func compiling(name string, size int) (done func()) {
	what := compilingLine(moduleName(name), size)
	if keepsCompiled() {
		what += ", only this once"
	}
	switch {
	case isTerminal(os.Stderr):
		// In a line of its own also where a command has the terminal, and made it raw.
		slow := time.AfterFunc(time.Second, func() { printLine(os.Stderr, "\r"+what) })
		return func() { slow.Stop() }
	case takesLong(size):
		fmt.Fprintln(os.Stderr, what)
	}
	return nil
}

// moduleName is what a person calls a module: one of many commands is called by the first of them,
// "[", where it is compiled.
func moduleName(name string) string {
	if m, ok := ownModule(name); ok {
		return m.Name
	}
	return name
}

// parseMount reads HOST[:GUEST][:ro].
func parseMount(s string) (m hostwasm.Mount, err error) {
	m.Dir, m.ReadOnly = strings.CutSuffix(s, ":ro")
	if i := strings.LastIndex(m.Dir, ":/"); i > 0 {
		m.Dir, m.Guest = m.Dir[:i], m.Dir[i+1:]
	}
	if m.Dir == "" {
		return m, fmt.Errorf("--mount %s: want HOST[:GUEST][:ro]", s)
	}
	if last := wrongPart(m); last != "" {
		return m, fmt.Errorf("--mount %s: no such mode and no absolute path in the sandbox: %s: want HOST[:GUEST][:ro]", s, last)
	}
	m.Dir, err = filepath.Abs(m.Dir)
	return m, err
}

// wrongPart returns what stands at the end of a mount where GUEST or a mode does,
// if it is neither. A directory may be called so, too.
func wrongPart(m hostwasm.Mount) string {
	name := cmp.Or(m.Guest, m.Dir)
	last := name[strings.LastIndex(name, ":")+1:]
	if last == name {
		return ""
	}
	if m.Guest != "" {
		if strings.Contains(last, "/") || len(last) > 2 {
			return ""
		}
		return last
	}
	if _, err := os.Stat(m.Dir); err == nil {
		return ""
	}
	return last
}

func fileModule(path string) *hostwasm.Module {
	return &hostwasm.Module{Name: filepath.Base(path), Load: func() ([]byte, error) { return plugin.Module(path) }}
}

// addModule makes c's command, if it is the path of a module here, a command
// of the sandbox by its file name: whoever names it hands it over.
func addModule(commands map[string]*hostwasm.Module, c *core.Command) error {
	if c.Command == "" || !strings.HasSuffix(c.Command, ".wasm") {
		return nil
	}
	path, err := filepath.Abs(c.Command)
	if err != nil {
		return err
	}
	if info, err := os.Stat(path); err != nil || info.IsDir() {
		return nil // perhaps it is a name in the sandbox
	}
	c.Command = filepath.Base(path)
	commands[c.Command] = fileModule(path)
	return nil
}
