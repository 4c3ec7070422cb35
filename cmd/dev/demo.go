package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/terrarium-dev/terrarium/cmd/dev/internal/demo"
)

// showDemo builds no more than the demo needs, in one line of output, and runs it. What "build"
// makes besides needs the network and a minute; what it has made stays in the binary.
func showDemo(ctx context.Context, w io.Writer, root string) error {
	fmt.Fprint(w, "Building ./terrarium and the sandbox's shell; the first time takes a minute: ")
	start := time.Now()
	var out bytes.Buffer
	if err := runAll(ctx, &out, append(pluginSteps(pluginsDir, develVersion, "box"), commandBuild())); err != nil {
		fmt.Fprintln(w)
		w.Write(out.Bytes())
		return err
	}
	fmt.Fprintf(w, "%.0f s\n", time.Since(start).Seconds())
	if err := demo.Run(ctx, filepath.Join(root, binary), w); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w, "\n./terrarium is there for you. \"make build\" adds git and the page.")
	return err
}
