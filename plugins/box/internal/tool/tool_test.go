package tool

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// endless writes until it is told to stop.
func endless(env *Env, args []string) int {
	for !env.Stopped() {
		env.Out.WriteString("y\n")
	}
	return 0
}

// copying reads its input to the end.
func copying(env *Env, args []string) int {
	return env.EachLine(args[1:], '\n', func(line []byte) {
		env.Out.Write(line)
		env.Out.WriteByte('\n')
	})
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestOutputBreaks(t *testing.T) {
	for _, tt := range []struct {
		err    error
		status int
		stderr string
	}{
		{syscall.EPIPE, 141, ""},
		{io.ErrClosedPipe, 141, ""},
		{syscall.ENOSPC, 1, "yes: write error: No space left on device\n"},
	} {
		var msg bytes.Buffer
		env := Env{Stdout: failing{tt.err}, Stderr: &msg}
		if got := Run(Command{Run: endless}, env, []string{"yes"}); got != tt.status || msg.String() != tt.stderr {
			t.Errorf("%v: got %v %q, want %v %q", tt.err, got, msg.String(), tt.status, tt.stderr)
		}
	}
}

// A command whose reader is gone reads no more, even if its input never ends.
func TestInputEndsWithOutput(t *testing.T) {
	in := strings.NewReader(strings.Repeat("line\n", 1<<20))
	env := Env{Stdin: in, Stdout: failing{syscall.EPIPE}, Stderr: io.Discard}
	if got := Run(Command{Run: copying}, env, []string{"cat"}); got != 141 {
		t.Errorf("got %v, want 141", got)
	}
	if in.Len() < 4<<20 {
		t.Errorf("%v bytes were left, want almost all", in.Len())
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	env := Env{Context: ctx, Stdout: io.Discard, Stderr: io.Discard}
	if got := Run(Command{Run: endless}, env, []string{"yes"}); got != 143 {
		t.Errorf("got %v, want 143", got)
	}
}

func TestMessages(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "f"), []byte("text\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	var out, msg bytes.Buffer
	env := Env{Stdout: &out, Stderr: &msg, Dir: dir}
	got := Run(Command{Run: copying}, env, []string{"cat", "f", "no such", "."})
	want := "cat: 'no such': No such file or directory\ncat: .: Is a directory\n"
	if got != 1 || out.String() != "text\n" || msg.String() != want {
		t.Errorf("got %v, %q, %q, want 1, text, %q", got, out.String(), msg.String(), want)
	}
}

func TestQuote(t *testing.T) {
	for in, want := range map[string]string{
		"plain": "plain", "a b": "'a b'", "it's": `"it's"`, "": "''", "~": "'~'", "a~": "a~", "x$y'": `'x$y'\'''`,
		"a\tb": `'a'$'\t''b'`, "é": "é", "\xff": `''$'\377'`,
	} {
		if got := QuoteName(in); got != want {
			t.Errorf("QuoteName(%q): got %s, want %s", in, got, want)
		}
	}
	ascii, utf8 := &Env{}, &Env{Environ: []string{"LANG=C.UTF-8"}}
	if got := ascii.Quote("a'b"); got != `'a\'b'` {
		t.Errorf("got %s", got)
	}
	if got := utf8.Quote("a'b"); got != "‘a'b’" {
		t.Errorf("got %s", got)
	}
}

func TestParseCount(t *testing.T) {
	for in, want := range map[string]int64{
		"0": 0, "12": 12, "1K": 1024, "1kB": 1000, "2MiB": 2 << 20, "b": 512, "K": 1024, "99999999999999999999": 1<<63 - 1,
		"1x": -1, "": -1, "-1": -1, "1KK": -1,
	} {
		n, ok := ParseCount(in)
		if !ok {
			n = -1
		}
		if n != want {
			t.Errorf("%q: got %v, want %v", in, n, want)
		}
	}
}

func TestStrerror(t *testing.T) {
	_, err := os.Open(filepath.Join(t.TempDir(), "nosuch"))
	for err, want := range map[error]string{
		err: "No such file or directory", syscall.EISDIR: "Is a directory", errors.New("other"): "other", os.ErrPermission: "Permission denied",
	} {
		if got := Strerror(err); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
