package find

import (
	"context"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// FuzzExpression checks that every expression is read or refused. Those that write, remove or start
// anything are left out.
func FuzzExpression(f *testing.F) {
	for _, s := range []string{
		"( -name a -o -type f ) -print", "! ! -empty", "-name x , -size +3k", "-perm -u+x -mtime -1", "( ( ( )", "-o", "-a", "-type f,d,",
		"-newermt yesterday", "-regex .*\\.go", "-maxdepth 1 -mindepth 2", ") (", "-printf %p%n%10T@", "-not", "-size +", "-user root",
	} {
		f.Add(s)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, s string) {
		for _, bad := range []string{"-delete", "exec", "-ok", "-fprint", "-fls", "/"} {
			if strings.Contains(s, bad) {
				return
			}
		}
		var out, complaints strings.Builder
		env := tool.Env{Context: context.Background(), Stdin: strings.NewReader(""), Stdout: &out, Stderr: &complaints, Dir: dir}
		status := tool.Run(Commands()[0], env, append([]string{"find", "."}, strings.Fields(s)...))
		if status != 0 && complaints.Len() == 0 {
			t.Errorf("find . %s: status %d without a message", s, status)
		}
	})
}
