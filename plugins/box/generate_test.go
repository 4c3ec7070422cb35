package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// A generated line is drawn from the grammar in testdata/generate, over a small tree drawn from the
// same seed, and run by Debian's tools and by the box. What differs is made smaller, and printed
// with its seed.
//
//	TERRARIUM_GENERATE=2000 go test ./plugins/box -run Generated -timeout 30m        # that many lines, from seed 0
//	TERRARIUM_GENERATE=1 TERRARIUM_GENERATE_SEED=1234 go test ./plugins/box -run Generated -v    # one of them
//	TERRARIUM_GENERATE=500 TERRARIUM_GENERATE_ONLY='sort uniq' go test …             # of these commands
//
// Lines name nothing outside of their directory, and the commands in the grammar can't leave it.

// TestGenerated compares lines that nobody has written with Debian's tools.
func TestGenerated(t *testing.T) {
	count, _ := strconv.Atoi(os.Getenv("TERRARIUM_GENERATE"))
	if count == 0 {
		t.Skip("TERRARIUM_GENERATE says how many lines")
	}
	if why := notDebian(); why != "" {
		t.Skip(why)
	}
	first, _ := strconv.ParseUint(os.Getenv("TERRARIUM_GENERATE_SEED"), 10, 64)
	g := readGrammar(t, strings.Fields(os.Getenv("TERRARIUM_GENERATE_ONLY")))
	if _, err := patchedBox(); err != nil {
		t.Fatal(err)
	}

	seeds := make(chan uint64)
	var mu sync.Mutex // guards the two below
	equal, reports := 0, map[string][]string{}
	var workers sync.WaitGroup
	for range 2 {
		workers.Go(func() {
			for seed := range seeds {
				line, report := g.compare(t, seed)
				mu.Lock()
				if report == "" {
					equal++
				} else {
					reports[line.commands()] = append(reports[line.commands()], report)
				}
				mu.Unlock()
			}
		})
	}
	for seed := first; seed < first+uint64(count); seed++ {
		seeds <- seed
	}
	close(seeds)
	workers.Wait()
	for _, command := range slices.Sorted(maps.Keys(reports)) {
		for _, report := range reports[command][:min(len(reports[command]), 40)] {
			t.Errorf("%s", report)
		}
		t.Logf("%s: %d lines differ", command, len(reports[command]))
	}
	t.Logf("%d of %d generated lines equal: %.2f %%", equal, count, 100*float64(equal)/float64(count))
}

// A generatedLine is a pipeline: stages of words, and what comes behind it.
type generatedLine struct {
	stages [][]string
	after  string
}

func (l generatedLine) String() string {
	var stages []string
	for _, s := range l.stages {
		stages = append(stages, strings.Join(s, " "))
	}
	return strings.Join(stages, " | ") + l.after
}

func (l generatedLine) commands() string {
	var names []string
	for _, s := range l.stages {
		names = append(names, s[0])
	}
	return strings.Join(names, " | ")
}

// smaller are the lines with one stage, one word or what comes behind left out.
func (l generatedLine) smaller() []generatedLine {
	var all []generatedLine
	if l.after != "" {
		all = append(all, generatedLine{l.stages, ""})
	}
	for i, s := range l.stages {
		if len(l.stages) > 1 {
			all = append(all, generatedLine{slices.Delete(slices.Clone(l.stages), i, i+1), l.after})
		}
		for w := 1; w < len(s) && len(s) > 2; w++ { // without any, it would be another line
			stages := slices.Clone(l.stages)
			stages[i] = slices.Delete(slices.Clone(s), w, w+1)
			all = append(all, generatedLine{stages, l.after})
		}
	}
	return all
}

// compare runs the line of a seed, and reports how the box differs, "" if it does not.
func (g *grammar) compare(t *testing.T, seed uint64) (generatedLine, string) {
	d := &drawing{grammar: g, Rand: rand.New(rand.NewPCG(seed, 0))}
	d.drawTree()
	line := d.line()
	diff := d.run(t, line)
	if diff == "" {
		return line, ""
	}
	for again := true; again; {
		again = false
		for _, l := range line.smaller() {
			if shorter := d.run(t, l); shorter != "" {
				line, diff, again = l, shorter, true
				break
			}
		}
	}
	var files strings.Builder
	for _, name := range slices.Sorted(maps.Keys(d.files)) {
		if strings.Contains(line.String(), strings.Trim(name, "'")) {
			fmt.Fprintf(&files, "file %s: %q\n", name, d.files[name])
		}
	}
	return line, fmt.Sprintf("seed %d: %s\n%s%s", seed, line, files.String(), diff)
}

