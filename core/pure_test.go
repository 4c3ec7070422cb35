package core_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
	"testing"
)

// The reasons. In the WASI reactor a goroutine is a callback that may never run, and a call that
// blocks with nothing else to run kills the instance; no native test would show either.
const (
	whyNoGoroutines = "goroutines freeze between two calls into the reactor, and a blocked one kills the instance"
	whyNoHost       = "the core has no outside: bytes, exits and time come in through its methods"
	whyNoClock      = "time is a parameter; take now from the caller, and ask for a call with Deadline"
	whyNoRandomness = "the same calls must give the same effects; Config.Seed is the only chance"
)

// impureImports bans packages, and what lies below those that end in a slash.
var impureImports = map[string]string{
	"sync":         whyNoGoroutines,
	"sync/":        whyNoGoroutines,
	"context":      whyNoGoroutines,
	"os":           whyNoHost,
	"os/":          whyNoHost,
	"net":          whyNoHost,
	"net/":         whyNoHost,
	"syscall":      whyNoHost,
	"syscall/":     whyNoHost,
	"log":          whyNoHost,
	"log/":         whyNoHost,
	"math/rand":    whyNoRandomness,
	"math/rand/v2": whyNoRandomness,
	"crypto/rand":  whyNoRandomness,
}

// pureImports are allowed although they lie below what is banned: they only compute.
var pureImports = map[string]bool{"net/netip": true}

// impureTime bans functions and variables of package time.
var impureTime = map[string]string{
	"Now":          whyNoClock,
	"Since":        whyNoClock,
	"Until":        whyNoClock,
	"Sleep":        whyNoClock,
	"After":        whyNoClock,
	"AfterFunc":    whyNoClock,
	"NewTimer":     whyNoClock,
	"NewTicker":    whyNoClock,
	"Tick":         whyNoClock,
	"Local":        "it is read from the environment",
	"LoadLocation": "it is read from the environment or a file",
}

// driven names the folders that are not pure: the driver is where the goroutines live.
var driven = map[string]bool{"driver": true, "coretest": true}

func TestPure(t *testing.T) {
	fset := token.NewFileSet()
	files := 0
	err := fs.WalkDir(os.DirFS("."), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (driven[name] || d.Name() == "testdata") {
			return fs.SkipDir
		}
		if path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		src, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		files++
		f, err := parser.ParseFile(fset, path.Join("core", name), src, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, bad := range impurities(fset, f) {
			t.Error(bad)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files == 0 {
		t.Error("found no files to check; the test must run in core")
	}
}

// impurities returns a message for each thing in f that the core must not hold.
func impurities(fset *token.FileSet, f *ast.File) []string {
	var found []string
	report := func(n ast.Node, what, why string) {
		found = append(found, fmt.Sprintf("%s: %s: %s", fset.Position(n.Pos()), what, why))
	}

	timeName := "" // what this file calls package time
	for _, spec := range f.Imports {
		p, _ := strconv.Unquote(spec.Path.Value)
		if why := bannedImport(p); why != "" {
			report(spec, "import of "+p, why)
		}
		if p != "time" {
			continue
		}
		timeName = "time"
		if spec.Name != nil {
			timeName = spec.Name.Name
		}
		if timeName == "." {
			report(spec, `import . "time"`, "it hides calls that read the clock")
		}
	}

	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			report(n, "go statement", whyNoGoroutines)
		case *ast.SelectStmt:
			report(n, "select", whyNoGoroutines)
		case *ast.ChanType:
			report(n, "channel type", whyNoGoroutines)
		case *ast.SendStmt:
			report(n, "channel send", whyNoGoroutines)
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				report(n, "channel receive", whyNoGoroutines)
			}
		case *ast.SelectorExpr:
			// Also without a call: passing time.Now on is reading the clock elsewhere.
			if x, ok := n.X.(*ast.Ident); ok && timeName != "" && x.Name == timeName && impureTime[n.Sel.Name] != "" {
				report(n, "time."+n.Sel.Name, impureTime[n.Sel.Name])
			}
		}
		return true
	})
	return found
}

// bannedImport returns why p may not be imported, or "".
func bannedImport(p string) string {
	if pureImports[p] {
		return ""
	}
	if why := impureImports[p]; why != "" {
		return why
	}
	for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
		if why := impureImports[dir+"/"]; why != "" {
			return why
		}
	}
	return ""
}

func TestPureCatches(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"func f() { go f() }", "core/p.go:1:22: go statement"},
		{"func f() { select {} }", "select"},
		{"var c chan int", "channel type"},
		{"func f(c interface{ C() <-chan int })", "channel type"},
		{"func f() { d.C <- 1 }", "channel send"},
		{"func f() { <-d.Done() }", "channel receive"},
		{`import "sync"`, "import of sync"},
		{`import "sync/atomic"`, "import of sync/atomic"},
		{`import "context"`, "import of context"},
		{`import "os"`, "import of os"},
		{`import "os/exec"`, "import of os/exec"},
		{`import _ "net/http"`, "import of net/http"},
		{`import "net"`, "import of net"},
		{`import "net/url"`, "import of net/url"},
		{`import "net/netip/x"`, "import of net/netip/x"},
		{`import "syscall"`, "import of syscall"},
		{`import "log"`, "import of log"},
		{`import "log/slog"`, "import of log/slog"},
		{`import "math/rand"`, "import of math/rand"},
		{`import "math/rand/v2"`, "import of math/rand/v2"},
		{`import "crypto/rand"`, "import of crypto/rand"},
		{`import "time"; var t = time.Now()`, "time.Now"},
		{`import "time"; var clock = time.Now`, "time.Now"},
		{`import clock "time"; var t = clock.Now()`, "time.Now"},
		{`import . "time"; var t = Now()`, `import . "time"`},
		{`import "time"; var d = time.Since(t)`, "time.Since"},
		{`import "time"; var d = time.Until(t)`, "time.Until"},
		{`import "time"; func f() { time.Sleep(1) }`, "time.Sleep"},
		{`import "time"; var c = time.After(1)`, "time.After"},
		{`import "time"; var x = time.AfterFunc(1, f)`, "time.AfterFunc"},
		{`import "time"; var x = time.NewTimer(1)`, "time.NewTimer"},
		{`import "time"; var x = time.NewTicker(1)`, "time.NewTicker"},
		{`import "time"; var c = time.Tick(1)`, "time.Tick"},
		{`import "time"; var l = time.Local`, "time.Local"},
		{`import "time"; var l, err = time.LoadLocation("CET")`, "time.LoadLocation"},

		{`import "time"; const grace = 5 * time.Second; func f(now time.Time) bool { return now.After(t) }`, ""},
		{`import ("errors"; "slices"; "math/bits"); var x = -y`, ""},
		{`import "net/netip"; func f(a netip.Addr) bool { return a.IsLoopback() }`, ""},
		{`type time struct{}; func (time) Now() {}; func f(time time) { time.Now() }`, ""},
	} {
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, "core/p.go", "package p;"+c.src, parser.SkipObjectResolution)
		if err != nil {
			t.Fatalf("%s: %v", c.src, err)
		}
		got := impurities(fset, f)
		if c.want == "" && len(got) == 0 {
			continue
		}
		if c.want == "" || len(got) == 0 || !strings.Contains(got[0], c.want+": ") {
			t.Errorf("%s: got %q, want %q", c.src, got, c.want)
		}
	}
}
