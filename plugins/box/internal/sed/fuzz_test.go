package sed

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// FuzzScript runs scripts. None may panic, and each must end when it is told to.
func FuzzScript(f *testing.F) {
	for _, script := range []string{
		"p", "2,4d", "/a/,/b/{s/x/y/g;p}", "s/\\(a\\)*/[\\1]/2p", "y/abc/\\n\\\\x/", "a\\\nhi\\", ":a;N;$!ba;s/\\n/,/", "1~2!d",
		"0,/x/I{=;l 3}", "s,[,],x,", "${G;x;H}", "s/a/\\U&\\E\\l/e", "\\x[x]xd", "c\\", "}", "b;t x;:x", "i\\  a", "s/\\cA/\\d065\\x26/",
	} {
		f.Add(script, "a\nb c\n\nx")
	}
	f.Fuzz(func(t *testing.T, script, input string) {
		if len(script) > 100 || len(input) > 200 {
			return
		}
		for _, flags := range []string{"-n", "-E", "-z"} {
			// --sandbox keeps the script from files.
			run(t, []string{"sed", "--sandbox", flags, "-e", script}, input)
		}
	})
}

func run(t *testing.T, args []string, input string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	var out, msg bytes.Buffer
	limited := &limit{w: &out, n: 1 << 20}
	tool.Run(Commands()[0], tool.Env{Context: ctx, Stdin: strings.NewReader(input), Stdout: limited, Stderr: &msg, Dir: t.TempDir()}, args)
	return out.String()
}

// limit is a reader that goes away after n bytes.
type limit struct {
	w *bytes.Buffer
	n int
}

func (l *limit) Write(p []byte) (int, error) {
	if l.w.Len() > l.n {
		return 0, context.DeadlineExceeded
	}
	return l.w.Write(p)
}
