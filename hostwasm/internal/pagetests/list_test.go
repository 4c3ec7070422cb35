package pagetests_test

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/hostwasm/internal/pagetests"
)

// least is how many of a package's tests run in a page, in percent. Those of vfs are mostly about
// directories of this machine.
var least = map[string]int{"hostwasm": 80, "hostwasm/wasi": 80, "hostwasm/vfs": 35}

// hostile are those that must run there, whatever the figure is.
var hostile = []string{
	"TestHost", "TestHostile", "TestRefused", "TestBombs", "TestLimits", "TestKillAnywhere", "TestRights", "TestHostileModes",
	"FuzzCalls", "TestEngineCalls", "TestEngineEnds", "TestEngineLoads", "TestEngineMemory", "TestEngineInstances", "TestEngineData",
}

// A test that does not run in a page is on the list, with its reason; whatever is
// on the list is a test; and most run there.
func TestElsewhere(t *testing.T) {
	for pkg, elsewhere := range pagetests.Elsewhere {
		t.Run(pkg, func(t *testing.T) {
			all := testsOf(t, pkg)
			run := 0
			for name, inPage := range all {
				reason, listed := elsewhere[name]
				switch {
				case listed && reason == "":
					t.Errorf("%s: there is no reason", name)
				case listed && slices.Contains(hostile, name):
					t.Errorf("%s must run in a page", name)
				case !listed && !inPage:
					t.Errorf("%s is not built for js, and not on the list", name)
				case !listed:
					run++
				}
			}
			for name := range elsewhere {
				if _, ok := all[name]; !ok {
					t.Errorf("%s is on the list, and there is no such test", name)
				}
			}
			t.Logf("%d of %d tests run in a page", run, len(all))
			if 100*run < least[pkg]*len(all) {
				t.Errorf("only %d of %d tests run in a page, want %d %%", run, len(all), least[pkg])
			}
		})
	}
}

// testsOf returns the names of the tests, examples and fuzz tests in a package's
// folder, and whether they are built for js.
func testsOf(t *testing.T, pkg string) map[string]bool {
	t.Helper()
	dir := filepath.Join("..", "..", "..", filepath.FromSlash(pkg))
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	js := build.Default
	js.GOOS, js.GOARCH, js.CgoEnabled = "js", "wasm", false
	tests := map[string]bool{}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		inPage, err := js.MatchFile(dir, e.Name())
		if err != nil {
			t.Fatal(err)
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, e.Name()), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv != nil || f.Name.Name == "TestMain" {
				continue
			}
			for _, prefix := range []string{"Test", "Example", "Fuzz"} {
				if rest, found := strings.CutPrefix(f.Name.Name, prefix); found && strings.ToLower(rest[:min(1, len(rest))]) != rest[:min(1, len(rest))] || found && rest == "" {
					tests[f.Name.Name] = inPage
				}
			}
		}
	}
	return tests
}
