package main

import (
	"bytes"
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// fuzz runs each fuzz target for a while, one after the other.
func fuzz(ctx context.Context, args []string, w io.Writer) error {
	flags := newFlags("fuzz")
	each := flags.Duration("time", 30*time.Second, "")
	if flags.Parse(args) != nil || flags.NArg() > 1 {
		return errUsage
	}
	pattern, err := regexp.Compile(flags.Arg(0))
	if err != nil {
		return err
	}
	var out bytes.Buffer
	targets, err := fuzzTargets(ctx, &out)
	if err != nil {
		return fmt.Errorf("%w\n%s", err, &out)
	}
	var chosen []fuzzTarget
	for _, t := range targets {
		if pattern.MatchString(t.String()) {
			chosen = append(chosen, t)
		}
	}
	if len(chosen) == 0 {
		return fmt.Errorf("no fuzz target matches %q", pattern)
	}
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	return runAll(ctx, w, fuzzSteps(root, chosen, *each))
}

// A fuzzTarget is a function like FuzzParser in a package of ours.
type fuzzTarget struct {
	pkg  string // import path
	dir  string // of the package
	name string
}

func (t fuzzTarget) String() string {
	return shortPackage(t.pkg) + "." + t.name
}

// fuzzTargets finds the targets of the module in its source; out gets what the go command says. "go
// test -list" would link every test of the module to ask it.
func fuzzTargets(ctx context.Context, out io.Writer) ([]fuzzTarget, error) {
	const files = `{{$p := .}}{{range .TestGoFiles}}{{$p.ImportPath}} {{$p.Dir}}/{{.}}{{"\n"}}{{end}}` +
		`{{range .XTestGoFiles}}{{$p.ImportPath}} {{$p.Dir}}/{{.}}{{"\n"}}{{end}}`
	var list bytes.Buffer
	if err := command(ctx, io.MultiWriter(out, &list), nil, "go", "list", "-f", files, "./..."); err != nil {
		return nil, err
	}
	var targets []fuzzTarget
	for line := range strings.Lines(list.String()) {
		pkg, file, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok || !strings.HasSuffix(file, "_test.go") {
			continue // the command line
		}
		names, err := fuzzFunctions(file)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			targets = append(targets, fuzzTarget{pkg, filepath.Dir(file), name})
		}
	}
	return targets, nil
}

// turnTargets returns the targets of a quarter of the packages: to build the tests of one takes
// longer than to run a target.
func turnTargets(t *turn, targets []fuzzTarget) []fuzzTarget {
	var packages []string
	for _, target := range targets {
		packages = append(packages, shortPackage(target.pkg))
	}
	mine := t.share("fuzz targets of", 4, slices.Compact(packages))
	return slices.DeleteFunc(slices.Clone(targets), func(target fuzzTarget) bool {
		return !slices.Contains(mine, shortPackage(target.pkg))
	})
}

// fuzzFunctions returns the names of a file's functions that are fuzz targets, as "go help
// testfunc" tells them.
func fuzzFunctions(file string) (names []string, err error) {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	for _, d := range parsed.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Recv != nil {
			continue
		}
		after, ok := strings.CutPrefix(f.Name.Name, "Fuzz")
		if first, _ := utf8.DecodeRuneInString(after); ok && !unicode.IsLower(first) {
			names = append(names, f.Name.Name)
		}
	}
	return names, nil
}

// fuzzSteps are steps for the targets. The first of a package builds its tests for all of them.
func fuzzSteps(root string, targets []fuzzTarget, each time.Duration) []step {
	var steps []step
	built := map[string]error{} // by package; the steps run one after the other
	for _, t := range targets {
		steps = append(steps, step{"fuzz " + t.String(), func(ctx context.Context, out io.Writer) error {
			err, ok := built[t.pkg]
			if !ok {
				err = t.build(ctx, out, root)
				built[t.pkg] = err
			}
			if err != nil {
				return err
			}
			return t.run(ctx, out, root, each)
		}})
	}
	return steps
}

// watched are flags that have our packages tell which code an input reaches, as "go test -fuzz" has
// every package. That would compile Go's packages, and all that we import, once more for fuzzing.
const watched = "-gcflags=" + module + "/...=-d=libfuzzer"

// binary is where the tests of the target's package are built to.
func (t fuzzTarget) binary(root string) string {
	return filepath.Join(root, ".cache", "fuzz", filepath.FromSlash(shortPackage(t.pkg))+".test")
}

func (t fuzzTarget) build(ctx context.Context, out io.Writer, root string) error {
	return command(ctx, out, nil, "go", "test", "-c", "-vet=off", "-ldflags=-s -w", watched, "-o", t.binary(root), t.pkg)
}

// run fuzzes the target. The end of -fuzztime is no failure, though up to Go 1.26 the fuzzer
// sometimes reports it as one: https://go.dev/issue/75804.
//
// What is new is hardly made smaller, for which go test would take a minute each
// time: in 30 s FuzzSame of core/meter then ran 25 inputs, and not 1,700.
func (t fuzzTarget) run(ctx context.Context, out io.Writer, root string, each time.Duration) error {
	var log bytes.Buffer
	err := commandIn(ctx, io.MultiWriter(out, &log), t.dir, nil, t.binary(root), "-test.run=^$",
		"-test.fuzz=^"+t.name+"$", "-test.fuzztime="+each.String(), "-test.fuzzminimizetime=5x", "-test.parallel=1",
		"-test.fuzzcachedir="+filepath.Join(root, ".cache", "fuzz", "corpus", filepath.FromSlash(shortPackage(t.pkg))))
	if err != nil && ctx.Err() == nil && onlyDeadline(log.String()) {
		return nil
	}
	return err
}

// onlyDeadline reports whether a fuzz run failed with nothing but the end of its time.
func onlyDeadline(log string) bool {
	return strings.Contains(log, "\n    context deadline exceeded\n") &&
		!strings.Contains(log, "Failing input written to") && !strings.Contains(log, "panic:")
}