// run runs a line with Debian's tools and the box, and says how they differ.
func (d *drawing) run(t *testing.T, line generatedLine) string {
	box, _ := patchedBox()
	want := d.runShell(t, line.String(), "/bin/bash")
	got := d.runShell(t, line.String(), box)
	if len(line.stages) > 1 && sameBytes(got.stderr, want.stderr) {
		// GNU's tools write a message in pieces, between which others' come.
		got.stderr = want.stderr
	}
	if got.diff(want) == "" {
		return ""
	}
	if want.diff(d.runShell(t, line.String(), "/bin/bash")) != "" {
		return "" // not even Debian's do the same twice
	}
	return got.diff(want)
}

// generatedLimits bounds what a line may use: seconds, and blocks of 512 bytes in a file.
const generatedLimits = `ulimit -t 10 -f 20000; exec -a bash "$@"`

func (d *drawing) runShell(t *testing.T, line, shell string) outcome {
	dir := t.TempDir()
	defer os.RemoveAll(dir)
	d.makeTree(t, dir)
	ctx, cancel := context.WithTimeout(t.Context(), caseLimit)
	defer cancel()
	var stdout, stderr cappedBuffer
	cmd := exec.CommandContext(ctx, "/bin/bash", "-c", generatedLimits, "bash", shell, "-c", line)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, environ(dir), &stdout, &stderr
	cmd.WaitDelay = time.Second
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	// Whether who writes to a reader that is gone sees so is a race. PIPESTATUS has 141 then.
	o := outcome{
		stdout: strings.ReplaceAll(strings.ReplaceAll(stdout.String(), dir, "$DIR"), "141 ", "0 "), status: exitStatus(cmd.ProcessState),
		stderr: sortedLines(strings.ReplaceAll(strings.ReplaceAll(stderr.String(), dir, "$DIR"), "xargs: echo: terminated by signal 13\n", "")), files: map[string]string{},
	}
	if unordered.MatchString(line) {
		o.stdout = sortedLines(o.stdout)
	}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		info, err := e.Info()
		if err != nil {
			return err
		}
		text := fmt.Sprintln(info.Mode())
		switch {
		case name == ".":
			return nil
		case e.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			if d.files[name] == "-> "+target {
				return nil
			}
			o.files[name] = text + target + "\n"
			return err
		case info.Mode().IsRegular():
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if !packed.MatchString(name) {
				text += strings.ReplaceAll(string(data), dir, "$DIR")
			}
			if string(data) == d.files[name] && info.Mode().Perm() == 0o644 {
				return nil
			}
		case e.IsDir() && d.files[name+"/"] == "dir" && info.Mode().Perm() == 0o755:
			return nil
		}
		o.files[name] = text
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	for name := range d.files {
		if _, err := os.Lstat(filepath.Join(dir, name)); err != nil {
			o.files[name] = "\x00"
		}
	}
	return o
}

// unordered matches the lines that list a directory in the file system's order.
var unordered = regexp.MustCompile(`find|grep.* -[A-Za-z]*[rR]|\bdu\b|\btar\b|cp .*v|rm .*v|ch(mod|own) .*R|xargs .*-P|ls .*-[a-zA-Z]*[Uf]`)

// packed matches the names of files whose bytes depend on the compressor.
var packed = regexp.MustCompile(`\.(gz|tgz|zip)$`)

func sortedLines(text string) string {
	lines := slices.Sorted(strings.Lines(text))
	return strings.Join(lines, "")
}

func sameBytes(a, b string) bool {
	x, y := []byte(a), []byte(b)
	slices.Sort(x)
	slices.Sort(y)
	return bytes.Equal(x, y)
}

// cappedBuffer keeps the beginning of what is written.
type cappedBuffer struct{ bytes.Buffer }

func (b *cappedBuffer) Write(p []byte) (int, error) {
	b.Buffer.Write(p[:min(len(p), max(0, 1<<20-b.Len()))])
	return len(p), nil
}

// A grammar is how lines are drawn: rules by name, each a list of alternatives in which «name»
// stands for a rule.
type grammar struct {
	rules    map[string][]string
	commands []string // with repetitions, by weight
}

// readGrammar reads testdata/generate: a line "name = words" adds an alternative to a rule. The
// rules "COMMAND.options" and "COMMAND.operands" make a command; one that is in the rule "line" can
// begin a line.
func readGrammar(t *testing.T, only []string) *grammar {
	data, err := os.ReadFile("testdata/generate")
	if err != nil {
		t.Fatal(err)
	}
	g := &grammar{rules: map[string][]string{}}
	for line := range strings.Lines(string(data)) {
		name, words, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " = ")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		switch {
		case strings.HasSuffix(name, " words"):
			name = strings.TrimSuffix(name, " words")
			for _, w := range splitWords(words) {
				g.rules[name] = append(g.rules[name], blanks.Replace(w))
			}
		default:
			g.rules[name] = append(g.rules[name], words)
		}
	}
	for _, entry := range g.rules["commands"] {
		name, weight, _ := strings.Cut(entry, ":")
		n, _ := strconv.Atoi(weight)
		if len(only) == 0 || slices.Contains(only, name) {
			g.commands = append(g.commands, slices.Repeat([]string{name}, max(n, 1))...)
		}
	}
	if len(g.commands) == 0 {
		t.Fatal("no such commands in testdata/generate")
	}
	return g
}

