package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// buildSandbox builds the sandbox for a page into dir: sandbox.wasm.gz, which
// pages fetch, and what runs programs of the Go that has built it. The command
// embeds dir, so the module itself is left elsewhere.
func buildSandbox(ctx context.Context, out io.Writer, dir string) error {
	flags, err := readFlags(sandboxFlags)
	if err != nil {
		return err
	}
	file := filepath.Join(".cache", "sandbox.wasm")
	if err := buildWasm(ctx, out, js, file, "./cmd/sandbox", flags); err != nil {
		return err
	}
	compressed := filepath.Join(dir, "sandbox.wasm.gz")
	size, err := compress(compressed, file)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s: %d bytes\n", compressed, size)
	return copyWasmExec(ctx, filepath.Join(dir, "wasm_exec.js"))
}

// compress writes a file compressed to another, and returns the size of that.
func compress(compressed, file string) (size int, err error) {
	wasm, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	to, err := os.Create(compressed)
	if err != nil {
		return 0, err
	}
	defer to.Close()
	w, err := gzip.NewWriterLevel(to, gzip.BestCompression)
	if err != nil {
		return 0, err
	}
	if _, err := w.Write(wasm); err != nil {
		return 0, err
	}
	if err := w.Close(); err != nil {
		return 0, err
	}
	stat, err := to.Stat()
	if err != nil {
		return 0, err
	}
	return int(stat.Size()), to.Close()
}

// copyWasmExec copies the toolchain's wasm_exec.js, which fits its own programs
// only.
func copyWasmExec(ctx context.Context, file string) error {
	root, err := goRoot(ctx)
	if err != nil {
		return err
	}
	script, err := os.ReadFile(filepath.Join(root, "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return err
	}
	if old, err := os.ReadFile(file); err == nil && bytes.Equal(old, script) {
		return nil // it stays as old as what was made of it
	}
	return os.WriteFile(file, script, 0o666)
}

// goRoot returns where the toolchain is.
func goRoot(ctx context.Context) (string, error) {
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOROOT: %w", err)
	}
	return strings.TrimSpace(string(root)), nil
}
