package node

import (
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

func TestLiteral(t *testing.T) {
	s := script{argv: []string{"node", `a"b\c`}, environ: []string{"A=1=2", "__proto__=x"}, cwd: "/ü", code: "x\n\u2028\x00"}
	const want = `{argv: ["node","a\"b\\c",], env: {["A"]: "1=2",["__proto__"]: "x",}, cwd: "/ü", file: "", code: "x\u000a\u2028\u0000", print: false, check: ""}`
	if got := s.literal(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestUsage(t *testing.T) {
	for _, test := range []struct {
		args, said string
		status     int
	}{
		{"node --version", "QuickJS, which node is in this sandbox: plain scripts run, and no packages of npm\n", 0},
		{"node -e", "node: -e requires an argument\n", 9},
		{"node --test", "node: --test: not here: node is QuickJS in this sandbox: node FILE, -e CODE, -p CODE\n", 9},
		{"node nosuch.js", "node: Cannot find module '/nowhere/nosuch.js': No such file or directory\n", 1},
		{"node -e 1", "node: a JavaScript engine is not in this sandbox; its owner can add a plugin that has it: " +
			"terrarium plugins add qjs, for plain scripts\n", 127},
	} {
		var said strings.Builder
		env := tool.Env{Dir: "/nowhere", Stdout: &said, Stderr: &said, Environ: []string{"LC_ALL=C", "TMPDIR=" + t.TempDir()}}
		if status := tool.Run(Commands()[0], env, strings.Fields(test.args)); status != test.status || said.String() != test.said {
			t.Errorf("%s: got status %d, %q, want %d, %q", test.args, status, said.String(), test.status, test.said)
		}
	}
}
