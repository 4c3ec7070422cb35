package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// test is the wide check, the same for people and for CI. What fails fast comes first.
func test(ctx context.Context, w io.Writer, root string) error {
	if err := compileOnce(ctx); err != nil {
		return err
	}
	r := newRunner(w)
	r.run(ctx, checkSteps())
	r.run(ctx, buildSteps())
	r.step(ctx, compilePlugins(root))
	if err := linkSmall(); err != nil {
		return err
	}
	turn := commitTurn(ctx)
	var targets []fuzzTarget
	r.step(ctx, step{"fuzz targets", func(ctx context.Context, out io.Writer) (err error) {
		targets, err = fuzzTargets(ctx, out)
		targets = turnTargets(turn, targets)
		return err
	}})
	// Our own tests wait for other processes, and a browser or a fuzz target hardly uses more than
	// one processor: side by side they keep two busy.
	var notes notes
	r.lanes(ctx, testSteps(root, &notes, turn), append(engineSteps(root, &notes, turn), fuzzSteps(root, targets, fuzzTime)...))

	notes.print(w)
	turn.print(w)
	printNotRun(w, suites)
	return r.finish()
}

// fuzzTime is for each fuzz target whose turn it is. The seeds of all are among the tests, and who
// looks for more takes "fuzz".
const fuzzTime = 300 * time.Millisecond

// compileOnce has all that follows compiled with -trimpath, as what is built for users is.
// Otherwise Go's own packages and all that we import would be compiled once for the tests and once
// more for the command.
func compileOnce(ctx context.Context) error {
	// "go env -w" may have set some.
	flags, err := exec.CommandContext(ctx, "go", "env", "GOFLAGS").Output()
	if err != nil {
		return fmt.Errorf("go env GOFLAGS: %w", err)
	}
	return os.Setenv("GOFLAGS", strings.TrimSpace(string(flags)+" -trimpath"))
}

// linkSmall has programs that tests build linked without what debuggers read, as "go test" links
// the tests themselves: the command in 2.3 s of processor time and not in 3.9.
func linkSmall() error {
	return os.Setenv("GOFLAGS", os.Getenv("GOFLAGS")+" -ldflags=-w")
}

// seldom has what reads and compiles our source collect garbage seldom, unless a process has 2 GiB.
var seldom = []string{"GOGC=400", "GOMEMLIMIT=2GiB"}

// checkSteps look at what is written, and run nothing of it.
func checkSteps() []step {
	return []step{
		toolsStep(),
		{"gofmt", checkFormat},
		{"wrap", checkWrap},
		commandStep("go mod tidy", nil, "go", "mod", "tidy", "-diff"),
		commandStep("go vet", seldom, "go", "vet", "./..."),
		// Nothing of it runs, so it is compiled as fast as can be.
		commandStep("go vet darwin", slices.Concat([]string{"GOOS=darwin"}, seldom), "go", "vet", "-gcflags=all=-N -l", "./..."),
		commandStep("go vet wasip1", slices.Concat(wasip1, seldom), "go", "vet", "./core/...", "./cmd/reactor", "./plugins/..."),
		commandStep("go vet js", slices.Concat(js, seldom), "go", "vet", "./core/...", "./hostwasm/..."),
		commandStep("go vet nootel", nil, "go", "vet", "-tags=nootel", "./cmd/terrarium/..."),
		commandStep("go vet wasmtime", nil, "go", "vet", "-tags=wasmtime", "./hostwasm", "./hostwasm/engine/wasmtime", "./hostwasm/worker", "./tests/reactor", boxPackage),
		commandStep("go vet reactor", wasip1, "go", "vet", "-tags=reactor", "./core", "./cmd/reactor"),
		commandStep("go build windows", []string{"GOOS=windows"}, "go", "build", "./core/..."),
		commandStep("staticcheck", seldom, "go", "tool", "staticcheck", "./..."),
		{"npm", func(ctx context.Context, out io.Writer) error { return npmInstall(ctx, out, "tests") }},
	}
}

