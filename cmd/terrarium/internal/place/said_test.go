package place_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/place"
	"github.com/terrarium-dev/terrarium/core/driver/remote"
)

// What a program says while it carries a connection is told, a line each, fit to be shown, and not
// without bounds. What it has said before is not, but for what a terrarium says.
func TestSaid(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(relayVariable, serve(t, dir))
	more := filepath.Join(dir, "more")
	standIn(t, "ssh", `echo 'Welcome to box' >&2; echo 'terrarium: no limit of memory here' >&2
( while ! test -e '`+more+`'; do sleep 0.01; done
  printf 'a\033[2Jb\r\n\n' >&2; head -c 3000 /dev/zero | tr '\0' x >&2; echo >&2
  i=0; while [ $i -lt 3000 ]; do echo line $i; i=$((i+1)); done >&2
  sleep 2; echo the last >&2 ) &
exec '`+os.Args[0]+`'`)
	lines := make(chan string, 4000)
	d := dialer(t, "ssh:box", "terrarium")
	d.Said = func(line string) { lines <- line }
	began := time.Now()
	host, err := remote.Connect(t.Context(), remote.Config{Dial: d.Dial})
	if err != nil {
		t.Fatal(d.Explain(t.Context(), err))
	}
	defer host.Close()
	d.Made()
	next := func() string {
		t.Helper()
		select {
		case line := <-lines:
			return line
		case <-time.After(patience):
			t.Fatal("no line is told")
		}
		return ""
	}
	if line := next(); line != "ssh:box says: no limit of memory here" {
		t.Errorf("got %q, want what the terrarium has said, and who it is", line)
	}
	if err := os.WriteFile(more, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if line := next(); line != `ssh:box says: a\x1b[2Jb` {
		t.Errorf("got %q, want it without what a terminal obeys", line)
	}
	if line := next(); line != "ssh:box says: "+strings.Repeat("x", 400) {
		t.Errorf("got %q, want 400 of its bytes", line)
	}
	told, leftOut := 0, false
	for {
		line := next()
		if line == "ssh:box says: the last" {
			break
		}
		leftOut = leftOut || strings.HasPrefix(line, "ssh:box says more: ") && strings.HasSuffix(line, " lines are left out")
		told++
	}
	if most := 25 + 2*int(time.Since(began)/time.Second); told > most || !leftOut {
		t.Errorf("got %d of 3000 lines told, want at most %d, and how many are left out", told, most)
	}
}

// What a program has said before, such as a banner or what was told, is not why a link has broken:
// then it is how the program has ended.
func TestReasonOfCut(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(relayVariable, serve(t, dir))
	talk, end := filepath.Join(dir, "talk"), filepath.Join(dir, "end")
	standIn(t, "ssh", `test -e '`+talk+`' && exec '`+os.Args[0]+`'
echo 'Welcome to box' >&2
( until test -e '`+talk+`'; do sleep 0.01; done; echo 'the weather is fine' >&2
  until test -e '`+end+`'; do sleep 0.01; done; kill -9 $$ ) &
exec '`+os.Args[0]+`'`)
	said, states := make(chan string, 8), make(chan remote.State, 8)
	d := dialer(t, "ssh:box", "terrarium")
	d.Said = func(line string) { said <- line }
	host, err := remote.Connect(t.Context(), remote.Config{Dial: d.Dial, OnState: func(s remote.State) { states <- s }})
	if err != nil {
		t.Fatal(d.Explain(t.Context(), err))
	}
	defer host.Close()
	d.Made()
	if err := os.WriteFile(talk, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for line := range said {
		if line == "ssh:box says: the weather is fine" {
			break
		}
	}
	if err := os.WriteFile(end, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	s := <-states
	if got, want := s.Err.Error(), "ssh:box: ssh was killed"; s.Link != remote.Reconnecting || got != want {
		t.Errorf("got %v and %q, want reconnecting and %q", s.Link, got, want)
	}
}

// What a program has said last, or looks like from what it has said, can be told from our own words
// for how it has ended.
func TestIsSaid(t *testing.T) {
	for script, want := range map[string]bool{
		"echo 'terrarium: ssh was killed' >&2; exit 1":               true,
		`printf 'panic: no\n\ngoroutine 1 [running]:\n' >&2; exit 2`: true,
		"kill -9 $$": false,
		"exit 3":     false,
	} {
		standIn(t, "ssh", script)
		err := connect(t, dialer(t, "ssh:box", "terrarium"))
		if f, ok := errors.AsType[*place.Failure](err); !ok || f.IsSaid() != want {
			t.Errorf("%s: got %v, want that it is said: %v", script, err, want)
		}
	}
}
