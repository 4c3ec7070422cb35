package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// A suite is a conformance suite of others. It is too big to keep or to fetch, so a person hands it over.
type suite struct {
	name string
	env  string   // names the folder it is in
	what string   // what the folder is, and where it comes from
	args []string // of "go test"
	node string   // in their place: a file of tests for node
	only string   // which of node's tests: those whose names match
	npm  string   // a folder whose package.json names what it needs: conformance installs that where env says nothing
	says bool     // prints what the tests say, for they measure
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
		name: "claude-agent-acp reports", env: "TERRARIUM_CLAUDE_AGENT_ACP",
		what: "the package that npm install --omit=optional @agentclientprotocol/claude-agent-acp@0.101.0 installs",
		node: "web/test/view/agents.test.mjs", only: "the reports of",
	},
	peers("claude-agent-acp"), peers("codex-acp"), peers("kimi-code"), peers("ACP SDK"), peers("MCP SDK"),
}

// peers is the suite of programs of others that talk to ours, of which name is one.
func peers(name string) suite {
	return suite{
		name: name + " with terrarium", env: "TERRARIUM_PEERS",
		what: "the folder node_modules that npm makes of tests/peers/package.json, 1.2 GB; make conformance makes one by itself",
		node: "tests/peers/peers.test.mjs", only: "^" + name, npm: filepath.Join("tests", "peers"),
	}
}

// conformance runs every suite, and fails for those that were not handed over.
func conformance(ctx context.Context, w io.Writer) error {
	r := newRunner(w)
	var notes notes
	for _, s := range suites {
		r.step(ctx, s.step(&notes))
	}
	notes.print(w)
	return r.finish()
}

func (s suite) step(notes *notes) step {
	if s.npm != "" {
		return step{s.name, s.withPeers}
	}
	if os.Getenv(s.env) == "" {
		return step{s.name, func(context.Context, io.Writer) error {
			return fmt.Errorf("%s is not set: it names %s", s.env, s.what)
		}}
	}
	if s.node != "" {
		return commandStep(s.name, nil, "node", "--test", "--test-name-pattern="+s.only, s.node)
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

// withPeers runs node's tests with what npm has installed, and installs it first if the person has not.
func (s suite) withPeers(ctx context.Context, out io.Writer) error {
	if _, err := os.Stat(binary); err != nil {
		return fmt.Errorf("%w: go run ./cmd/dev build makes it", err)
	}
	modules := os.Getenv(s.env)
	if modules == "" {
		if err := npmInstallOptional(ctx, out, s.npm); err != nil {
			return err
		}
		var err error
		if modules, err = filepath.Abs(filepath.Join(s.npm, "node_modules")); err != nil {
			return err
		}
	}
	return command(ctx, out, []string{s.env + "=" + modules}, "node", "--test", "--test-name-pattern="+s.only, s.node)
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
