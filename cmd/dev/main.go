// Command dev builds and checks the project. It uses nothing but the standard library and the go
// command, so "go run ./cmd/dev COMMAND" works on a fresh clone; the Makefile holds no logic of its
// own.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/terrarium-dev/terrarium/cmd/dev/internal/replay"
)

const usage = `usage: go run ./cmd/dev COMMAND

  build                        ./terrarium, core.wasm and sandbox.wasm.gz in web/dist, and web/plugins for pages
  demo                         build what is needed and run the main job on real input
  picture                      draw README's picture anew, with ./terrarium
  test                         everything, quick checks first; installs what it needs where it can
  conformance                  the suites of others, each found by its environment variable, or installed
  clients                      write CONFORMANCE.md: what ./terrarium conform finds of ACP clients
  fmt                          rewrite our Go files as gofmt would, and name what is wider than 100 columns
  patch DIR                    make DIR/go.mod, with which the box is built: it has our patches of modules
  plugins [-version V] DIR [NAME…]
                               our plugins alone, box or git or both, into DIR: "terrarium plugins add box" runs this
  reactor FILE                 the reactor alone, into FILE
  sandbox DIR                  the sandbox for a page alone, with wasm_exec.js, into DIR
  npm                          install what the tests need from npm, if it is stale
  bench [-time D] [-count N] [PATTERN]   benchmarks, in the form that benchstat reads
  fuzz [-time D] [PATTERN]               each fuzz target in turn; PATTERN matches "folder.FuzzName"
  browser [-dir D] [-add PATH] [-limit D] -- FILE.wasm [ARG…]
                               run a test binary for GOOS=js in Chromium, in the folder of its package
  vm [-kernel PACKAGE] [-run PATTERN] PACKAGE…
                               the tests of packages in a virtual machine of QEMU, with Debian's kernel and with
                               cgroup controllers, as root and as another user; slow, and no part of "test"
  replay FILE                  step a trace that "terrarium --trace FILE" wrote

A command made of steps prints each with its duration, the whole output of those that failed,
and ends with a line "N passed, N failed". Exit status: 0, 1 if anything failed, 2 for wrong usage.
`

// errUsage is returned for a command line that is not one of ours.
var errUsage = errors.New("wrong usage")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	var status exitStatus
	switch {
	case errors.Is(err, errUsage):
		fmt.Fprint(os.Stderr, usage)
		os.Exit(2)
	case errors.Is(err, errSteps):
		os.Exit(1) // the summary has said it
	case errors.As(err, &status):
		os.Exit(int(status))
	case err != nil:
		fmt.Fprintf(os.Stderr, "dev: %v\n", err)
		os.Exit(1)
	}
}

// run executes one command line.
func run(ctx context.Context, args []string, w io.Writer) error {
	if len(args) == 0 {
		return errUsage
	}
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	if args[0] == "browser" {
		return runInBrowser(ctx, args[1:]) // where "go test -exec" is
	}
	if _, err := os.Stat("cmd/dev"); err != nil {
		return errors.New("run it from the root of the module")
	}
	name, args := args[0], args[1:]
	switch {
	case name == "bench":
		return bench(ctx, args, w)
	case name == "fuzz":
		return fuzz(ctx, args, w)
	case name == "vm":
		return runInVM(ctx, args, w)
	case name == "plugins":
		return makePlugins(ctx, args, w)
	case name == "patch" && len(args) == 1:
		_, err := patchModules(ctx, w, args[0])
		return err
	case name == "reactor" && len(args) == 1:
		return buildReactor(ctx, w, args[0])
	case name == "sandbox" && len(args) == 1:
		return buildSandbox(ctx, w, args[0])
	case name == "replay" && len(args) == 1:
		return replay.Run(args[0], w)
	case len(args) > 0:
		return errUsage
	}
	switch name {
	case "build":
		return runAll(ctx, w, buildSteps())
	case "demo":
		return showDemo(ctx, w, root)
	case "picture":
		return runAll(ctx, w, []step{{"draw the picture", func(ctx context.Context, out io.Writer) error { return drawPicture(ctx, out, root) }}})
	case "test":
		return test(ctx, w, root)
	case "conformance":
		return conformance(ctx, w)
	case "clients":
		return tryClients(ctx, w, root)
	case "fmt":
		return errors.Join(rewriteFormat(w), checkWrap(ctx, w))
	case "npm":
		return npmInstall(ctx, w, "tests")
	case "help", "-h", "-help", "--help":
		_, err := io.WriteString(w, usage)
		return err
	}
	return errUsage
}

// bench runs the benchmarks and passes their output on as it comes.
func bench(ctx context.Context, args []string, w io.Writer) error {
	flags := newFlags("bench")
	each := flags.Duration("time", 300*time.Millisecond, "")
	count := flags.Int("count", 1, "")
	if flags.Parse(args) != nil || flags.NArg() > 1 {
		return errUsage
	}
	pattern := "."
	if flags.NArg() == 1 {
		pattern = flags.Arg(0)
	}
	return command(ctx, w, nil, "go", "test", "-run=^$", "-bench="+pattern,
		"-benchtime="+each.String(), fmt.Sprintf("-count=%d", *count), "./core/...", "./tests/...")
}

// newFlags returns a flag set that leaves messages to our usage text.
func newFlags(name string) *flag.FlagSet {
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	return flags
}
