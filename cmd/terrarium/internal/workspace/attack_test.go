package workspace_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/workspace"
)

// A git index that somebody has written may have names that no index has: none of them is looked at
// outside, and none has the program fail.
func TestHostileNames(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"a": "1", "d/b": "2"})
	names := []string{"", ".", "..", "/", "//", "/etc/passwd", "../out", "d/../../out", "d/../a", "./a", "d//b", "a/", "a\x01", "d/b"}
	s, err := workspace.ScanNames(openRoot(t, dir), names, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := slices.Sorted(maps.Keys(s.Listing)); !slices.Equal(got, []string{"d/b"}) {
		t.Errorf("got %q, want d/b alone", got)
	}
	many := make([]string, workspace.MaxEntries+1)
	for i := range many {
		many[i] = ".git"
	}
	if _, err := workspace.ScanNames(openRoot(t, dir), many, nil); !errors.Is(err, workspace.ErrTooMany) {
		t.Errorf("got %v of names that are passed over, want %v", err, workspace.ErrTooMany)
	}
}

// Whoever makes a file where a new one comes keeps it, also when all was looked at: of what they
// have made nothing is lost, in their place or beside.
func TestMadeMeanwhile(t *testing.T) {
	const files, theirs = 200, "theirs"
	kept := 0
	for deadline := time.Now().Add(3 * time.Minute); kept == 0 && time.Now().Before(deadline); {
		dir := t.TempDir()
		var members []member
		for i := range files {
			members = append(members, file(fmt.Sprintf("f%03d", i), "new"))
		}
		in, err := workspace.Receive(openRoot(t, dir), pack(t, false, members...), workspace.Options{})
		if err != nil {
			t.Fatal(err)
		}
		made := make(chan []string)
		stop := make(chan struct{})
		go func() { // ends when it has tried all, or with stop
			var names []string
			defer func() { made <- names }()
			for { // until all was looked at, which the directory for what is old is made after
				if old, _ := filepath.Glob(filepath.Join(dir, ".terrarium-workspace-*", "old")); len(old) > 0 {
					break
				}
				select {
				case <-stop:
					return
				default:
				}
			}
			for i := files - 1; i >= 0; i-- {
				name := filepath.Join(dir, fmt.Sprintf("f%03d", i))
				f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
				if err == nil {
					names = append(names, name)
					f.WriteString(theirs)
					f.Close()
				}
				select {
				case <-stop:
					return
				default:
				}
			}
		}()
		err = in.Commit()
		close(stop)
		for _, name := range <-made {
			if text, readErr := os.ReadFile(name); readErr != nil || string(text) != theirs {
				t.Errorf("%s: got %q and %v, want %q; the commit: %v", name, text, readErr, theirs, err)
			}
			kept++
		}
		if err := in.Close(); err != nil {
			t.Error(err)
		}
	}
	if kept == 0 {
		t.Error("nobody came in between")
	}
}

// What a far side says of what stays there is bounded, and of kinds that we know.
func TestHostileLeft(t *testing.T) {
	for name, text := range map[string]string{
		"no JSON":     "pipes",
		"cut off":     `[{"kind":"pipes","count":1,"names":["a"]}`,
		"unknown":     `[{"kind":"all is well","count":1,"names":["a"]}]`,
		"twice":       `[{"kind":"pipes","count":1,"names":["a"]},{"kind":"pipes","count":1,"names":["a"]}]`,
		"none":        `[{"kind":"pipes","count":0,"names":[]}]`,
		"negative":    `[{"kind":"pipes","count":-1,"names":[]}]`,
		"too many":    `[{"kind":"pipes","count":200001,"names":["a","b","c"]}]`,
		"other names": `[{"kind":"pipes","count":1,"names":["a","b"]}]`,
		"long":        `[{"kind":"pipes","count":1,"names":["` + strings.Repeat("a", 1<<17) + `"]}]`,
	} {
		if l, err := workspace.ReadLeft(strings.NewReader(text)); err == nil {
			t.Errorf("%s: got %v, want it refused", name, l)
		}
	}
	long := strings.NewReader("[]" + strings.Repeat(" ", 1<<20))
	if l, err := workspace.ReadLeft(long); err == nil || long.Len() == 0 {
		t.Errorf("got %v and %v, and %d bytes that were not read, want it refused before all was read", l, err, long.Len())
	}
	if l, err := workspace.ReadLeft(strings.NewReader("[]")); err != nil || len(l) > 0 {
		t.Errorf("got %v and %v, want nothing", l, err)
	}
}
