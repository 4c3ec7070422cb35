package bc

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

func runProgram(ctx context.Context, dir, program string) (stdout, stderr string) {
	var out, msg bytes.Buffer
	tool.Run(Commands()[0], tool.Env{Context: ctx, Stdin: strings.NewReader(program), Stdout: &out, Stderr: &msg, Dir: dir}, []string{"bc", "-l"})
	return out.String(), msg.String()
}

// TestLimits runs programs that would not end.
func TestLimits(t *testing.T) {
	for _, test := range []struct{ program, want string }{
		{"9^9^9^9\n", "number too large"},
		{"10^10000000\n", "number too large"},
		{"define f(x) { return f(x) }\nf(1)\n", "functions call each other too deep"},
		{strings.Repeat("(", 5000) + "\n", "nested too deep"},
		{"e(10^9)\n", "number too large"},
		{"scale=99999\ns(1)\n", "scale too large"},
	} {
		if _, stderr := runProgram(t.Context(), t.TempDir(), test.program); !strings.Contains(stderr, test.want) {
			t.Errorf("%.30q: got %q, want %q", test.program, stderr, test.want)
		}
	}
}

// FuzzRun runs programs. None may panic, or go on when it is told to end.
func FuzzRun(f *testing.F) {
	for _, program := range []string{
		"1+2*3^-2%4\n", "define f(x,a[]) { auto i; return (x+a[i]) }\nf(1,b[])\n", "for(;;) if (i++>3) break else continue\n", "obase=16;ibase=2;.101/3\n",
		"s(1)+c(2)-l(3)*e(4)/a(5)^j(1,2)\n", "print \"a\\n\",1\n", "a=b+=c++ - --d\n", "\"x", "/* ", "{;}\n", "scale=9;sqrt(2.5)\n", "read()\n1.5\n", "length(scale(.001))\n", "obase=99;12345.678\n",
	} {
		f.Add(program)
	}
	f.Fuzz(func(t *testing.T, program string) {
		if len(program) > 100 {
			return
		}
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		runProgram(ctx, t.TempDir(), program)
	})
}
