package mk

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// FuzzRun reads makefiles, whose recipes run nothing. None may panic, or go on when it is told to
// end.
func FuzzRun(f *testing.F) {
	for _, text := range []string{
		"a: b\n\techo $@ $^\nb:\n", "X = $(X)\nall: ; $(X)\n", "define F\n$(1): ; echo $$@\nendef\n$(eval $(call F,x))\n", "ifeq (a,b)\nelse ifdef C\nendif\n",
		"%.o: %.c | d\n\t@-+echo $*\nx.o: x.c\n", "include a.mk\n-include *.mk\n", "f = $(call f,$(1)x)\n$(call f,a)\n", "a:: ; x\na:: ; y\n", "A += $(A:.c=.o)\nB := $(sort $(A))\nC ?= ${B}\n",
		"a: V = 1\na: b ; $(V)\nb: a\n", "$(foreach i,1 2 3,$(if $(i),$(or $(i),x),$(and a,b)))", ".ONESHELL:\n.PHONY: a\n.c.o:\na: ; \\\n\tb", "$(", "a:\\", "\t",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 300 || strings.Contains(text, "file") || strings.Contains(text, "..") {
			return
		}
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "Makefile"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		var out, msg bytes.Buffer
		tool.Run(Commands()[0], tool.Env{Context: ctx, Stdout: &out, Stderr: &msg, Dir: dir, Exec: func(tool.Env, []string) int { return 0 }}, []string{"make", "-k"})
	})
}

// TestLimits reads makefiles that would not end.
func TestLimits(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"f = $(call f,x)\nall: ; $(f)\n", "Makefile:2: *** expansions are nested too deep.  Stop.\n"},
		{"include Makefile\n", "Makefile:1: *** makefiles include each other too deep.  Stop.\n"},
		{"a := x\n$(foreach i,1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30,$(eval a := $(a)$(a)))\n", "Makefile:2: *** expansion is too large.  Stop.\n"},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "Makefile"), []byte(test.text), 0o666); err != nil {
			t.Fatal(err)
		}
		var out, msg bytes.Buffer
		status := tool.Run(Commands()[0], tool.Env{Stdout: &out, Stderr: &msg, Dir: dir}, []string{"make"})
		if msg.String() != test.want || status != exitTrouble {
			t.Errorf("%q: got status %d, %q, want %q", test.text, status, msg.String(), test.want)
		}
	}
}
