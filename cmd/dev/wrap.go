package main

import (
	"context"
	"fmt"
	"io"

	"github.com/terrarium-dev/terrarium/cmd/dev/internal/wrap"
)

// checkWrap fails with the places of prose that is wider than 100 columns.
func checkWrap(ctx context.Context, out io.Writer) error {
	found := 0
	err := eachSource(".", wrap.Knows, func(path string, src []byte) error {
		for _, line := range wrap.Find(path, src) {
			fmt.Fprintf(out, "%s:%d\n", path, line)
			found++
		}
		return nil
	})
	if err == nil && found > 0 {
		err = fmt.Errorf("%d lines have comments or text beyond column %d: wrap them, "+
			"or put a comment behind code above it", found, wrap.Columns)
	}
	return err
}
