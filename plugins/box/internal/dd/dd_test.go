package dd

import (
	"io"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// TestShortBlocks reads what comes in pieces, as from a pipe.
func TestShortBlocks(t *testing.T) {
	for _, c := range []struct{ operands, stdout, stderr string }{
		{"bs=4 count=2", "abcd", "dd: warning: partial read (2 bytes); suggest iflag=fullblock\n0+2 records in\n0+2 records out\n"},
		{"bs=4 count=1", "ab", "0+1 records in\n0+1 records out\n"},
		{"bs=4", "abcde", "0+3 records in\n0+3 records out\n"},
		{"bs=4 count=2 iflag=fullblock", "abcde", "1+1 records in\n1+1 records out\n"},
		{"ibs=4 obs=3", "abcde", "0+3 records in\n1+1 records out\n"},
		{"bs=4 conv=sync count=1", "ab\x00\x00", "0+1 records in\n1+0 records out\n"},
		{"bs=3 conv=swab", "badce", "0+3 records in\n1+1 records out\n"},
	} {
		var stdout, stderr strings.Builder
		env := tool.Env{Stdin: &pieces{"ab", "cd", "e"}, Stdout: &stdout, Stderr: &stderr}
		args := append([]string{"dd", "status=noxfer"}, strings.Fields(c.operands)...)
		if status := tool.Run(Commands()[0], env, args); status != 0 {
			t.Errorf("%s: got status %d, want 0", c.operands, status)
		}
		if stdout.String() != c.stdout || stderr.String() != c.stderr {
			t.Errorf("%s: got %q, %q, want %q, %q", c.operands, stdout.String(), stderr.String(), c.stdout, c.stderr)
		}
	}
}

// pieces are read one by one.
type pieces []string

func (p *pieces) Read(b []byte) (int, error) {
	if len(*p) == 0 {
		return 0, io.EOF
	}
	n := copy(b, (*p)[0])
	*p = (*p)[1:]
	return n, nil
}
