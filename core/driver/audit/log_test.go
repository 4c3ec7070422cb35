//go:build linux || darwin

package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core"
)

// example is an event with every field.
func example(i int) *Event {
	return &Event{
		Time: time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC), Mono: time.Second, HostID: "H", Event: Exit, Session: "s@p", Terminal: "t1",
		Agent: Agent{"zed", "1"}, Argv: []string{"echo", fmt.Sprint(i)}, Exec: core.ViaShell, Commands: [][]string{{"echo", "x"}, {"true"}},
		Cwd: "/src", EnvNames: []string{"A", "B"}, RuleID: "r", Decision: "allow", By: "rule", Sandbox: "off",
		Limits: Limits{time.Second, 10}, Pid: 7, Cgroup: "/c", Status: &core.ExitStatus{ExitCode: 3}, Reason: "timeout",
		Duration: time.Second, BytesOut: 5, Truncated: true, Usage: core.Usage{UserTime: time.Second, MaxRSS: 9}, TraceID: "ab", SpanID: "cd",
	}
}

func newLog(t testing.TB, name string, c LogConfig) *Log {
	t.Helper()
	l, err := Open(name, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func add(t testing.TB, l *Log, n int) (hashes []string) {
	t.Helper()
	for i := range n {
		e := example(i)
		if err := l.Append(e); err != nil {
			t.Fatal(err)
		}
		hashes = append(hashes, e.Hash)
	}
	return hashes
}

// verifyFiles verifies a record and returns what is wrong with it.
func verifyFiles(name, head string) (Summary, error) {
	files, err := Files(name)
	if err != nil {
		return Summary{}, err
	}
	v := Verifier{Head: head}
	for _, f := range files {
		defer f.Close()
		if err := v.Verify(filepath.Base(f.Name()), f); err != nil {
			return Summary{}, err
		}
	}
	return v.Summary()
}

func verifyBytes(p []byte, head string) (Summary, error) {
	v := Verifier{Head: head}
	if err := v.Verify("F", bytes.NewReader(p)); err != nil {
		return Summary{}, err
	}
	return v.Summary()
}

func TestLine(t *testing.T) {
	name := filepath.Join(t.TempDir(), "F")
	add(t, newLog(t, name, LogConfig{}), 1)
	got, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	body, _, _ := strings.Cut(string(got), `,"prev":`)
	want := `{"seq":1,"event":"exit","ts":"2026-01-02T03:04:05.000000006Z","host_id":"H","mono_ns":1000000000,` +
		`"session_id":"s@p","terminal_id":"t1","agent":{"name":"zed","version":"1"},"argv":["echo","0"],"exec":"shell",` +
		`"commands":[["echo","x"],["true"]],"cwd":"/src","env_names":["A","B"],"rule_id":"r","decision":"allow","by":"rule",` +
		`"sandbox":"off","limits":{"timeout_ms":1000,"output_bytes":10},"pid":7,"cgroup":"/c","exit_code":3,"reason":"timeout",` +
		`"dur_ms":1000,"bytes_out":5,"truncated":true,"rusage":{"utime_us":1000000,"maxrss":9},"trace_id":"ab","span_id":"cd"`
	if body != want {
		t.Errorf("got\n%s\nwant\n%s", body, want)
	}
	info, _ := os.Stat(name)
	if info.Mode().Perm() != 0o600 {
		t.Errorf("got mode %v, want 0600", info.Mode())
	}
}

// Whatever is asked, a line is short JSON that shows nothing to a terminal, and what is not whole
// has the hash of the whole.
func TestLongLine(t *testing.T) {
	tests := map[string][]string{
		"long":       {"echo", strings.Repeat("x", 1<<20)},
		"many":       strings.Split(strings.Repeat("word ", 100_000), " "),
		"controls":   {strings.Repeat("\x1b\x00\u202e\u0085\U000e0041", 2000)},
		"quotes":     {strings.Repeat(`"\`, 4000)},
		"not UTF-8":  {"a\xffb"},
		"wide":       {strings.Repeat("漢", 3000)},
		"short":      {"echo", "\x1b[31m\u202e\u2028", `"\`, "漢", "é"},
		"empty ones": make([]string, 5000),
	}
	for name, argv := range tests {
		e := example(0)
		e.Prev, e.Argv, e.Commands = noHash, argv, [][]string{argv, argv}
		e.Cwd, e.Reason, e.EnvNames, e.Session = strings.Repeat("/d", 5000), strings.Repeat("r", 5000), argv, core.SessionID(strings.Repeat("s", 5000))
		if name == "short" || name == "not UTF-8" {
			e = example(0)
			e.Prev, e.Argv = noHash, argv
		}
		line := appendLine(nil, e)
		var got struct {
			Argv  []string
			Whole map[string]string
		}
		if err := json.Unmarshal(line, &got); err != nil || len(line) > maxLine {
			t.Errorf("%s: got %d bytes: %v", name, len(line), err)
			continue
		}
		if _, wrong := parse(line[:len(line)-1]); wrong != "" {
			t.Errorf("%s: %s", name, wrong)
		}
		for _, r := range string(line[:len(line)-1]) {
			if r < ' ' || r == '\u202e' || r == '\u2028' || r == '\u0085' {
				t.Fatalf("%s: got %q raw", name, r)
			}
		}
		if name == "short" {
			if !slices.Equal(got.Argv, argv) || got.Whole != nil {
				t.Errorf("got %q and %v, want %q", got.Argv, got.Whole, argv)
			}
			continue
		}
		h := sha256.New()
		for _, a := range argv {
			io.WriteString(h, a+"\x00")
		}
		if want := "sha256:" + hex.EncodeToString(h.Sum(nil)); got.Whole["argv"] != want {
			t.Errorf("%s: got %v, want argv to be %s", name, got.Whole, want)
		}
	}
}

// A line that is changed, removed or moved is found; a cut tail is, given the head.
func TestVerifyFinds(t *testing.T) {
	const n = 20
	name := filepath.Join(t.TempDir(), "F")
	hashes := add(t, newLog(t, name, LogConfig{}), n)
	whole, _ := os.ReadFile(name)
	if s, err := verifyBytes(whole, hashes[3]); err != nil || s.Lines != n || s.Head != hashes[n-1] || s.First != 1 || s.Last != n {
		t.Fatalf("got %+v, %v", s, err)
	}
	lines := slices.Collect(strings.Lines(string(whole)))
	check := func(what string, changed []string, line int64) {
		t.Helper()
		_, err := verifyBytes([]byte(strings.Join(changed, "")), "")
		if bad, ok := errors.AsType[*BadLine](err); !ok || bad.Line != line {
			t.Errorf("%s: got %v, want line %d", what, err, line)
		}
	}
	for i := range lines {
		line := int64(i + 1)
		for _, old := range []string{"echo", `"ts":"2026`, `"prev":"`, `"hash":"`, "}\n"} {
			changed := slices.Clone(lines)
			changed[i] = strings.Replace(lines[i], old, "x", 1)
			if old == "}\n" && i < n-1 {
				changed[i] = strings.Replace(lines[i], old, "]\n", 1)
			}
			if old == "}\n" && i == n-1 {
				continue // a line in flight
			}
			check(fmt.Sprint("change of ", old, " in ", line), changed, line)
		}
		if i < n-1 {
			check(fmt.Sprint("removal of ", line), slices.Delete(slices.Clone(lines), i, i+1), line)
			swapped := slices.Clone(lines)
			swapped[i], swapped[i+1] = lines[i+1], lines[i]
			check(fmt.Sprint("swap of ", line), swapped, line)
		}
		check(fmt.Sprint("again ", line), slices.Insert(slices.Clone(lines), i, lines[i]), line+1)
		cut := []byte(strings.Join(lines[:i], ""))
		if _, err := verifyBytes(cut, ""); err != nil {
			t.Errorf("tail from %d on cut: got %v: it can't be known", line, err)
		}
		if _, err := verifyBytes(cut, hashes[n-1]); err != ErrNoHead {
			t.Errorf("tail from %d on cut: got %v, want %v", line, err, ErrNoHead)
		}
	}
}

// What is in flight at the end is the begin of one line: a whole line whose line break was changed
// is not, nor is what is longer than any line.
func TestVerifyInFlight(t *testing.T) {
	whole := lines(2)
	next := lines(3)[len(whole):]
	for _, n := range []int{0, 1, 20, len(next) - 1} {
		p := append(bytes.Clone(whole), next[:n]...)
		if s, err := verifyBytes(p, ""); err != nil || s.Lines+s.Torn < 2 {
			t.Errorf("%d bytes in flight: got %+v, %v", n, s, err)
		}
		for b := range 256 {
			p[len(whole)-1] = byte(b)
			if _, err := verifyBytes(p, ""); err == nil && b != '\n' {
				t.Errorf("before %d bytes in flight the line break is %q: not found", n, byte(b))
			}
		}
	}
	p := append(bytes.Clone(whole), next[:20]...)
	if _, err := verifyBytes(append(p, strings.Repeat("x", maxLine)...), ""); err == nil {
		t.Error("a line in flight that is too long is not found")
	}
}

// What a kill leaves of a line is told of by the next event, and may be there at the end. Nothing
// else may.
func TestTorn(t *testing.T) {
	name := filepath.Join(t.TempDir(), "F")
	for cut := 1; cut < 700; cut += 13 {
		os.Remove(name)
		first := newLog(t, name, LogConfig{})
		add(t, first, 2)
		info, _ := os.Stat(name)
		if err := os.Truncate(name, info.Size()-int64(cut%int(info.Size()/2))); err != nil {
			t.Fatal(err)
		}
		if s, err := verifyFiles(name, ""); err != nil || s.Lines+s.Torn != 2 {
			t.Fatalf("cut by %d: got %+v, %v", cut, s, err)
		}
		add(t, newLog(t, name, LogConfig{}), 1)
		add(t, first, 1)
		s, err := verifyFiles(name, "")
		// A Recover is among them, and another one by whose line that was.
		if err != nil || s.Lines+s.Torn != 5+s.Torn {
			t.Fatalf("after a cut by %d: got %+v, %v", cut, s, err)
		}
		if s.Torn == 0 {
			continue
		}
		p, _ := os.ReadFile(name)
		at := bytes.IndexByte(p, '\n') + 5 // in the torn line
		p[at] ^= 1
		if _, err := verifyBytes(p, ""); err == nil {
			t.Fatalf("cut by %d: a change of the torn line is not found", cut)
		}
	}
	// The first line, too; but not a file of somebody's own.
	for content, ok := range map[string]bool{`{"seq":1,"ev`: true, "": true, "hello": false, "hello\n": false, "{}\n{}\n": false} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		l, err := Open(name, LogConfig{})
		if (err == nil) != ok {
			t.Errorf("%q: got %v", content, err)
		}
		if err == nil {
			add(t, l, 2)
			if s, err := verifyFiles(name, ""); err != nil || s.Lines < 2 {
				t.Errorf("%q: got %+v, %v", content, s, err)
			}
			l.Close()
		} else if p, _ := os.ReadFile(name); string(p) != content {
			t.Errorf("got %q, want it as it was", p)
		}
	}
}

// The chain goes on over rotation, and only so many files are kept.
func TestRotate(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "F")
	l := newLog(t, name, LogConfig{MaxBytes: 3000, Keep: 3})
	hashes := add(t, l, 30)
	entries, _ := os.ReadDir(dir)
	if got := fmt.Sprint(entries); len(entries) != 4 {
		t.Errorf("got %s, want F and F.1 to F.3", got)
	}
	s, err := verifyFiles(name, hashes[29])
	if err != nil || s.Last <= 30 || s.Lines >= 30 || s.First == 1 || s.After == "" {
		t.Errorf("got %+v, %v", s, err)
	}
	if _, err := verifyFiles(name, hashes[0]); err != ErrNoHead {
		t.Errorf("got %v, want %v", err, ErrNoHead)
	}
	for _, e := range entries {
		if info, _ := e.Info(); info.Size() > 3000 || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: got %d bytes, %v", e.Name(), info.Size(), info.Mode())
		}
	}
	// Without one in the middle, or with its last line gone, the chain is broken.
	middle := numbered(name, 2)
	p, _ := os.ReadFile(middle)
	os.WriteFile(middle, p[:bytes.LastIndexByte(p[:len(p)-1], '\n')+1], 0o600)
	if _, err := verifyFiles(name, ""); err == nil {
		t.Error("a cut between two files is not found")
	}
	os.Remove(middle)
	if _, err := verifyFiles(name, ""); err == nil {
		t.Error("a missing file is not found")
	}
	// Who comes back to a file that was taken away goes on in another.
	os.Remove(name)
	last := add(t, l, 1)
	p, _ = os.ReadFile(name)
	if s, err := verifyBytes(p, last[0]); err != nil || s.Lines != 2 || s.After != hashes[29] {
		t.Errorf("got %+v, %v", s, err)
	}
}

// Crashes while a file is rotated lose nothing.
func TestRotateCrash(t *testing.T) {
	crashes := map[string]func(name string){
		"before the new file": func(name string) { os.WriteFile(name+".new", []byte("torn"), 0o600) },
		"before the link": func(name string) {
			os.Rename(name+".2", name+".3")
			os.Rename(name+".1", name+".2")
			os.WriteFile(name+".new", []byte("torn"), 0o600)
		},
		"before the rename": func(name string) {
			os.Rename(name+".2", name+".3")
			os.Rename(name+".1", name+".2")
			os.Link(name, name+".1")
		},
	}
	for what, crash := range crashes {
		name := filepath.Join(t.TempDir(), "F")
		l := newLog(t, name, LogConfig{MaxBytes: 3000})
		add(t, l, 10)
		before, err := verifyFiles(name, "")
		if err != nil {
			t.Fatal(err)
		}
		crash(name)
		if s, err := verifyFiles(name, ""); err != nil || s != before {
			t.Errorf("crash %s: got %+v, %v, want %+v", what, s, err, before)
		}
		add(t, l, 10)
		if s, err := verifyFiles(name, before.Head); err != nil || s.First != 1 || s.Last < before.Last+10 {
			t.Errorf("after a crash %s: got %+v, %v", what, s, err)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	add(t, newLog(t, file, LogConfig{}), 1)
	open := filepath.Join(dir, "open")
	wide := filepath.Join(dir, "wide")
	link, fifo := filepath.Join(dir, "link"), filepath.Join(dir, "fifo")
	for _, err := range []error{
		os.Symlink(file, link), syscall.Mkfifo(fifo, 0o600), os.Mkdir(wide, 0o777), os.Chmod(wide, 0o777),
		os.WriteFile(open, nil, 0o600), os.Chmod(open, 0o622),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{
		link: "a symbolic link", fifo: "a FIFO", "/dev/null": "a device", dir: "a directory",
		filepath.Join(wide, "F"): "everybody may write", open: "others may write it", filepath.Join(dir, "none", "F"): "no such",
	} {
		if _, err := Open(name, LogConfig{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", name, err, want)
		}
	}
}

// appendVariable has the test binary append to a file until it is killed, or as often as it says.
const appendVariable = "AUDIT_TEST_APPEND"

func TestMain(m *testing.M) {
	name := os.Getenv(appendVariable)
	if name == "" {
		os.Exit(m.Run())
	}
	l, err := Open(name, LogConfig{MaxBytes: 100_000, Keep: 1000})
	if err == nil {
		l.patience = time.Minute // with nine others, of which each may stand still for a moment
	}
	fmt.Println("ready")
	for i := 0; err == nil && (len(os.Args) < 2 || i < 100); i++ {
		err = l.Append(example(i))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func appender(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), appendVariable+"="+name)
	cmd.Stderr = os.Stderr
	return cmd
}

// Ten programs append, and not a line is lost.
func TestManyPrograms(t *testing.T) {
	name := filepath.Join(t.TempDir(), "F")
	var programs sync.WaitGroup
	for range 10 {
		programs.Go(func() {
			if err := appender(name, "100").Run(); err != nil {
				t.Error(err)
			}
		})
	}
	programs.Wait()
	s, err := verifyFiles(name, "")
	files, _ := Files(name)
	if err != nil || s.Torn != 0 || s.Last != uint64(1000+len(files)-1) {
		t.Errorf("got %+v, %v of %d files, want 1000 events and a rotation for each other file", s, err, len(files))
	}
	for _, f := range files {
		f.Close()
	}
}

// kill -9 at any moment leaves a file that verifies, but for the event in flight.
func TestKilled(t *testing.T) {
	kills := 20
	if os.Getenv("TERRARIUM_LONG") != "" {
		kills = 200
	}
	name := filepath.Join(t.TempDir(), "F")
	var lines int64
	for range kills {
		cmd := appender(name)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		io.ReadFull(out, make([]byte, len("ready\n")))
		// A moment that depends on nothing in the program: that is what this is about.
		time.Sleep(time.Duration(rand.Int64N(int64(10 * time.Millisecond))))
		cmd.Process.Kill()
		cmd.Wait()
		s, err := verifyFiles(name, "")
		if err != nil {
			t.Fatalf("after %d lines: %v", lines, err)
		}
		lines = s.Lines
	}
	if lines == 0 {
		t.Error("nothing was ever written")
	}
	t.Logf("%d kills, %d lines", kills, lines)
}

// One who keeps the file locked is waited for once, and not for each event again.
func TestLocked(t *testing.T) {
	name := filepath.Join(t.TempDir(), "F")
	l := newLog(t, name, LogConfig{})
	l.patience = 200 * time.Millisecond
	other, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if err := syscall.Flock(int(other.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	for i := range 100 {
		if err := l.Append(example(i)); !errors.Is(err, errLocked) {
			t.Fatalf("got %v, want %v", err, errLocked)
		}
	}
	if took := time.Since(began); took > 50*l.patience {
		t.Errorf("100 events took %v", took)
	}
	syscall.Flock(int(other.Fd()), syscall.LOCK_UN)
	add(t, l, 1)
	if s, err := verifyFiles(name, ""); err != nil || s.Lines != 2 {
		t.Errorf("got %+v, %v, want a recover event and another", s, err)
	}
}

// Who has a record open says what was taken away from it meanwhile, by another program.
func TestLinesGone(t *testing.T) {
	for what, c := range map[string]struct {
		keep int  // lines that are left
		add  int  // lines that another writes then
		copy bool // in a file that takes the place of this one
		want string
	}{
		"cut":                   {3, 0, false, "lines 4 to 5 that were written are gone"},
		"cut and replaced":      {3, 0, true, "lines 4 to 5 that were written are gone"},
		"written anew":          {4, 1, false, "line 5 that was written is gone"},
		"written anew and more": {3, 4, false, "line 5 that was written is gone"},
		"nothing":               {5, 0, false, ""},
		"more by another":       {5, 3, false, ""},
		"copied":                {5, 0, true, ""},
	} {
		name := filepath.Join(t.TempDir(), "F")
		l := newLog(t, name, LogConfig{})
		add(t, l, 5)
		p, _ := os.ReadFile(name)
		kept := bytes.Join(bytes.SplitAfter(p, []byte{'\n'})[:c.keep], nil)
		if c.copy {
			os.Remove(name)
		} else if err := os.Truncate(name, int64(len(kept))); err != nil {
			t.Fatal(err)
		}
		if c.copy {
			if err := os.WriteFile(name, kept, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		other := newLog(t, name, LogConfig{})
		for range c.add {
			e := example(77)
			if err := other.Append(e); err != nil {
				t.Fatal(err)
			}
		}
		add(t, l, 2)
		s, err := verifyFiles(name, "")
		p, _ = os.ReadFile(name)
		told := strings.Count(string(p), `"event":"recover"`)
		if err != nil || told != min(len(c.want), 1) || !strings.Contains(string(p), c.want) || s.Lines != int64(c.keep+c.add+told+2) {
			t.Errorf("%s: got %+v, %v, %d recover events in\n%s", what, s, err, told, p)
		}
	}
}
