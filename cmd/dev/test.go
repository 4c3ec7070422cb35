package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// test is the wide check, the same for people and for CI. What fails fast comes first.
func test(ctx context.Context, w io.Writer, root string) error {
	if err := compileOnce(ctx); err != nil {
		return err
	}
	r := newRunner(w)
	var notes notes
	r.run(ctx, testSteps(root, &notes))

	var targets []fuzzTarget
	r.step(ctx, step{"fuzz targets", func(ctx context.Context, out io.Writer) (err error) {
		targets, err = fuzzTargets(ctx, out)
		return err
	}})
	// A target fuzzes on one processor.
	r.beside(ctx, 2, fuzzSteps(targets, 3*time.Second))

	notes.print(w)
	printNotRun(w, suites)
	return r.finish()
}

// compileOnce has all that follows compiled with -trimpath, as what is built for users is. Otherwise Go's own
// packages and all that we import would be compiled once for the tests and once more for the command.
func compileOnce(ctx context.Context) error {
	flags, err := exec.CommandContext(ctx, "go", "env", "GOFLAGS").Output() // "go env -w" may have set them
	if err != nil {
		return fmt.Errorf("go env GOFLAGS: %w", err)
	}
	return os.Setenv("GOFLAGS", strings.TrimSpace(string(flags)+" -trimpath"))
}

func testSteps(root string, notes *notes) []step {
	nodeModules := []string{"TERRARIUM_NODE_MODULES=" + filepath.Join(root, "tests", "node_modules")}
	wazero := filepath.Join(root, ".cache", "bin", "wazero")
	dev := filepath.Join(root, ".cache", "bin", "dev")

	steps := []step{
		{"tools", func(ctx context.Context, out io.Writer) error { return installTools(ctx, out, tools) }},
		{"gofmt", checkFormat},
		commandStep("go mod tidy", nil, "go", "mod", "tidy", "-diff"),
		commandStep("go vet", nil, "go", "vet", "./..."),
		// Nothing of it runs, so it is compiled as fast as can be.
		commandStep("go vet darwin", []string{"GOOS=darwin"}, "go", "vet", "-gcflags=all=-N -l", "./..."),
		commandStep("go vet wasip1", wasip1, "go", "vet", "./core/...", "./cmd/reactor", "./plugins/..."),
		commandStep("go vet js", js, "go", "vet", "./core/...", "./hostwasm/..."),
		commandStep("go vet nootel", nil, "go", "vet", "-tags=nootel", "./cmd/terrarium/..."),
		commandStep("go vet reactor", wasip1, "go", "vet", "-tags=reactor", "./core", "./cmd/reactor"),
		commandStep("go build windows", []string{"GOOS=windows"}, "go", "build", "./core/..."),
		commandStep("staticcheck", nil, "go", "tool", "staticcheck", "./..."),
		{"npm", func(ctx context.Context, out io.Writer) error { return npmInstall(ctx, out, "tests") }},
	}
	steps = append(steps, buildSteps()...)
	return append(steps,
		// What takes longest begins first: it would be alone at the end. "go vet" has looked at all of it.
		goTest("go test", nodeModules, notes, "-vet=off", "./plugins/box", "./tests", "./..."),
		// What is no subtest for an engine runs again, which is little; what is one for another does not.
		goTest("go test wasmtime", nodeModules, notes, "-tags=wasmtime", "-run=/^wasmtime",
			"./hostwasm", "./hostwasm/engine/...", "./hostwasm/worker", "./tests/reactor"),
		// The steps before had cgo.
		goTest("confinement without cgo", []string{"CGO_ENABLED=0"}, notes, "-vet=off", "-run=^Test(Attack|Threads|AllThreads|Confined|Denied|FilesOfOthers|Host)$", "./hostwasm/worker"),
		goTest("box with wasmtime", nil, notes, "-tags=wasmtime", "-run=^TestEngines$/^wasmtime$", "./plugins/box"),
		goTest("imports with wasmtime", nil, notes, "-tags=wasmtime", "-run=^TestDependencies", "./tests"),
		commandStep("build wazero", nil, "go", "build", "-o", wazero, "github.com/tetratelabs/wazero/cmd/wazero"),
		// What -short leaves out was tested above: the machine is the same, and here six times slower.
		goTest("go test wasip1", wasip1, notes, "-vet=off", "-short", "-exec='"+wazero+"' run -mount /:/ -env-inherit", "./core/..."),
		commandStep("build dev", nil, "go", "build", "-o", dev, "./cmd/dev"),
		goTest("go test in Chromium", js, notes, "-vet=off", "-timeout=5m",
			"-exec='"+dev+"' browser -add '"+filepath.Join(root, "core", "testdata")+"' -add '"+filepath.Join(root, "tests", "acp")+"' --",
			"./core/driver", "./core/driver/acpconn", "./hostwasm", "./hostwasm/vfs", "./hostwasm/wasi", "./hostwasm/engine/page"),
		// One at a time: each has a browser of its own, which takes all processors.
		commandStep("node --test web", nil, "node", "--test", "--test-concurrency=1", "web/test/sandbox/", "web/test/view/", "web/test/package/"),
		// Node 20 has a WebSocket, but only if it is told so.
		commandStep("node --test sidecar", nil, "node", "--experimental-websocket", "--test", "web/test/sidecar/"),
		// What -short leaves out was tested above; with -race it would take as long as all the rest,
		// and the programs that tests run would each wait a second before they end.
		goTest("go test race", append(nodeModules, "GORACE=atexit_sleep_ms=0"), notes,
			append([]string{"-vet=off", "-race", "-short", "-timeout=20m"}, racePackages...)...),
	)
}

// racePackages are those where goroutines meet, and what starts them. In the others the race detector
// finds nothing, and their tests take it minutes.
var racePackages = []string{
	"./tests", "./plugins/box", "./hostwasm", "./hostwasm/worker", // they take longest: see "go test"
	"./core", "./core/coretest", "./core/driver/...",
	"./hostnative/...",
	"./hostwasm/cache", "./hostwasm/vfs", "./hostwasm/wasi",
	"./plugins/box/internal/awk", "./plugins/box/internal/bash", "./plugins/box/internal/process",
	"./plugins/box/internal/system", "./plugins/box/internal/text", "./plugins/box/internal/tty",
	"./cmd/...",
}
