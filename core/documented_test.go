package core_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// TestDocumented has each exported constant of the packages below say what it means.
func TestDocumented(t *testing.T) {
	for _, dir := range []string{"vt", "jsonrpc"} {
		names, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: %d files, %v", dir, len(names), err)
		}
		for _, name := range names {
			if !strings.HasSuffix(name, "_test.go") {
				undocumented(t, name)
			}
		}
	}
}

func undocumented(t *testing.T, name string) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range file.Decls {
		group, ok := d.(*ast.GenDecl)
		if !ok || group.Tok != token.CONST {
			continue
		}
		for _, s := range group.Specs {
			value := s.(*ast.ValueSpec)
			if value.Doc != nil || value.Comment != nil || !group.Lparen.IsValid() && group.Doc != nil {
				continue
			}
			for _, n := range value.Names {
				if n.IsExported() {
					t.Errorf("%v: %s has no comment", files.Position(n.Pos()), n.Name)
				}
			}
		}
	}
}
