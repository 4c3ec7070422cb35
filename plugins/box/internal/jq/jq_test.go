package jq

import (
	"bytes"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

func runProgram(t *testing.T, program string) (stdout, stderr string, status int) {
	t.Helper()
	var out, msg bytes.Buffer
	status = tool.Run(Commands()[0], tool.Env{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &msg, Dir: t.TempDir()}, []string{"jq", "-n", "-c", program})
	return out.String(), msg.String(), status
}

// TestLimits runs programs that would not end.
func TestLimits(t *testing.T) {
	for _, test := range []struct{ program, want string }{
		{`def f: f; f`, "functions call each other too deep"},
		{`def f: . + 1 | f; 0 | f`, "functions call each other too deep"},
		{`[limit(20000; def f: ., f; f)] | length`, "functions call each other too deep"},
		{`"x" * 1e9`, "value is too large"},
		{`[.] | .[1e9] = 1`, "value is too large"},
		{strings.Repeat("[", 5000) + strings.Repeat("]", 5000), "program is nested too deep"},
	} {
		_, stderr, status := runProgram(t, test.program)
		if !strings.Contains(stderr, test.want) || status == 0 {
			t.Errorf("%.40s: got status %d, %q, want %q", test.program, status, stderr, test.want)
		}
	}
}

// TestShared adds to arrays and objects that others have too.
func TestShared(t *testing.T) {
	for _, test := range []struct{ program, want string }{
		{`([1] + [2]) as $a | ($a + [3]) as $b | ($a + [4]), ($b + [5]), $a, $b`, "[1,2,4]\n[1,2,3,5]\n[1,2]\n[1,2,3]\n"},
		{`{a: 1} | (.b = 1 | .c = 2) as $x | ($x | .d = 3), ($x | .e = 4 | .a = 5), $x`, "{\"a\":1,\"b\":1,\"c\":2,\"d\":3}\n{\"a\":5,\"b\":1,\"c\":2,\"e\":4}\n{\"a\":1,\"b\":1,\"c\":2}\n"},
		{`reduce range(30) as $i ({}; .["k\($i)"] = $i) | (.x = 1), (.y = 1 | .k3 = 0), . | [has("x"), has("y"), .k3, length]`, "[true,false,3,31]\n[false,true,0,31]\n[false,false,3,30]\n"},
		{`reduce range(100000) as $i ([]; . + [$i]) | length`, "100000\n"},
		{`[range(20000) | {"k\(.)": .}] | add | length`, "20000\n"},
	} {
		stdout, stderr, _ := runProgram(t, test.program)
		if stdout != test.want {
			t.Errorf("%s: got %q, %q, want %q", test.program, stdout, stderr, test.want)
		}
	}
}
