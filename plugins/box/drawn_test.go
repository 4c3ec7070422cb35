package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"mvdan.cc/sh/v3/syntax"

	"github.com/terrarium-dev/terrarium/plugins/absent"
)

// The drawn suites are actions as agents type them, whole with their here-documents and "cd /app
// &&", in the shares that were measured of 3,485 actions of an agent in a benchmark. They all begin
// with the files of project.txtar in /app, beside an empty /tmp; those in more.txtar come on top,
// without a share. Debian's side has no commands but those that the box has, as on a bare machine.

// drawnSuites returns the suites in testdata/drawn.
func drawnSuites(t *testing.T) []suite {
	var suites []suite
	var project map[string]string
	for _, s := range loadFolder(t, "testdata/drawn") {
		if s.name == "project" {
			project = s.files
			continue
		}
		s.drawn = true
		suites = append(suites, s)
	}
	for i := range suites {
		suites[i].files = project
	}
	return suites
}

// commandShares are the shares of the commands among all simple commands, in percent.
var commandShares = map[string]float64{
	"cat": 18.9, "echo": 14.6, "python3": 11.9, "ls": 8.4, "python": 3.7, "grep": 3.7, "cd": 3.0, "pip": 3.0, "head": 2.4,
	"sed": 2.0, "timeout": 1.4, "which": 1.1, "git": 1.1, "apt-get": 1.1, "find": 1.0, "sleep": .9, "tmux": .9, "curl": .9,
	"chmod": .8, "wc": .8, "nl": .8, "tail": .7, "mkdir": .7, "rm": .7, "od": .7, "conda": .6, "pip3": .6, "openssl": .5,
	"nohup": .4, "xargs": .3, "printf": .3, "diff": .3, "file": .3, "g++": .3, "awk": .2,
}

// syntaxShares are the shares of the actions that use a construct, in percent.
var syntaxShares = map[string]float64{
	">": 24.5, "&&": 19.9, "heredoc": 19.6, "; or newline": 7.5, "|": 7.5, "||": 5.4, "/dev/null": 3.2, "2>&1": 1.7,
	"&": 1.3, "$var": .6, "$( )": .5, "for": .2,
}

// slack is how far a share may be from what was measured, in percentage points.
const slack = 5

// TestDrawnShares computes the shares of the drawn cases, and prints them.
func TestDrawnShares(t *testing.T) {
	commands, constructs := map[string]int{}, map[string]int{}
	actions, simple, telling := 0, 0, 0
	for _, s := range drawnSuites(t) {
		if s.name == "more" {
			continue
		}
		want := readWants(t, s.path)
		for _, c := range s.cases {
			actions++
			w := want[c.line]
			if w.status != 0 || len(w.files) > 0 {
				telling++
			}
			file, err := syntax.NewParser().Parse(strings.NewReader(c.line), "")
			if err != nil {
				continue // as 1.3 % of what was measured
			}
			for name := range constructsOf(file) {
				constructs[name]++
			}
			syntax.Walk(file, func(n syntax.Node) bool {
				if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 0 {
					simple++
					commands[filepath.Base(call.Args[0].Lit())]++
				}
				return true
			})
		}
	}
	if actions < 600 {
		t.Errorf("got %d actions, want at least 600", actions)
	}
	if 3*telling < actions {
		t.Errorf("%d of %d actions fail or change files, want a third", telling, actions)
	}
	t.Logf("%d actions with %d commands; %d fail or change files", actions, simple, telling)
	checkShares(t, "command", commands, simple, commandShares)
	checkShares(t, "syntax", constructs, actions, syntaxShares)
}

// checkShares compares shares with those that were measured.
func checkShares(t *testing.T, what string, got map[string]int, of int, want map[string]float64) {
	names := slices.Collect(func(yield func(string) bool) {
		for name := range got {
			if !yield(name) {
				return
			}
		}
	})
	slices.SortFunc(names, func(a, b string) int {
		if got[a] != got[b] {
			return got[b] - got[a]
		}
		return strings.Compare(a, b)
	})
	var table strings.Builder
	for _, name := range names {
		share := 100 * float64(got[name]) / float64(of)
		fmt.Fprintf(&table, "\n%-14s %4d %5.1f %% (%4.1f %%)", name, got[name], share, want[name])
		if share > want[name]+slack {
			t.Errorf("%s %s: %.1f %%, want at most %.1f %%", what, name, share, want[name]+slack)
		}
	}
	for name, share := range want {
		if is := 100 * float64(got[name]) / float64(of); is < share-slack || got[name] == 0 {
			t.Errorf("%s %s: %.1f %%, want at least %.1f %%", what, name, is, share-slack)
		}
	}
	t.Logf("%s: number, share (measured)%s", what, &table)
}

