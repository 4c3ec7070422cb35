package reactor_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/terrarium-dev/terrarium/tests/reactor"
)

// An export is one as ABI.md has it.
type export struct {
	name   string
	params []param
	result string
}

type param struct{ name, typ string }

// exports reads the table in ABI.md.
func exports(tb testing.TB) (list []export) {
	tb.Helper()
	page, err := os.ReadFile("../../cmd/reactor/ABI.md")
	if err != nil {
		tb.Fatal(err)
	}
	for _, m := range regexp.MustCompile("(?m)^\\| `(\\w+)\\(([^)]*)\\) -> (\\w+)` \\|").FindAllStringSubmatch(string(page), -1) {
		e := export{name: m[1], result: m[3]}
		for words := strings.Fields(strings.ReplaceAll(m[2], ",", "")); len(words) > 0; words = words[2:] {
			e.params = append(e.params, param{words[0], words[1]})
		}
		list = append(list, e)
	}
	return list
}

func (e export) String() string {
	var types []string
	for _, p := range e.params {
		types = append(types, p.typ)
	}
	return e.name + "(" + strings.Join(types, " ") + ") " + e.result
}

// TestDocument compares the exports of the module with the table in ABI.md.
func TestDocument(t *testing.T) {
	var got, want []string
	for _, e := range exports(t) {
		want = append(want, e.String())
	}
	for name, f := range reactor.Exports(t) {
		if name != "_initialize" {
			got = append(got, name+"("+typeNames(f.ParamTypes())+") "+typeNames(f.ResultTypes()))
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("exports (-ABI.md +module):\n%s", diff)
	}
}

func typeNames(types []api.ValueType) string {
	var names []string
	for _, t := range types {
		names = append(names, api.ValueTypeName(t))
	}
	return strings.Join(names, " ")
}

// TestImports keeps the shim in web/src/wasi.js, and those of other embedders, complete.
func TestImports(t *testing.T) {
	shim, err := os.ReadFile(filepath.Join("..", "..", "web", "src", "wasi.js"))
	if err != nil {
		t.Fatal(err)
	}
	r := wazero.NewRuntimeWithConfig(t.Context(), wazero.NewRuntimeConfigInterpreter())
	defer r.Close(t.Context())
	module, err := r.CompileModule(t.Context(), reactor.Module(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range module.ImportedFunctions() {
		from, name, _ := f.Import()
		if from != "wasi_snapshot_preview1" || !strings.Contains(string(shim), "\n      "+name) {
			t.Errorf("wasi.js lacks %s.%s", from, name)
		}
	}
}
