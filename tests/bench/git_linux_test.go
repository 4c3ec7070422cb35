package bench

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/hostwasm"
	"github.com/terrarium-dev/terrarium/plugins"
)

// gitLines are what agents ask git for, most often of all.
var gitLines = []string{
	"log",
	"log --oneline",
	"log --oneline -20",
	"log -5",
	"log --stat -20",
	"log -p -20",
	"log --oneline -- dir3",
	"show HEAD~7",
	"status --short",
	"diff",
	"diff --stat",
	"diff HEAD~20",
	"diff --stat HEAD~300",
}

// BenchmarkGit is git in the sandbox, in a session's worker, and the machine's own, in turns: from
// start to exit, in a repository of 400 commits to 200 files.
//
//	go test -run '^$' -bench BenchmarkGit -benchtime 1x ./tests/bench
func BenchmarkGit(b *testing.B) {
	const turns = 5
	native, err := exec.LookPath("git")
	if err != nil {
		b.Skip("skipped: ", err)
	}
	work := b.TempDir()
	makeHistory(b, native, work)
	h := wasmHost(b, gitCommands(b), true)
	t := &table{
		title:  fmt.Sprintf("git, start to exit; medians of %d, in turns", turns),
		header: []string{"", "the machine's, ms", "in the sandbox, ms", "", "aim", "fuel, millions"},
	}
	tables = append(tables, t)
	for _, line := range gitLines {
		b.Run(line, func(b *testing.B) {
			args := append([]string{"--no-pager"}, strings.Fields(line)...)
			var theirs, ours []time.Duration
			var fuel uint64
			for turn := range turns + 1 { // the first does what is done once
				took, want := runGit(b, native, work, args)
				s := &wasmSession{host: h, id: "session"}
				s.command = core.Command{Command: "git", Args: args, Cwd: work, Roots: []string{work}}
				var got bytes.Buffer
				begin := time.Now()
				p := s.start(b, s.resolve(b))
				fuel = finish(b, p, &got)
				if turn > 0 {
					theirs, ours = append(theirs, took), append(ours, time.Since(begin))
				}
				if !bytes.Equal(got.Bytes(), want) {
					b.Fatalf("git %s: got %d bytes, want %d", line, got.Len(), len(want))
				}
			}
			a, c := percentile(ours, 50), percentile(theirs, 50)
			t.row(line, milliseconds(c), milliseconds(a), times(a.Seconds(), c.Seconds()), "5x", fmt.Sprint(fuel/1e6))
			b.ReportMetric(a.Seconds()/c.Seconds(), "times-native")
			b.ReportMetric(float64(fuel/1e6), "Mfuel")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// finish waits for a process that succeeds, and returns its fuel.
func finish(b *testing.B, p driver.Process, out *bytes.Buffer) uint64 {
	b.Helper()
	defer p.Close()
	p.Output(func(_ uint8, text []byte) { out.Write(text) })
	exit, err := p.Wait()
	if err != nil || exit.Status != (core.ExitStatus{}) {
		b.Fatalf("got %+v, %v: %s", exit, err, lastLine(out.Bytes()))
	}
	return exit.Usage.Fuel
}

func gitCommands(b *testing.B) map[string]*hostwasm.Module {
	for _, m := range plugins.Modules() {
		if m.Name != "git" {
			continue
		}
		if err := m.Missing(); err != nil {
			b.Skip("skipped: ", err)
		}
		return map[string]*hostwasm.Module{"git": {Name: m.Name, Load: m.Load}}
	}
	b.Skip("skipped: there is no git")
	return nil
}

// makeHistory makes a repository whose objects are in one pack, as in a clone, but for those of
// the last five commits. A dozen files differ from those of the last.
func makeHistory(b *testing.B, git, dir string) {
	const files, commits = 200, 400
	lines := make([][]string, files)
	for i := range lines {
		for n := range 60 + i%90 {
			lines[i] = append(lines[i], fmt.Sprintf("line %d of file %d says %x", n, i, (i*7919+n*104729)%99991))
		}
	}
	name := func(i int) string { return fmt.Sprintf("dir%d/sub%d/file%d.txt", i%10, i%3, i) }
	content := func(i int) string { return strings.Join(lines[i], "\n") + "\n" }
	edit := func(n, i int) {
		at := (n * 31) % len(lines[i])
		lines[i][at] = fmt.Sprintf("line %d was changed by %d", at, n)
		if n%3 == 0 {
			lines[i] = append(lines[i], fmt.Sprintf("added by %d", n))
		}
	}
	var stream bytes.Buffer
	for n := range commits {
		message := fmt.Sprintf("Change number %d\n\nIt changes some files, and says so\nin a few lines of text.\n", n)
		fmt.Fprintf(&stream, "commit refs/heads/main\ncommitter A Person <person@example.org> %d +0000\ndata %d\n%s", 1700000000+n*3600, len(message), message)
		changed := []int{n * 13 % files, (n*17 + 1) % files, (n*29 + 2) % files}
		if n == 0 {
			changed = nil
			for i := range files {
				changed = append(changed, i)
			}
		}
		for _, i := range changed {
			if n > 0 {
				edit(n, i)
			}
			fmt.Fprintf(&stream, "M 100644 inline %s\ndata %d\n%s\n", name(i), len(content(i)), content(i))
		}
	}
	runGit(b, git, dir, []string{"init", "-q", "-b", "main"})
	load := exec.Command(git, "fast-import", "--quiet")
	load.Dir, load.Stdin = dir, &stream
	if out, err := load.CombinedOutput(); err != nil {
		b.Fatalf("git fast-import: %v: %s", err, out)
	}
	write := func(n, i int) {
		edit(n, i)
		if err := os.WriteFile(filepath.Join(dir, name(i)), []byte(content(i)), 0o666); err != nil {
			b.Fatal(err)
		}
	}
	runGit(b, git, dir, []string{"repack", "-adfq"})
	runGit(b, git, dir, []string{"reset", "-q", "--hard"})
	for n := range 5 {
		write(commits+n, n*19)
		runGit(b, git, dir, []string{"-c", "user.name=A Person", "-c", "user.email=person@example.org", "commit", "-qam", "A later change"})
	}
	for n := range 12 {
		write(commits+10+n, n*11)
	}
	// Files that are as young as the index are read again, whatever their times say.
	old := time.Now().Add(-time.Minute)
	for i := range files {
		if err := os.Chtimes(filepath.Join(dir, name(i)), old, old); err != nil {
			b.Fatal(err)
		}
	}
	runGit(b, git, dir, []string{"update-index", "-q", "--really-refresh"})
}

// runGit runs the machine's git, and returns how long it took and what it printed.
func runGit(b *testing.B, git, dir string, args []string) (time.Duration, []byte) {
	b.Helper()
	cmd := exec.Command(git, args...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1", "TZ=UTC"}
	begin := time.Now()
	out, err := cmd.Output()
	if err != nil && args[0] != "update-index" { // which tells so of files that differ
		b.Fatalf("%v: %v: %s", cmd, err, out)
	}
	return time.Since(begin), out
}
