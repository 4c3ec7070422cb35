package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Whatever starts a goroutine is tested with the race detector.
func TestRacePackages(t *testing.T) {
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "examples" || d.Name() == "node_modules" ||
			path != root && strings.HasPrefix(d.Name(), ".")):
			return filepath.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		if dir, _ := filepath.Rel(root, filepath.Dir(path)); startsGoroutine(file) && !racedetected("./"+filepath.ToSlash(dir)) {
			t.Errorf("%s starts a goroutine, and none of raceLong, racePackages, raceInside and raceModules has its package", path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// startsGoroutine finds go statements, and calls like those of sync.WaitGroup.Go, time.AfterFunc
// and context.AfterFunc.
func startsGoroutine(file *ast.File) (found bool) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			found = true
		case *ast.CallExpr:
			if s, ok := n.Fun.(*ast.SelectorExpr); ok && (s.Sel.Name == "Go" && len(n.Args) == 1 || s.Sel.Name == "AfterFunc") {
				found = true
			}
		}
		return !found
	})
	return found
}

func racedetected(pkg string) bool {
	for _, p := range slices.Concat(raceLong, racePackages, raceInside, raceModules, []string{"./tests"}) {
		if below, all := strings.CutSuffix(p, "/..."); pkg == p || all && (pkg == below || strings.HasPrefix(pkg, below+"/")) {
			return true
		}
	}
	return false
}
