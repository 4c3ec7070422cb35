package main

import (
	"bytes"
	"context"
	"fmt"
	"go/format"
	"io"
	"os"
	"path/filepath"
)

// checkFormat fails with the names of the Go files that gofmt would change.
func checkFormat(ctx context.Context, out io.Writer) error {
	files, err := unformatted(".")
	if err != nil {
		return err
	}
	for _, f := range files {
		fmt.Fprintln(out, f.path)
	}
	if len(files) > 0 {
		return fmt.Errorf(`%d files are not formatted; "make fmt" does it`, len(files))
	}
	return nil
}

// rewriteFormat rewrites the Go files that gofmt would change, and prints their names.
func rewriteFormat(w io.Writer) error {
	files, err := unformatted(".")
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := os.WriteFile(f.path, f.formatted, 0o666); err != nil {
			return err
		}
		fmt.Fprintln(w, f.path)
	}
	return nil
}

type formattedFile struct {
	path      string
	formatted []byte
}

// unformatted finds the Go files below dir that differ from what gofmt makes of them. It uses
// go/format, which is gofmt, instead of the program: that one is not always on PATH.
func unformatted(dir string) ([]formattedFile, error) {
	var found []formattedFile
	err := eachSource(dir, isGo, func(path string, src []byte) error {
		want, err := format.Source(src)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if !bytes.Equal(src, want) {
			found = append(found, formattedFile{path, want})
		}
		return nil
	})
	return found, err
}

func isGo(name string) bool {
	return filepath.Ext(name) == ".go"
}
