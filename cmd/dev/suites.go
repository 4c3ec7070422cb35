package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// A suite is a conformance suite of others. It is too big to keep or to fetch, so a person hands it
// over.
type suite struct {
	name string
	env  string   // names the folder it is in
	what string   // what the folder is, and where it comes from
	args []string // of "go test"
	node string   // in their place: a file of tests for node, with npm
	only string   // which of node's tests: those whose names match
	// a folder whose package.json names what it needs: conformance installs that where env says
	// nothing
	npm string
	// the package among those that env names the folder of; if empty, env names the folder of all
	pkg  string
	says bool // prints what the tests say, for they measure
}

// suites has an entry for each suite that we can run, and none for those that we only intend to.
var suites = []suite{
	{
		name: "xterm.js escape sequences", env: "TERRARIUM_XTERMJS_FIXTURES",
		what: "test/fixtures/escape_sequence_files in a checkout of github.com/xtermjs/xterm.js",
		args: []string{"-run=^TestXtermFixtures$", "./core/vt"},
	},
	{
		name: "alacritty recordings", env: "TERRARIUM_ALACRITTY_REF",
		what: "alacritty_terminal/tests/ref in a checkout of github.com/alacritty/alacritty",
		args: []string{"-run=^TestAlacrittyRecordings$", "./core/vt"},
	},
	{
		name: "WASI testsuite", env: "TERRARIUM_WASI_TESTSUITE",
		what: "a checkout of the branch prod/testsuite-base of github.com/WebAssembly/wasi-testsuite",
		args: []string{"-run=^TestWASITestsuite$", "./tests"},
	},
	{
		name: "Oils spec tests", env: "TERRARIUM_OILS_SPEC",
		what: "spec in a checkout of github.com/oils-for-unix/oils",
		args: []string{"-run=^TestOils$", "./plugins/box"},
	},
	{
		name: "recorded command lines", env: "TERRARIUM_COMMANDS",
		what: "a folder of *.jsonl files with command lines that agents ran, as TestRecordedFatigue reads them",
		args: []string{"-v", "-run=^TestRecordedFatigue$", "./core/policy"}, says: true,
	},
	{
		name: "terminals in a container of Docker", env: "TERRARIUM_DOCKER",
		what: "the name of a container that runs, with a shell in it",
		args: []string{"-run=^TestDocker$", "./tests"},
	},
	{
		name: "terminals in a container of Podman", env: "TERRARIUM_PODMAN",
		what: "the name of a container that runs, with a shell in it",
		args: []string{"-run=^TestPodman$", "./tests"},
	},
	{
		name: "a container for each session of a fleet", env: "TERRARIUM_ENGINE",
		what: "docker or podman, and TERRARIUM_ENGINE_IMAGE an image that has a shell",
		args: []string{"-run=^TestEngine$", "./tests"},
	},
	{
		name: "claude-agent-acp reports", env: "TERRARIUM_CLAUDE_AGENT_ACP",
		what: "the package @agentclientprotocol/claude-agent-acp, which make conformance installs by itself",
		node: "web/test/view/agents.test.mjs", only: "the reports of",
		npm: peersFolder, pkg: "@agentclientprotocol/claude-agent-acp",
	},
	peers("claude-agent-acp"), peers("codex-acp"), peers("kimi-code"), peers("ACP SDK"), peers("MCP SDK"),
}

// peersFolder has the programs of others that talk to ours.
var peersFolder = filepath.Join("tests", "peers")

// peers is the suite of programs of others that talk to ours, of which name is one.
func peers(name string) suite {
	return suite{
		name: name + " with terrarium", env: "TERRARIUM_PEERS",
		what: "the folder node_modules that npm makes of tests/peers/package.json, 1.2 GB; make conformance makes one by itself",
		node: "tests/peers/peers.test.mjs", only: "^" + name, npm: peersFolder,
	}
}

// conformance builds what the suites try and runs every suite. It fails for those that were not
// handed over.
func conformance(ctx context.Context, w io.Writer) error {
	if err := compileOnce(ctx); err != nil {
		return err
	}
	r := newRunner(w)
	r.step(ctx, toolsStep())
	r.run(ctx, buildSteps())
	var notes notes
	for _, s := range suites {
		r.step(ctx, s.step(&notes))
	}
	notes.print(w)
	return r.finish()
}

func (s suite) step(notes *notes) step {
	if s.npm != "" {
		return step{s.name, func(ctx context.Context, out io.Writer) error { return s.installed(ctx, out, notes) }}
	}
	if os.Getenv(s.env) == "" {
		return step{s.name, func(context.Context, io.Writer) error {
			return fmt.Errorf("%s is not set: it names %s", s.env, s.what)
		}}
	}
	if s.says {
		return step{s.name, func(ctx context.Context, out io.Writer) error {
			var said strings.Builder
			err := command(ctx, io.MultiWriter(out, &said), nil, "go", append([]string{"test", "-count=1"}, s.args...)...)
			for line := range strings.Lines(said.String()) {
				if _, text, ok := strings.Cut(strings.TrimSpace(line), "_test.go:"); ok {
					_, text, _ = strings.Cut(text, ": ") // its line
					notes.said = append(notes.said, text)
				}
			}
			return err
		}}
	}
	return goTest(s.name, nil, notes, append([]string{"-count=1"}, s.args...)...)
}

// installed runs node's tests with what npm has installed, and installs it first if the person has
// not.
func (s suite) installed(ctx context.Context, out io.Writer, notes *notes) error {
	folder := os.Getenv(s.env)
	if folder == "" {
		if err := npmInstallOptional(ctx, out, s.npm); err != nil {
			return err
		}
		var err error
		if folder, err = filepath.Abs(filepath.Join(s.npm, "node_modules", s.pkg)); err != nil {
			return err
		}
	}
	var said strings.Builder
	err := command(ctx, io.MultiWriter(out, &said), []string{s.env + "=" + folder},
		"node", "--test", "--test-reporter=tap", "--test-name-pattern="+s.only, s.node)
	passed := passedTests(said.String())
	notes.said = append(notes.said, fmt.Sprintf("%s: %d tests passed", s.name, passed))
	if err == nil && passed == 0 { // node is content with that
		return fmt.Errorf("no test has a name like %q", s.only)
	}
	return err
}

// passedTests reads from the end of what node prints how many tests have passed.
func passedTests(tap string) int {
	_, after, _ := strings.Cut(tap, "\n# pass ")
	number, _, _ := strings.Cut(after, "\n")
	n, _ := strconv.Atoi(number)
	return n
}

// printNotRun says which suites "test" left out; those handed over ran with the other tests.
func printNotRun(w io.Writer, suites []suite) {
	for _, s := range suites {
		switch {
		case os.Getenv(s.env) == "":
			fmt.Fprintf(w, "NOT RUN %s: %s is not set: it names %s\n", s.name, s.env, s.what)
		case s.npm != "":
			fmt.Fprintf(w, "NOT RUN %s: make conformance does\n", s.name)
		}
	}
}