// compilePlugins has the box and git compiled into the cache that tests of the sandbox share.
// Several begin at once with what needs them, and each would compile them for itself, for 10 s of
// processor time.
func compilePlugins(root string) step {
	return commandStep("compile plugins", []string{"XDG_CACHE_HOME=" + filepath.Join(root, ".cache")},
		filepath.Join(root, binary), "run", "--host", "wasm", "--", "bash", "-c", "git --version")
}

// testSteps are the tests as they run where they were built.
func testSteps(root string, notes *notes, turn *turn) []step {
	env := []string{nodeModules(root)}
	// Programs that tests run would each wait a second before they end. A race ends the program
	// that has it: of a keeper, a worker or a command nobody would notice what it says.
	race := append(env, "GORACE=atexit_sleep_ms=0 halt_on_error=1", "GOFLAGS="+os.Getenv("GOFLAGS")+unwatched)
	raced := slices.Concat(turn.share("go test race", 3, raceLong), racePackages,
		turn.share("go test race", 3, raceInside), turn.share("go test race", 4, raceModules))
	// What -short leaves out was tested without; with -race it would take as long as all the rest.
	short := []string{"-vet=off", "-race", "-short", "-timeout=40m", "-skip=" + raceSkip}
	steps := []step{
		// What takes longest begins first: it would be alone at the end. "go vet" has looked at all
		// of it.
		goTest("go test", append(env, "TERRARIUM_WASMTIME=1", "TERRARIUM_BUILT="+filepath.Join(root, binary)), notes, "-vet=off", "-timeout=40m", "./plugins/box", "./tests", "./..."),
		goTest("go test race", race, notes, slices.Concat(short, raced)...),
	}
	for _, tests := range turn.share("go test race of ./tests", 4, raceTests) {
		steps = append(steps, goTest("go test race of ./tests", race, notes, append(short, "-run="+tests, "./tests")...))
	}
	return steps
}

// engineSteps are the tests on other engines than the default one, in other builds, and in
// browsers.
func engineSteps(root string, notes *notes, turn *turn) []step {
	env := []string{nodeModules(root)}
	wazero := filepath.Join(root, ".cache", "bin", "wazero")
	dev := filepath.Join(root, ".cache", "bin", "dev")
	onWasmtime, inPages := turn.share("wasmtime", 2, wasmtimePackages), turn.share("go test in Chromium", 2, pagePackages)
	steps := []step{
		// One at a time: each has a browser of its own.
		commandStep("node --test web", turn.environ(), "node", "--test", "--test-concurrency=1", "web/test/sandbox/", "web/test/view/", "web/test/package/"),
		// Node 20 has a WebSocket, but only if it is told so.
		commandStep("node --test sidecar", nil, "node", "--experimental-websocket", "--test", "web/test/sidecar/"),
		commandStep("build dev", nil, "go", "build", "-o", dev, "./cmd/dev"),
		goTest("go test in Chromium", js, notes,
			append([]string{
				"-vet=off", "-timeout=20m",
				"-exec='" + dev + "' browser -add '" + filepath.Join(root, "core", "testdata") + "' -add '" + filepath.Join(root, "tests", "acp") + "' --",
			}, inPages...)...),
		// What is no subtest for an engine runs again, where that takes little; what is one for
		// another does not. Without symbols a program with wasmtime is linked in 3.2 s of processor
		// time, and not in 5.3.
		goTest("go test wasmtime", env, notes, append([]string{
			"-vet=off", "-tags=wasmtime", "-ldflags=-s", "-run=" + wasmtimeTests, "-skip=" + wasmtimeSkip,
			"./hostwasm/engine/wasmtime", "./tests/reactor",
		}, without(onWasmtime, boxPackage)...)...),
		// The steps before had cgo.
		goTest("confinement without cgo", []string{"CGO_ENABLED=0"}, notes, "-vet=off", "-run=^Test(Attack|Threads|MemoryOfWorker|AllThreads|Confined|Denied|FilesOfOthers|Host)$", "./hostwasm/worker"),
		commandStep("build wazero", nil, "go", "build", "-o", wazero, "github.com/tetratelabs/wazero/cmd/wazero"),
		// What -short leaves out is tested beside it: the machine is the same, and here six times
		// slower.
		goTest("go test wasip1", wasip1, notes,
			append([]string{"-vet=off", "-short", "-exec='" + wazero + "' run -mount /:/ -env-inherit"}, turn.share("go test wasip1", 3, modulePackages)...)...),
	}
	if slices.Contains(onWasmtime, boxPackage) {
		steps = append(steps, goTest("box with wasmtime", nil, notes, "-vet=off", "-tags=wasmtime", "-run=^TestEngines$/^wasmtime$", boxPackage))
	}
	return steps
}

