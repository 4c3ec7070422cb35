package awk

import (
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// TestGrowth appends to strings step by step. Copied for each step, they would take 200 MB and
// more; TestLinear of the box does not see that, since copying takes hardly any fuel.
func TestGrowth(t *testing.T) {
	const most = 8 << 20
	for _, program := range []string{
		`BEGIN { for (i = 0; i < 20000; i++) s = s "x" }`,
		`BEGIN { for (i = 0; i < 20000; i++) { a[1] = a[1] "," i; t = t "x" } }`,
		`BEGIN { for (i = 0; i < 20000; i++) { s = s "x"; if (i % 5000 == 0) t = s "y" } }`,
		`function f(s) { for (i = 0; i < 20000; i++) s = s "x"; return s } BEGIN { f("") }`,
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		var msg strings.Builder
		status := tool.Run(Commands()[0], tool.Env{
			Context: t.Context(), Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: &msg, Dir: t.TempDir(),
		}, []string{"awk", program})
		runtime.ReadMemStats(&after)
		if status != 0 || msg.Len() > 0 {
			t.Errorf("%s: status %d, %s", program, status, msg.String())
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > most {
			t.Errorf("%s: allocates %d bytes, want at most %d", program, took, most)
		}
	}
}
