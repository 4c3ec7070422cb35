package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDocument compares the tables in ABI.md with what the module exports and
// imports.
func TestDocument(t *testing.T) {
	page, err := os.ReadFile("ABI.md")
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	row := regexp.MustCompile("(?m)^\\| `(\\w+)\\(([^)]*)\\)(?: -> (\\w+))?` \\|")
	for _, m := range row.FindAllStringSubmatch(string(page), -1) {
		var types []string
		for words := strings.Fields(strings.ReplaceAll(m[2], ",", "")); len(words) > 0; words = words[2:] {
			types = append(types, words[1])
		}
		want = append(want, m[1]+"("+strings.Join(types, " ")+") "+m[3])
	}
	got := append(directed(t, "exports_js.go", "//go:wasmexport "), directed(t, "imports_js.go", "//go:wasmimport terrarium_sandbox ")...)
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("exports and imports (-ABI.md +module):\n%s", diff)
	}
	if len(got) < 30 {
		t.Errorf("only %d of them were found", len(got))
	}
}

// directed returns the functions in a file that have a directive, as
// "NAME(TYPE TYPE) RESULT".
func directed(t *testing.T, file, directive string) (list []string) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Doc == nil {
			continue
		}
		for _, c := range fn.Doc.List {
			if name, ok := strings.CutPrefix(c.Text, directive); ok {
				list = append(list, name+"("+wasmTypes(fn.Type.Params)+") "+wasmTypes(fn.Type.Results))
			}
		}
	}
	return list
}

func wasmTypes(fields *ast.FieldList) string {
	if fields == nil {
		return ""
	}
	var types []string
	for _, f := range fields.List {
		typ := "i32"
		if name, ok := f.Type.(*ast.Ident); ok && strings.HasSuffix(name.Name, "64") {
			typ = "i64"
		}
		for range max(len(f.Names), 1) {
			types = append(types, typ)
		}
	}
	return strings.Join(types, " ")
}