// without returns the names that are not this one.
func without(names []string, name string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == name })
}

// wasmtimePackages take their turns on wasmtime, a half at each commit; all are vetted with its
// tag.
var wasmtimePackages = []string{"./hostwasm", "./hostwasm/worker", boxPackage}

const boxPackage = "./plugins/box"

// pagePackages take their turns in Chromium, a half at each commit: hostwasm, which takes longest,
// or the driver and vfs. As modules for pages all are vetted, and "node --test web" has them in the
// page at every commit.
var pagePackages = []string{
	"./hostwasm", "./core/driver", "./hostwasm/wasi", "./core/driver/acpconn", "./hostwasm/engine/page", "./hostwasm/vfs",
}

// wasmtimeTests are the subtests for wasmtime, and tests that compare it with other engines.
const wasmtimeTests = "/^wasmtime|^Test(Hostile|SameOnEachEngine)$"

// wasmtimeSkip are those that take long and of which no engine has a part, or only one that is not
// wasmtime; and what a worker does like the host that is tried beside it.
const wasmtimeSkip = "^(Example.*|Test(AboveHidden|AskedAtItsEnd|CompilerMemory|CompilesTooLong|Document|FilesOfOthers|KilledAtAnyMoment" +
	"|Leaks|ManyOfManySessions|MemoryIsBounded|MemoryOfRegistries|ScratchDeep|ScratchEvictsWhatIsCounted))$" +
	"|^TestBombs$/^wasmtime$/^worker$/^spawnbomb$"

// nodeModules is the variable that tells tests where npm's packages are.
func nodeModules(root string) string {
	return "TERRARIUM_NODE_MODULES=" + filepath.Join(root, "tests", "node_modules")
}

// unwatched are flags that leave packages without the race detector's checks: what makes machine
// code of modules, which is most of what our tests do otherwise, and what meters them. Both work
// for one goroutine. A package with sync/atomic must not be among them: the linker keeps one copy
// of a generic method such as atomic.Pointer's, and if it is one without checks, it orders nothing
// for anybody, and races are reported that are none.
var unwatched = func() (flags string) {
	const wazevo = "github.com/tetratelabs/wazero/internal/engine/wazevo"
	for _, pkg := range []string{wazevo + "/backend/...", wazevo + "/frontend", wazevo + "/ssa", module + "/core/meter"} {
		flags += " -gcflags=" + pkg + "=-race=false"
	}
	return flags
}()

// raceSkip are tests that start few goroutines of ours, or none that others don't start as well.
var raceSkip = "^(Example.*|Test(" + strings.Join([]string{
	// These are about types, sizes and messages.
	"Dependencies", "ACPSchema.*", "ACPTypes.*", "EnvironmentTools", "Example.*", "ReactorSize", "ScreenCorpus", "Unbuilt", "Web.*",
	"BehindClient", "Documents", "Links", // what stands in documents
	"SDK", "MCPTypeScript", // conversations that others have as well
	"AuditKilled",          // what is killed reports no race
	"ProxyMemory", "Scale", // memory, which the race detector takes most of
	"FaultPtys", "FaultNoPtys", "RightClient", // one start after the other
	// In these a worker tries in turn what it may do.
	"AboveHidden", "AllThreads", "Attack.*", "CompilesTooLong", "Confined",
	// These run a box that is built without the race detector.
	"Interact", "ReadEnds", "ShellBounds", "ShellMutated",
	"EmbeddedOften", "SourceKeepsTheNewest", "Splitter", // one goroutine
}, "|") + "))$" +
	// It would compile the box, in which the race detector sees nothing.
	"|^TestHarnessEarly$/^sandbox$" +
	// These differ from others in messages alone.
	"|^TestProxyToolsAreShown$/^codex-acp$|^TestMCP.*$/.*/^2025-11-25$" +
	"|^TestCLI$/^(" + strings.Join(raceSkipScripts, "|") + ")$"

