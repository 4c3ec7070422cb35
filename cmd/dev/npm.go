package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// npmInstall runs "npm ci" in dir, unless what is installed there came from the same two files.
func npmInstall(ctx context.Context, out io.Writer, dir string) error {
	return npmRun(ctx, out, dir, "ci")
}

// npmInstallOptional is npmInstall for packages that name optional ones which a registry need not
// have: "npm ci" wants all that are in the lock file.
func npmInstallOptional(ctx context.Context, out io.Writer, dir string) error {
	return npmRun(ctx, out, dir, "install", "--no-save", "--no-audit", "--no-fund")
}

// npmRun has npm do in dir what args say, unless what is installed there came from the same two
// files.
func npmRun(ctx context.Context, out io.Writer, dir string, args ...string) error {
	want, err := npmStamp(dir)
	if err != nil {
		return err
	}
	// Inside node_modules, which "npm ci" empties first: an install that broke off leaves no stamp.
	// "npm install" makes what is there as the files say, and a stamp of other files is none.
	stamp := filepath.Join(dir, "node_modules", ".terrarium-stamp")
	if got, err := os.ReadFile(stamp); err == nil && string(got) == want {
		fmt.Fprintf(out, "%s/node_modules is up to date\n", dir)
		return nil
	}
	if err := command(ctx, out, nil, "npm", append([]string{"--prefix", dir}, args...)...); err != nil {
		return err
	}
	return os.WriteFile(stamp, []byte(want), 0o666)
}

// npmStamp returns a sum over the files that decide what "npm ci" installs.
func npmStamp(dir string) (string, error) {
	h := sha256.New()
	for _, name := range []string{"package.json", "package-lock.json"} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(h, "%s %d\n%s", name, len(b), b)
	}
	return fmt.Sprintf("%x\n", h.Sum(nil)), nil
}
