// Package demo runs Terrarium's main job on real input, for "make demo".
package demo

import (
	"context"
	"fmt"
	"io"
	"time"
)

// patience bounds the demo. It takes about 10 s on two cores, most of it to compile the sandbox's
// shell, once; on a machine that does much else that took minutes.
const patience = 10 * time.Minute

// Run shows what an agent meets in the sandbox, and then plays one that has three terminals at once
// over ACP. What happens goes to w. It runs in the root of the module, which is what the commands
// work on. The error says what was not as it should be.
func Run(ctx context.Context, binary string, w io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := showSandbox(ctx, binary, w); err != nil {
		return err
	}
	return showTerminals(ctx, binary, w)
}

// clip shortens s to n runes.
func clip(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

// columns is how wide a line is that the demo prints.
const columns = 80

// indented prints lines below a title.
func indented(w io.Writer, line string) {
	fmt.Fprintf(w, "  %s\n", clip(line, columns-2))
}