// raceSkipScripts are scripts of TestCLI with commands that end at once, or of which each has one
// terminal, as those of other scripts, and of tests that are no scripts, have one.
var raceSkipScripts = []string{
	"audit", "client", "conform", "console_(lines|restored|sandbox|size)", "env", "harness_(big|record|usage|xml)", "help", "keys",
	"mcp_flags", "native_.*", "nohup", "parse", "permission", "plugins.*", "policy.*",
	"run_(command_line|env_cwd|exit|json|limits|not_found|screen|usage)",
	"sandbox_.*", "screen.*", "serve_(flags|malformed)", "trace_file", "usage", "version_doctor", "wasm_net",
}

// racePackages are those where goroutines meet, and what starts them. In the others the race
// detector finds nothing, and their tests take it minutes.
var racePackages = []string{
	"./core", "./core/coretest", "./core/driver/...", "./tests/remote",
	"./hostnative/internal/broker", "./hostnative/internal/guard", "./hostnative/internal/keeper",
	"./hostnative/internal/strays", "./hostnative/internal/tree", "./cmd/terrarium", "./cmd/terrarium/internal/fleet",
}

// raceLong are such packages that take a minute or more each. Each commit has a third.
var raceLong = []string{"./hostnative", "./hostwasm/worker", "./hostwasm"}

// raceTests are those of ./tests: the scripts, and all others, which together take 1,000 s of
// processor time. What runs in one runs in others, too: the command of ./tests has both hosts. Two
// of four commits have none.
var raceTests = []string{"^TestCLI$", "^Test([^C]|C[^L]|CL[^I]|CLI.)"}

// raceInside are such packages that run inside those of racePackages, or inside the command that
// ./tests runs, where the race detector sees them too; and our own tools. A test binary with the
// detector is linked in 2 s of processor time, which is more than many of them take to run. Each
// commit has a third.
var raceInside = []string{
	"./hostnative/netproxy",
	"./hostwasm/cache", "./hostwasm/httpfetch", "./hostwasm/internal/waits", "./hostwasm/vfs", "./hostwasm/wasi",
	"./cmd/dev", "./cmd/dev/internal/browser", "./cmd/dev/internal/clients", "./cmd/dev/internal/demo",
	"./cmd/sandbox", "./cmd/terrarium/internal/ask", "./cmd/terrarium/internal/client/...",
	"./cmd/terrarium/internal/conform", "./cmd/terrarium/internal/dirlock",
	"./cmd/terrarium/internal/fetch", "./cmd/terrarium/internal/lossy",
	"./cmd/terrarium/internal/mcp", "./cmd/terrarium/internal/page", "./cmd/terrarium/internal/place",
	"./cmd/terrarium/internal/proxy", "./cmd/terrarium/internal/rulebook",
	"./cmd/terrarium/internal/workspace",
}

// raceModules are such packages of what runs as a WASI module, each of which has one thread. There
// a race of memory can't be, but what two goroutines use without an order is often wrong all the
// same. The race detector has to build the box for this system. Each commit has a quarter of them.
var raceModules = []string{
	"./plugins/box", "./plugins/box/internal/awk", "./plugins/box/internal/bash", "./plugins/box/internal/process",
	"./plugins/box/internal/system", "./plugins/box/internal/text", "./plugins/box/internal/tool",
	"./plugins/box/internal/tty", "./plugins/http",
}

// modulePackages are those of the core that get into modules of others: the reactor's, and what is
// useful without it. wazero compiles a test binary for 3 to 8 s of processor time, so each commit
// has a third of these, and the others are only vetted; the tests of core use core/ring and those
// of core/challenge core/keys, the driver's run as a module in Chromium, and those of tests/reactor
// speak to a module through core/abi.
var modulePackages = []string{
	"./core", "./core/acp", "./core/challenge", "./core/jsonrpc", "./core/text", "./core/vt",
}
