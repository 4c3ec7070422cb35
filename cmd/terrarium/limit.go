package main

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostnative"
	"github.com/terrarium-dev/terrarium/hostwasm"
)

const limitsHelp = `Limits of commands: terrarium run|serve|mcp|harness --limit NAME=VALUE

Repeatable. Native commands have none without a flag, those of --host wasm have
some. "doctor" tells what holds them. On macOS there are wall, idle, output and
output-rate. Beyond one of these a command is killed with all that it has
started, also what it has left running, and the end of its output says why:

  --limit wall=1h          it runs no longer
  --limit idle=5m          no longer without any output or input; native only
  --limit cpu=90s          of processor time; native only, and see --fuel
  --limit memory=512MiB    in memory and in swap, but for files; as --memory
  --limit disk=1GiB        written to disks
  --limit output=10MiB     written to its terminal or pipes

Beyond one of these it waits, or what it tries fails:

  --limit output-rate=1MiB  in a second; native only
  --limit processes=100    processes and threads at once; native: needs cgroups,
                           as by systemd-run --user --scope -p Delegate=yes;
                           processes=100:if-possible goes on without one
  --limit file-size=1GiB   in each file that it writes; native only
  --limit open-files=256   in each process
`

// limitOf returns what --limit calls the limit that a command was killed for.
func limitOf(why core.Reason) string {
	if why == core.ReasonTimeout {
		return "wall"
	}
	return string(why)
}

// limitFlags are limits of commands.
type limitFlags struct {
	wall, idle, cpu                      duration
	memory, disk, output, rate, fileSize byteSize
	processes, openFiles                 count
	ifPossible                           bool // processes
}

// A limitName is what --limit knows.
type limitName struct {
	name  string
	value func(*limitFlags) pflag.Value
	wasm  bool // the sandbox has it, too
}

var limitNames = []limitName{
	{"wall", func(f *limitFlags) pflag.Value { return &f.wall }, true},
	{"idle", func(f *limitFlags) pflag.Value { return &f.idle }, false},
	{"cpu", func(f *limitFlags) pflag.Value { return &f.cpu }, false},
	{"memory", func(f *limitFlags) pflag.Value { return &f.memory }, true},
	{"disk", func(f *limitFlags) pflag.Value { return &f.disk }, true},
	{"output", func(f *limitFlags) pflag.Value { return &f.output }, true},
	{"output-rate", func(f *limitFlags) pflag.Value { return &f.rate }, false},
	{"processes", func(f *limitFlags) pflag.Value { return &f.processes }, true},
	{"file-size", func(f *limitFlags) pflag.Value { return &f.fileSize }, false},
	{"open-files", func(f *limitFlags) pflag.Value { return &f.openFiles }, true},
}

func (f *limitFlags) add(cmd *cobra.Command) {
	cmd.Flags().Var((*limitSetter)(f), "limit", "")
	cmd.Flags().Var(&f.memory, "memory", "")
	var names []string
	for _, l := range limitNames {
		names = append(names, l.name+"=")
	}
	cmd.RegisterFlagCompletionFunc("limit", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveNoSpace))
}

// A limitSetter is limitFlags as the value of a flag that is repeated.
type limitSetter limitFlags

// Set implements pflag.Value.
func (s *limitSetter) Set(text string) error {
	name, value, ok := strings.Cut(text, "=")
	i := slices.IndexFunc(limitNames, func(l limitName) bool { return l.name == name })
	switch {
	case i < 0:
		return fmt.Errorf("no such limit: use %s", joinNames(limitNames))
	case !ok:
		return fmt.Errorf("want %s=VALUE", name)
	}
	if name == "processes" {
		value, s.ifPossible = strings.CutSuffix(value, ":if-possible")
	}
	limit := limitNames[i].value((*limitFlags)(s))
	if err := limit.Set(value); err != nil {
		return err
	}
	if text := limit.String(); text == "0" || text == "0s" || strings.HasPrefix(text, "-") {
		return errors.New("want more than nothing: without the flag there is no limit")
	}
	return nil
}

// String implements pflag.Value.
func (s *limitSetter) String() string { return "" }

// Type implements pflag.Value.
func (s *limitSetter) Type() string { return "limit" }

func joinNames(list []limitName) string {
	var names []string
	for _, l := range list {
		names = append(names, l.name)
	}
	return strings.Join(names, ", ")
}

// check says what is wrong with the flags.
func (f *limitFlags) check(set *pflag.FlagSet, host string) error {
	if set.Changed("memory") && f.memory < 1<<16 || f.memory > 0 && f.memory < 1<<16 {
		return fmt.Errorf("a memory limit of %s is too little: at least 64KiB", &f.memory)
	}
	if f.openFiles > 0 && f.openFiles < 8 {
		return fmt.Errorf("--limit open-files=%s: too few: at least 8", &f.openFiles)
	}
	if host != "wasm" {
		return nil
	}
	for _, l := range limitNames {
		if text := l.value(f).String(); !l.wasm && text != "0" && text != "0s" {
			return fmt.Errorf("--limit %s needs --host native", l.name)
		}
	}
	return nil
}

// hint adds to why there is no host what a person can do, where it is that the machine keeps to no
// limit of processes: few users have a cgroup of their own.
func (f *limitFlags) hint(err error) error {
	if runtime.GOOS != "linux" || f.processes == 0 || f.ifPossible || !errors.Is(err, hostnative.ErrLimits) {
		return err
	}
	return fmt.Errorf("%w: --limit processes=%d:if-possible goes on without", err, f.processes)
}

// streams reports whether there are limits that only who reads the output can keep.
func (f *limitFlags) streams() bool {
	return cmp.Or(int64(f.output), int64(f.rate), int64(f.idle)) != 0
}

func (f *limitFlags) native() hostnative.Limits {
	return hostnative.Limits{
		Wall: time.Duration(f.wall), Idle: time.Duration(f.idle), CPU: time.Duration(f.cpu),
		Memory: int64(f.memory), Disk: int64(f.disk), Output: int64(f.output), OutputRate: int64(f.rate),
		Processes: int(f.processes), ProcessesIfPossible: f.ifPossible,
		FileSize: int64(f.fileSize), OpenFiles: int(f.openFiles),
	}
}

func (f *limitFlags) wasm() hostwasm.Limits {
	return hostwasm.Limits{
		Wall: time.Duration(f.wall), Memory: int64(f.memory), Disk: int64(f.disk), Output: int64(f.output),
		Processes: int(f.processes), OpenFiles: int(f.openFiles),
	}
}
