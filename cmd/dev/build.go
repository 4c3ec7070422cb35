package main

import (
	"context"
	"io"
	"os"
	"strings"
)

// binary is where "build" leaves the command, relative to the root of the module.
const binary = "terrarium"

// module is the path that all our packages begin with.
const module = "github.com/terrarium-dev/terrarium"

// reactorFlags holds the flags that the reactor is built with, one a line: its size depends on
// them.
const reactorFlags = "cmd/reactor/build.flags"

// sandboxFlags is the same for the sandbox.
const sandboxFlags = "cmd/sandbox/build.flags"

// buildSteps builds what a user runs: for JavaScript the core as a WASI reactor, the sandbox for a
// page and the package around them; the command, which embeds all of it; and our plugins for pages.
func buildSteps() []step {
	// The command embeds the plugins, and what follows.
	return append(pluginSteps(pluginsDir, develVersion), []step{
		{"build core.wasm", func(ctx context.Context, out io.Writer) error {
			return buildReactor(ctx, out, "web/dist/core.wasm")
		}},
		{"build sandbox.wasm", func(ctx context.Context, out io.Writer) error {
			return buildSandbox(ctx, out, "web/dist")
		}},
		{"collect licences", func(ctx context.Context, out io.Writer) error {
			return writeLicenses(ctx, out, "web/dist/THIRD_PARTY_LICENSES.txt")
		}},
		{"compile web", func(ctx context.Context, out io.Writer) error { return compileWeb(ctx, out, ".") }},
		commandBuild(),
		// With the flags of the command, which needs the same packages.
		commandStep("meter plugins for pages", []string{"CGO_ENABLED=0"}, "go", "run", "-trimpath", "./cmd/dev/internal/webplugins", "web/plugins"),
	}...)
}

// commandBuild builds the command, with what is in plugins/dist and web/dist. Without cgo, so that
// it needs no C library, and runs where another one is. Without the traces of gRPC, which
// OpenTelemetry's exporter links: they have html/template look methods up by name, for which the
// linker keeps every exported method there is, 6 MB of them.
func commandBuild() step {
	return commandStep("build "+binary, []string{"CGO_ENABLED=0"}, "go", "build", "-trimpath", "-tags=grpcnotrace", "-o", "./"+binary, "./cmd/terrarium")
}

// buildReactor builds the core for JavaScript.
func buildReactor(ctx context.Context, out io.Writer, file string) error {
	flags, err := readFlags(reactorFlags)
	if err != nil {
		return err
	}
	return buildModule(ctx, out, file, "./cmd/reactor", flags...)
}

// readFlags reads flags, one a line.
func readFlags(file string) ([]string, error) {
	flags, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return strings.Split(strings.TrimSpace(string(flags)), "\n"), nil
}