// constructsOf returns the constructs that an action uses.
func constructsOf(file *syntax.File) map[string]bool {
	has := map[string]bool{}
	if len(file.Stmts) > 1 {
		has["; or newline"] = true
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.BinaryCmd:
			has[n.Op.String()] = true
		case *syntax.Redirect:
			switch {
			case n.Op == syntax.Hdoc || n.Op == syntax.DashHdoc:
				has["heredoc"] = true
			case n.Op == syntax.DplOut && n.N != nil && n.N.Value == "2":
				has["2>&1"] = true
			case n.Word.Lit() == "/dev/null":
				has["/dev/null"] = true
			case n.Op == syntax.RdrOut:
				has[">"] = true
			}
		case *syntax.Stmt:
			if n.Background {
				has["&"] = true
			}
		case *syntax.ParamExp:
			has["$var"] = true
		case *syntax.CmdSubst:
			has["$( )"] = true
		case *syntax.ForClause:
			has["for"] = true
		}
		return true
	})
	return has
}

// place prepares /app and /tmp, and returns where /app is.
func (s suite) place(t *testing.T, root string) (app string) {
	for _, dir := range []string{"app", "tmp"} {
		if err := os.Mkdir(filepath.Join(root, dir), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(root, "app")
}

var drawnPaths = regexp.MustCompile(`(^|[\s'"=:(>])/(app|tmp)\b`)

// inside returns a line with the paths of the machine that it runs on.
func (s suite) inside(dir, line string) string {
	if !s.drawn {
		return line
	}
	return drawnPaths.ReplaceAllString(line, "${1}"+filepath.Dir(dir)+"/$2")
}

// outside returns what is seen without what the machine decides: where it is, whose files they are,
// and how big its directories.
func (s suite) outside(dir, text string) string {
	if !s.drawn {
		return strings.ReplaceAll(text, dir, "$DIR")
	}
	if debianBin != "" {
		text = strings.ReplaceAll(text, debianBin, "/usr/bin")
	}
	text = noNetwork.ReplaceAllString(text, "")
	text = strings.ReplaceAll(text, filepath.Dir(dir), "")
	if !listing.MatchString(text) {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(plainListing(line))
	}
	return b.String()
}

// noNetwork is what curl and wget of the box say on top of what Debian's do.
var noNetwork = regexp.MustCompile(`(?m)^(curl|wget): there is no network in this sandbox: .*\n`)

var (
	listing = regexp.MustCompile(`(?m)^(total [0-9.]+[KM]?$|[-dlrwxst]{10} )`)
	row     = regexp.MustCompile(`^([-dl][-rwxst]{9}) +\d+ +\S+ +\S+ +(\S+) +(\S+ +\d+ +[\d:]+) `)
)

// plainListing returns a line of "ls -l" without blocks, links, owners, the size of directories and
// recent times.
func plainListing(line string) string {
	if strings.HasPrefix(line, "total ") {
		return "total N\n"
	}
	m := row.FindStringSubmatch(line)
	if m == nil {
		return line
	}
	mode, size, date := m[1], m[2], m[3]
	if mode[0] == 'd' {
		size = "N"
	}
	if !strings.HasSuffix(date, " "+fmt.Sprint(fixedTime.Year())) {
		date = "NOW"
	}
	return mode + " N user group " + size + " " + date + " " + line[len(m[0]):]
}

// debianBin is a folder with Debian's commands that the box has too, "" before the first use.
var debianBin string

var makeDebianBin = sync.OnceValue(func() error {
	dir, err := os.MkdirTemp("", "bin")
	if err != nil {
		return err
	}
	debianBin = dir
	for _, name := range names() {
		if _, err := os.Stat("/usr/bin/" + name); err != nil {
			continue
		}
		if advice, _ := absent.Advice(name); advice != "" {
			continue
		}
		if err := os.Symlink("/usr/bin/"+name, filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
})

// environ are the variables of a case that runs on this system.
func (s suite) environ(t *testing.T, dir string) []string {
	if !s.drawn {
		return environ(dir)
	}
	if err := makeDebianBin(); err != nil {
		t.Fatal(err)
	}
	return append([]string{"PATH=" + debianBin}, environ(dir)[1:]...)
}

var unknownCommand = regexp.MustCompile(`(?m)^.*: ([^ \n]+): command not found\n`)

// unstarted is what a command says that can't start another, of which the box knows more, too.
var unstarted = regexp.MustCompile(`(?m)^[a-z]+: failed to run command [‘']([^ \n]+)[’']: No such file or directory\n`)

// expected returns what the box is to say where Debian has said w: of commands that it cannot have
// it knows more.
func (s suite) expected(w outcome) outcome {
	if !s.drawn {
		return w
	}
	ours := func(text string) string {
		text = unstarted.ReplaceAllStringFunc(text, func(line string) string {
			if advice, _ := absent.Advice(unstarted.FindStringSubmatch(line)[1]); advice != "" {
				return line + "hint: " + advice + "\n"
			}
			return line
		})
		return unknownCommand.ReplaceAllStringFunc(text, func(line string) string {
			name := unknownCommand.FindStringSubmatch(line)[1]
			advice, plugin := absent.Advice(name)
			switch {
			case plugin:
				return line + "hint: " + advice + "\n"
			case advice != "":
				return name + ": " + advice + "\n"
			}
			return line
		})
	}
	files := map[string]string{}
	for name, text := range w.files {
		files[name] = ours(text)
	}
	return outcome{ours(w.stdout), ours(w.stderr), w.status, files}
}
