package core_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// TestDocumented has each exported constant of core, and of the packages below it, say what it
// means.
func TestDocumented(t *testing.T) {
	files := 0
	err := filepath.WalkDir(".", func(name string, _ fs.DirEntry, err error) error {
		if name == filepath.Join("meter", "metertest") {
			return filepath.SkipDir // opcodes for tests, by the names that WebAssembly gives them
		}
		if err == nil && strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			files++
			undocumented(t, name)
		}
		return err
	})
	if err != nil || files < 100 {
		t.Errorf("got %d files, %v, want those of core", files, err)
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
