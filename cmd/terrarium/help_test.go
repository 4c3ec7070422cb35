package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestHelp holds every help text to one screen that leaves out no flag and no
// command.
func TestHelp(t *testing.T) {
	root := newRoot()
	commands := append([]*cobra.Command{root}, root.Commands()...)
	for _, cmd := range root.Commands() {
		commands = append(commands, cmd.Commands()...)
	}
	for _, cmd := range commands {
		if !strings.HasPrefix(cmd.Long, "usage: "+cmd.UseLine()+"\n") && cmd.Name() != "help" {
			t.Errorf("%s: got help %q, want it to begin with the usage %q", cmd.Name(), cmd.Long, cmd.UseLine())
		}
		checkFits(t, cmd.Name(), cmd.Long)
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			help := cmd.Long
			for _, topic := range topics {
				if slices.Contains(topic.flags, f.Name) && cmd.Parent() == root {
					help = topic.help
				}
			}
			if !strings.Contains(help, "--"+f.Name) && f.Name != "help" && f.Name != "version" {
				t.Errorf("%s: the help does not have --%s", cmd.Name(), f.Name)
			}
		})
		if up := cmd.Parent(); up != nil && !cmd.Hidden && !strings.Contains(up.Long, "\n  "+cmd.Name()+" ") {
			t.Errorf("the help does not have %s", cmd.Name())
		}
	}
	for name, topic := range topics {
		last := root.Long[strings.LastIndex(root.Long, "More: "):]
		if names := strings.FieldsFunc(last, func(r rune) bool { return strings.ContainsRune(" |.\n", r) }); !slices.Contains(names, name) {
			t.Errorf("the help ends with %q, want the topic %s in it", last, name)
		}
		checkFits(t, name, topic.help)
	}
}

// maxHelp is how many lines of help fit on a screen of 24: the prompt that follows must not scroll
// the first one away.
const maxHelp = 23

// checkFits checks that a help text fits on a screen.
func checkFits(t *testing.T, name, help string) {
	t.Helper()
	if n := strings.Count(help, "\n"); n > maxHelp || !strings.HasSuffix(help, "\n") {
		t.Errorf("%s: got %d lines of help, want at most %d, all with an end", name, n, maxHelp)
	}
	for line := range strings.Lines(help) {
		if len(line) > 80+len("\n") {
			t.Errorf("%s: got a line of %d columns, want at most 80: %s", name, len(line)-1, line)
		}
	}
}
