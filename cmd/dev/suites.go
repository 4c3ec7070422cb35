package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
)

// A suite is a conformance suite of others. It is too big to keep or to fetch, so a person hands it over.
type suite struct {
	name string
	env  string   // names the folder it is in
	what string   // what the folder is, and where it comes from
	args []string // of "go test"
	node string   // in their place: a file of tests for node
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
		node: "web/test/view/agents.test.mjs",
	},
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
	if os.Getenv(s.env) == "" {
		return step{s.name, func(context.Context, io.Writer) error {
			return fmt.Errorf("%s is not set: it names %s", s.env, s.what)
		}}
	}
	if s.node != "" {
		return commandStep(s.name, nil, "node", "--test", "--test-name-pattern=the reports of", s.node)
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

// printNotRun says which suites "test" left out; those handed over ran with the other tests.
func printNotRun(w io.Writer, suites []suite) {
	for _, s := range suites {
		if os.Getenv(s.env) == "" {
			fmt.Fprintf(w, "NOT RUN %s: %s is not set: it names %s\n", s.name, s.env, s.what)
		}
	}
}
