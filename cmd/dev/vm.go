package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/terrarium-dev/terrarium/cmd/dev/internal/vm"
)

// runInVM runs the tests of packages in a virtual machine, as root and as nobody, each in a cgroup
// of its own that is delegated to it. Nothing is installed but QEMU, if it is missing.
func runInVM(ctx context.Context, args []string, w io.Writer) error {
	flags := newFlags("vm")
	kernel := flags.String("kernel", "linux-image-amd64", "")
	pattern := flags.String("run", ".", "")
	if flags.Parse(args) != nil || flags.NArg() == 0 {
		return errUsage
	}
	dir, err := filepath.Abs(filepath.Join(".cache", "vm"))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if _, err := exec.LookPath("qemu-system-x86_64"); err != nil {
		if err := command(ctx, w, nil, "apt-get", "install", "-y", "--no-install-recommends", "qemu-system-x86"); err != nil {
			return err
		}
	}
	machine := vm.Machine{Init: filepath.Join(dir, "init")}
	if machine.Kernel, err = unpackKernel(ctx, w, dir, *kernel); err != nil {
		return err
	}
	static := []string{"CGO_ENABLED=0", "GOOS=linux", "GOARCH=amd64"}
	if err := command(ctx, w, static, "go", "build", "-o", machine.Init, "./cmd/dev/internal/vminit"); err != nil {
		return err
	}
	var errs []error
	for _, pkg := range flags.Args() {
		binary := filepath.Join(dir, strings.NewReplacer("/", "-", ".", "").Replace(pkg)+".test")
		if err := command(ctx, w, static, "go", "test", "-c", "-o", binary, pkg); err != nil {
			return err
		}
		folder, err := exec.CommandContext(ctx, "go", "list", "-f", "{{.Dir}}", pkg).Output()
		if err != nil {
			return fmt.Errorf("go list %s: %w", pkg, err)
		}
		err = machine.Run(ctx, w, strings.TrimSpace(string(folder)), binary, "-test.v", "-test.run="+*pattern, "-test.timeout=30m")
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", pkg, err))
		}
	}
	return errors.Join(errs...)
}

// unpackKernel downloads a package of Linux, or what it depends on if that is the one with the
// kernel, and returns where it was unpacked.
func unpackKernel(ctx context.Context, w io.Writer, dir, pkg string) (string, error) {
	out, err := exec.CommandContext(ctx, "apt-cache", "depends", pkg).Output()
	if err != nil {
		return "", fmt.Errorf("apt-cache depends %s: %w", pkg, err)
	}
	for line := range strings.Lines(string(out)) {
		name, ok := strings.CutPrefix(strings.TrimSpace(line), "Depends: linux-image-")
		if ok {
			pkg = "linux-image-" + name
			break
		}
	}
	unpacked := filepath.Join(dir, pkg)
	if _, err := os.Stat(filepath.Join(unpacked, "boot")); err == nil {
		return unpacked, nil
	}
	download := exec.CommandContext(ctx, "apt-get", "download", pkg)
	download.Dir, download.Stdout, download.Stderr = dir, w, w
	if err := download.Run(); err != nil {
		return "", fmt.Errorf("apt-get download %s: %w", pkg, err)
	}
	files, err := filepath.Glob(filepath.Join(dir, pkg+"_*.deb"))
	if err != nil || len(files) == 0 {
		return "", fmt.Errorf("apt-get download %s has left no file in %s", pkg, dir)
	}
	partial := unpacked + ".part" // until all is there
	if err := command(ctx, w, nil, "dpkg", "-x", files[len(files)-1], partial); err != nil {
		return "", err
	}
	return unpacked, os.Rename(partial, unpacked)
}
