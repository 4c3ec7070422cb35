package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/tools/txtar"
	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// The cases are command lines, one per line of the file "cases" in testdata/cases/*.txtar; the
// archive's other files are there when each of them runs. What Debian 12's tools do is recorded
// beside it, in *.want. A line "#differs REASON" marks the next case as one where ours differs, and
// "#needs NAME..." names the tools of a suite that not every Debian has; a line that begins with a
// tab goes on with the case before it.
//
//	go test ./plugins/box -run 'Recorded|Differences' -record    # on Debian 12: run its tools, record what they do

var record = flag.Bool("record", false, "record what Debian's tools do")

// An outcome is all that can be seen of a command.
type outcome struct {
	stdout, stderr string
	status         int
	files          map[string]string // files that changed; a removed one is "\x00"
}

type testCase struct {
	line    string
	differs string // why ours differs, "" if it must not
}

type suite struct {
	name  string
	path  string // of its files, without their extensions
	files map[string]string
	cases []testCase
	needs []string // tools that Debian has in packages of their own
	drawn bool     // by the shares of what agents type
}

// loadSuites returns the suites by area, and those that are drawn by what agents type.
func loadSuites(t *testing.T) []suite {
	return append(loadFolder(t, "testdata/cases"), drawnSuites(t)...)
}

func loadFolder(t *testing.T, folder string) []suite {
	paths, err := filepath.Glob(folder + "/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	var suites []suite
	for _, path := range paths {
		ar, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		path = strings.TrimSuffix(path, ".txtar")
		s := suite{name: filepath.Base(path), path: path, files: map[string]string{}}
		for _, f := range ar.Files {
			if f.Name != "cases" {
				s.files[f.Name] = string(f.Data)
				continue
			}
			differs := ""
			for line := range strings.Lines(string(f.Data)) {
				line = strings.TrimSuffix(line, "\n")
				switch {
				case strings.HasPrefix(line, "\t") && len(s.cases) > 0:
					s.cases[len(s.cases)-1].line += "\n" + line[1:]
				case strings.HasPrefix(line, "#differs "):
					differs = line[len("#differs "):]
				case strings.HasPrefix(line, "#needs "):
					s.needs = strings.Fields(line)[1:]
				case line == "" || line[0] == '#':
				default:
					s.cases = append(s.cases, testCase{line, differs})
					differs = ""
				}
			}
		}
		suites = append(suites, s)
	}
	return suites
}

// tellsUser matches the cases that come out otherwise for another user.
var tellsUser = regexp.MustCompile(`\broot\b|UID\b|\bid -|>\s*/etc/`)

// recordedForRoot reports whether a case, which root has recorded, comes out otherwise here.
func recordedForRoot(c testCase, recorded outcome) bool {
	return os.Getuid() != 0 && tellsUser.MatchString(c.line+"\n"+recorded.stdout)
}

// TestRecorded compares the box with what Debian's tools did.
func TestRecorded(t *testing.T) {
	var total, equal atomic.Int32
	t.Cleanup(func() { t.Logf("%d of %d cases equal", equal.Load(), total.Load()) })
	for _, s := range loadSuites(t) {
		t.Run(s.name, func(t *testing.T) {
			if s.needsShell() && !*record {
				t.Parallel() // the others share this process, and its umask
			}
			if *record {
				recordSuite(t, s)
			}
			want := readWants(t, s.path)
			for i, c := range s.cases {
				if raceEnabled() && (i%4 != 0 || s.needsShell() && len(c.line)%8 != 0) {
					continue // all of them take minutes so, and were compared without it
				}
				w, ok := want[c.line]
				if !ok {
					t.Errorf("%s: not recorded", c.line)
					continue
				}
				if recordedForRoot(c, w) {
					continue
				}
				total.Add(1)
				got := s.runBox(t, c.line)
				diff := got.diff(s.expected(w))
				switch {
				case diff == "":
					equal.Add(1)
					if c.differs != "" {
						t.Errorf("%s: does not differ any more (%s)", c.line, c.differs)
					}
				case c.differs == "":
					t.Errorf("%s\n%s", c.line, diff)
				}
			}
		})
	}
}

// TestDebian compares what is recorded with the tools that are installed, if they are Debian 12's.
func TestDebian(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a process for each case")
	}
	if why := notDebian(); why != "" {
		t.Skip(why)
	}
	sample := 12 // what was recorded changes with -record only, and is looked at then
	if os.Getenv("TERRARIUM_LONG") == "1" {
		sample = 1
	}
	for _, s := range loadSuites(t) {
		if s.missing() != nil {
			t.Logf("%s: %v", s.name, s.missing())
			continue
		}
		want := readWants(t, s.path)
		for i, c := range s.cases {
			if i%sample != 0 || recordedForRoot(c, want[c.line]) {
				continue
			}
			if diff := s.runDebian(t, c.line).diff(want[c.line]); diff != "" {
				t.Errorf("%s\n%s", c.line, diff)
			}
		}
	}
}

