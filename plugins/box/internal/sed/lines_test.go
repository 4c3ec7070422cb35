package sed

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// TestLinesByNumber checks that what is behind the last line that a script names is read, and
// neither printed nor lost.
func TestLinesByNumber(t *testing.T) {
	var text strings.Builder
	for i := range 20_000 {
		text.WriteString(strings.Repeat("x", i%7) + "\n")
	}
	for _, test := range []struct{ script, want string }{
		{"2p", "x\n"},
		{"2,3p", "x\nxx\n"},
		{"2,+1p", "x\nxx\n"},
		{"3,1p", "xx\n"},
		{"2{p;p}", "x\nx\n"},
		{"2bx;d;:x;p", "x\n"},
		{"20000p", "\n"},
		{"2,/xxx/p", "x\nxx\nxxx\n"},
		{"1!{2p}", "x\n"},
		{"2p;$=", "x\n20000\n"},
		{"2{N;N;P}", "x\n"},
	} {
		in := strings.NewReader(text.String())
		var out, messages bytes.Buffer
		env := tool.Env{Context: context.Background(), Stdin: in, Stdout: &out, Stderr: &messages, Dir: "/"}
		status := tool.Run(Commands()[0], env, []string{"sed", "-n", test.script})
		if status != 0 || out.String() != test.want || in.Len() > 0 {
			t.Errorf("%s: got %d, %q and %q, want %q; %d bytes were not read", test.script, status, &out, &messages, test.want, in.Len())
		}
	}
}
