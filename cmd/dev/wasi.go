package main

import (
	"context"
	"io"
	"os"

	"github.com/terrarium-dev/terrarium/cmd/dev/internal/slim"
)

// wasip1 is the environment that builds for a WASI runtime.
var wasip1 = []string{"GOOS=wasip1", "GOARCH=wasm"}

// js is the environment that builds for a page.
var js = []string{"GOOS=js", "GOARCH=wasm"}

// buildModule builds a package for a WASI runtime, without what no module of Go's needs.
func buildModule(ctx context.Context, out io.Writer, file, pkg string, flags ...string) error {
	return buildWasm(ctx, out, wasip1, file, pkg, flags)
}

// buildWasm is buildModule for any environment.
func buildWasm(ctx context.Context, out io.Writer, env []string, file, pkg string, flags []string) error {
	args := append([]string{"build"}, flags...)
	if err := command(ctx, out, env, "go", append(args, "-o", file, pkg)...); err != nil {
		return err
	}
	return slimFile(file)
}

// slimFile makes the module in a file smaller.
func slimFile(file string) error {
	wasm, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	small, err := slim.Module(wasm)
	if err != nil {
		return &os.PathError{Op: "slim", Path: file, Err: err}
	}
	return os.WriteFile(file, small, 0o777)
}