// TestDifferences keeps DIFFERENCES.md, the list of the cases where ours differ, in step with the
// cases.
func TestDifferences(t *testing.T) {
	const table = "| command line | why |\n| --- | --- |\n" // what is above it was written by hand
	got, err := os.ReadFile("DIFFERENCES.md")
	if err != nil {
		t.Fatal(err)
	}
	head, _, ok := strings.Cut(string(got), table)
	if !ok {
		t.Fatal("got no table")
	}
	var b strings.Builder
	b.WriteString(head + table)
	for _, s := range loadSuites(t) {
		for _, c := range s.cases {
			if c.differs != "" {
				b.WriteString("| `" + strings.ReplaceAll(c.line, "|", "\\|") + "` | " + c.differs + " |\n")
			}
		}
	}
	if *record {
		if err := os.WriteFile("DIFFERENCES.md", []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if string(got) != b.String() && !*record {
		t.Errorf("got %s\nwant %s", got, b.String())
	}
}

// notDebian says why the installed tools are not those of Debian 12, or "".
func notDebian() string {
	for _, tool := range [][]string{
		{"cat", "cat (GNU coreutils) 9.1"}, {"grep", "grep (GNU grep) 3.8"}, {"sed", "sed (GNU sed) 4.9"},
		{"diff", "diff (GNU diffutils) 3.8"}, {"patch", "GNU patch 2.7.6"}, {"bash", "GNU bash, version 5.2"},
		{"rev", "rev from util-linux 2.38.1"}, {"column", "column from util-linux 2.38.1"}, {"xxd", ""},
	} {
		path, err := exec.LookPath(tool[0])
		if err != nil {
			return err.Error()
		}
		if tool[1] == "" {
			continue
		}
		cmd := exec.Command(path, "--version")
		cmd.Args[0] = tool[0]
		out, err := cmd.Output()
		if err != nil || !strings.HasPrefix(string(out), tool[1]) {
			first, _, _ := strings.Cut(string(out), "\n")
			return fmt.Sprintf("%s is %q, not %q", path, first, tool[1])
		}
	}
	if target, err := filepath.EvalSymlinks("/usr/bin/awk"); err != nil || filepath.Base(target) != "mawk" {
		return "awk is not mawk"
	}
	return ""
}

func recordSuite(t *testing.T, s suite) {
	if why := notDebian(); why != "" {
		t.Fatalf("can't record: %s", why)
	}
	if err := s.missing(); err != nil {
		t.Fatalf("can't record: %v", err)
	}
	var b strings.Builder
	b.WriteString("# Recorded from Debian 12's tools by \"go test -run Recorded -record\". Do not edit.\n")
	for _, c := range s.cases {
		b.WriteString("$ " + strings.ReplaceAll(c.line, "\n", "\n\t") + "\n")
		s.runDebian(t, c.line).write(&b)
	}
	if err := os.WriteFile(s.path+".want", []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
}

// missing says which of the suite's tools is not installed.
func (s suite) missing() error {
	for _, name := range s.needs {
		if _, err := exec.LookPath(name); err != nil {
			return err
		}
	}
	return nil
}

// prepared counts directories, which are called by their numbers.
var prepared atomic.Int32

// prepare makes a directory with the suite's files.
func (s suite) prepare(t *testing.T) string {
	parent, err := scratch()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(parent, strconv.Itoa(int(prepared.Add(1))))
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if s.drawn {
		dir = s.place(t, dir)
	}
	for name, data := range s.files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
		os.Chtimes(path, fixedTime, fixedTime)
	}
	return dir
}

var fixedTime = time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC)

func environ(dir string) []string {
	return []string{"PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", "TZ=UTC", "HOME=" + dir}
}

func (s suite) runDebian(t *testing.T, line string) outcome {
	dir := s.prepare(t)
	var stdout, stderr bytes.Buffer
	cmd := exec.Command("/bin/bash", "-c", s.inside(dir, line))
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, s.environ(t, dir), &stdout, &stderr
	err := cmd.Run()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return s.outcome(t, dir, &stdout, &stderr, exitStatus(cmd.ProcessState))
}

// exitStatus is what a shell would make of it: bash may have become its last command, which a
// signal has ended.
func exitStatus(p *os.ProcessState) int {
	if killed, ok := p.Sys().(syscall.WaitStatus); ok && killed.Signaled() {
		return 128 + int(killed.Signal())
	}
	return p.ExitCode()
}

// runBox runs a line with all its commands in this process, as the shell of the box does.
func (s suite) runBox(t *testing.T, line string) outcome {
	if s.needsShell() {
		return s.runShell(t, line)
	}
	dir := s.prepare(t)
	var stdout, stderr lockedBuffer
	ctx, cancel := context.WithTimeout(t.Context(), caseLimit)
	defer cancel()
	status := shell(tool.Env{Context: ctx, Stdout: &stdout, Stderr: &stderr, Dir: dir, Environ: environ(dir)}, line)
	if ctx.Err() != nil {
		t.Errorf("%s: takes too long", line)
	}
	return s.outcome(t, dir, &stdout.buf, &stderr.buf, status)
}

// lockedBuffer is shared by the commands of a pipeline.
type lockedBuffer struct {
	mu  sync.Mutex // guards buf
	buf bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

// shell stands in for the shell of the box.
func shell(env tool.Env, line string) int {
	file, err := syntax.NewParser().Parse(strings.NewReader(line), "")
	if err != nil {
		fmt.Fprintln(env.Stderr, err)
		return 2
	}
	sh, err := interp.New(
		interp.Dir(env.Dir), interp.Env(expand.ListEnviron(env.Environ...)), interp.StdIO(env.Stdin, env.Stdout, env.Stderr),
		interp.ExecHandlers(func(interp.ExecHandlerFunc) interp.ExecHandlerFunc { return execBox }),
	)
	if err != nil {
		fmt.Fprintln(env.Stderr, err)
		return 2
	}
	err = sh.Run(env.Context, file)
	var exit interp.ExitStatus
	switch {
	case errors.As(err, &exit):
		return int(exit)
	case err != nil:
		fmt.Fprintln(env.Stderr, err)
		return 1
	}
	return 0
}

// execTest runs a command of the box, or "sh -c".
func execTest(env tool.Env, args []string) int {
	if len(args) == 3 && args[0] == "sh" && args[1] == "-c" {
		return shell(env, args[2])
	}
	if !has(path.Base(args[0])) {
		fmt.Fprintf(env.Stderr, "box: %s: command not found\n", args[0])
		return 127
	}
	return run(env, args)
}

// noInput is an input that has ended. Shells may read it at once.
type noInput struct{}

func (noInput) Read([]byte) (int, error) { return 0, io.EOF }

func execBox(ctx context.Context, args []string) error {
	hc := interp.HandlerCtx(ctx)
	env := tool.Env{Context: ctx, Stdin: hc.Stdin, Stdout: hc.Stdout, Stderr: hc.Stderr, Dir: hc.Dir, Exec: execTest}
	if hc.Stdin == nil {
		env.Stdin = noInput{}
	}
	for name, v := range hc.Env.Each {
		if v.Exported {
			env.Environ = append(env.Environ, name+"="+v.String())
		}
	}
	if status := execTest(env, args); status != 0 {
		return interp.ExitStatus(status)
	}
	return nil
}

// outcome collects what changed in dir, and hides its name.
func (s suite) outcome(t *testing.T, dir string, stdout, stderr *bytes.Buffer, status int) outcome {
	o := outcome{
		stdout: s.outside(dir, stdout.String()), stderr: s.outside(dir, stderr.String()),
		status: status, files: map[string]string{},
	}
	for name := range s.files {
		o.files[name] = "\x00"
	}
	root := dir
	if s.drawn {
		root = filepath.Dir(dir)
	}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		switch {
		case d.IsDir():
			if !s.has(name) {
				o.files[name+"/"] = ""
			}
			return nil
		case d.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			o.files[name] = "-> " + s.outside(dir, target) + "\n"
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if old, ok := s.files[name]; ok && old == string(data) {
			delete(o.files, name)
			return nil
		}
		o.files[name] = s.outside(dir, string(data))
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	return o
}

// has reports whether a directory is there from the beginning.
func (s suite) has(dir string) bool {
	if dir == "." || dir == ".." || dir == "../tmp" {
		return true
	}
	for name := range s.files {
		if strings.HasPrefix(name, dir+"/") {
			return true
		}
	}
	return false
}

// write writes o in the form of the .want files: "1| line", or "1~ quoted" for a line without a
// newline or with bytes that are not text; the same with 2 for stderr and . for the files named by
// "F| name".
func (o outcome) write(b *strings.Builder) {
	writeLines(b, "1", o.stdout)
	writeLines(b, "2", o.stderr)
	for _, name := range slices.Sorted(maps.Keys(o.files)) {
		if o.files[name] == "\x00" {
			b.WriteString("D| " + name + "\n")
			continue
		}
		b.WriteString("F| " + name + "\n")
		writeLines(b, ".", o.files[name])
	}
	if o.status != 0 {
		fmt.Fprintf(b, "?| %d\n", o.status)
	}
}

func writeLines(b *strings.Builder, tag, text string) {
	for line := range strings.Lines(text) {
		if plain := strings.TrimSuffix(line, "\n"); plain != line && strconv.CanBackquote(strings.ReplaceAll(plain, "`", "")) && !strings.HasSuffix(plain, " ") && !strings.Contains(plain, "\t") {
			b.WriteString(tag + "| " + plain + "\n")
			continue
		}
		b.WriteString(tag + "~ " + strconv.Quote(line) + "\n")
	}
}

// readWants returns what is recorded in path.want, by the command line.
func readWants(t *testing.T, path string) map[string]outcome {
	data, err := os.ReadFile(path + ".want")
	if err != nil {
		t.Fatal(err)
	}
	wants := map[string]outcome{}
	var o outcome
	command, file := "", ""
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "$ ") {
			command, o = line[2:], outcome{files: map[string]string{}}
			wants[command] = o
			continue
		}
		if strings.HasPrefix(line, "\t") {
			delete(wants, command)
			command += "\n" + line[1:]
			wants[command] = o
			continue
		}
		if len(line) < 3 || line[0] == '#' && command == "" {
			continue
		}
		text := line[3:]
		switch line[1] {
		case '~':
			if text, err = strconv.Unquote(text); err != nil {
				t.Fatalf("%s.want: %s: %v", path, line, err)
			}
		default:
			text += "\n"
		}
		switch line[0] {
		case '1':
			o.stdout += text
		case '2':
			o.stderr += text
		case 'F':
			file = line[3:]
			o.files[file] = ""
		case 'D':
			o.files[line[3:]] = "\x00"
		case '.':
			o.files[file] += text
		case '?':
			o.status, _ = strconv.Atoi(line[3:])
		}
		wants[command] = o
	}
	return wants
}

// diff says how o differs from want, "" if it does not.
func (o outcome) diff(want outcome) string {
	var got, exp strings.Builder
	o.write(&got)
	want.write(&exp)
	if got.String() == exp.String() {
		return ""
	}
	return fmt.Sprintf("got:\n%swant:\n%s", got.String(), exp.String())
}