var blanks = strings.NewReplacer("__", "_", "_", " ")

// A drawing is one line and its tree.
type drawing struct {
	*grammar
	*rand.Rand
	// contents by name; "dir" for a name that ends in /, "-> target" for a link
	files map[string]string
}

func (d *drawing) pick(from []string) string { return from[d.IntN(len(from))] }

// expand replaces each «rule» by one of its alternatives.
func (d *drawing) expand(text string, depth int) string {
	return hole.ReplaceAllStringFunc(text, func(m string) string {
		name := strings.Trim(m, "«»")
		switch {
		case name == "name":
			return quoted(strings.TrimSuffix(d.pick(slices.Sorted(maps.Keys(d.files))), "/"))
		case depth > 6 || len(d.rules[name]) == 0:
			panic("no rule " + name)
		}
		return d.expand(d.pick(d.rules[name]), depth+1)
	})
}

func quoted(name string) string {
	if strings.Contains(name, " ") {
		return "'" + name + "'"
	}
	return name
}

var hole = regexp.MustCompile(`«[a-z0-9]+»`)

func (d *drawing) line() generatedLine {
	l := generatedLine{stages: [][]string{d.stage(d.pick(d.commands), "operands")}}
	for d.IntN(3) == 0 && len(l.stages) < 4 {
		l.stages = append(l.stages, d.stage(d.pick(d.rules["filters"]), "filter"))
	}
	if d.IntN(6) == 0 {
		l.after = d.expand(d.pick(d.rules["after"]), 0)
	}
	return l
}

// stage draws a command with some of its options.
func (d *drawing) stage(name, operands string) []string {
	words := []string{name}
	if options := d.rules[name+".options"]; len(options) > 0 {
		for range []int{0, 0, 1, 1, 1, 2, 2, 3}[d.IntN(8)] {
			words = append(words, d.expand(d.pick(options), 0))
		}
	}
	if operands == "filter" && len(d.rules[name+".filter"]) == 0 {
		operands = "operands"
	}
	if forms := d.rules[name+"."+operands]; len(forms) > 0 {
		if form := d.expand(d.pick(forms), 0); form != "" {
			words = append(words, splitWords(form)...)
		}
	}
	return words
}

// splitWords splits at the blanks that are not in quotes.
func splitWords(text string) []string {
	var words []string
	start, quote := 0, byte(0)
	for i := 0; i <= len(text); i++ {
		switch {
		case i == len(text), quote == 0 && text[i] == ' ':
			if i > start {
				words = append(words, text[start:i])
			}
			start = i + 1
		case quote != 0:
			if text[i] == quote {
				quote = 0
			}
		case text[i] == '\'' || text[i] == '"':
			quote = text[i]
		}
	}
	return words
}

// drawTree draws files of text.
func (d *drawing) drawTree() {
	d.files = map[string]string{}
	names := d.rules["filename"]
	for range 3 + d.IntN(6) {
		name := d.pick(names)
		var b strings.Builder
		row := d.pick(d.rules["rows"])
		for range d.IntN(12) {
			b.WriteString(d.expand(row, 0))
			if d.IntN(40) == 0 {
				b.WriteString(d.pick([]string{"\r", " ", "\t", "\x00", "\xff", "\\"}))
			}
			b.WriteByte('\n')
		}
		text := b.String()
		if d.IntN(6) == 0 {
			text = strings.TrimSuffix(text, "\n")
		}
		for dir := filepath.Dir(name); dir != "."; dir = filepath.Dir(dir) {
			d.files[dir+"/"] = "dir"
		}
		d.files[name] = text
	}
	if d.IntN(3) == 0 {
		d.files["empty/"] = "dir"
	}
	if d.IntN(3) == 0 {
		d.files["link"] = "-> " + d.pick(slices.Sorted(maps.Keys(d.files)))
	}
}

func (d *drawing) makeTree(t *testing.T, dir string) {
	names := slices.Sorted(maps.Keys(d.files))
	for i, name := range names {
		path := filepath.Join(dir, name)
		var err error
		switch text := d.files[name]; {
		case strings.HasSuffix(name, "/"):
			err = os.MkdirAll(path, 0o755)
		case strings.HasPrefix(text, "-> "):
			err = os.Symlink(text[3:], path)
		default:
			os.MkdirAll(filepath.Dir(path), 0o755)
			err = os.WriteFile(path, []byte(text), 0o644)
			os.Chtimes(path, fixedTime, fixedTime.Add(time.Duration(i)*time.Hour))
		}
		if err != nil {
			t.Error(err)
		}
	}
	for _, name := range names {
		if strings.HasSuffix(name, "/") {
			os.Chtimes(filepath.Join(dir, name), fixedTime, fixedTime)
		}
	}
}
