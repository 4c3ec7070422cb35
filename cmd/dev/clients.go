package main

import (
	"context"
	"io"
	"os"
	"path/filepath"

	"github.com/terrarium-dev/terrarium/cmd/dev/internal/clients"
)

// tryClients writes CONFORMANCE.md: what terrarium conform finds of each ACP client that can
// be run here. It needs what "build" builds, and installs the clients that npm has.
func tryClients(ctx context.Context, w io.Writer, root string) error {
	dir := filepath.Join("tests", "clients")
	// Not "npm ci", which wants optional packages in the lock file that the registry does not have.
	if err := npmRun(ctx, w, dir, "install", "--omit=optional", "--no-save", "--no-audit", "--no-fund"); err != nil {
		return err
	}
	doc, err := clients.Run(ctx, w, filepath.Join(root, binary), filepath.Join(root, dir, "node_modules"))
	if err != nil {
		return err
	}
	return os.WriteFile("CONFORMANCE.md", doc, 0o666)
}
