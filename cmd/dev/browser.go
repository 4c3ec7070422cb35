package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/terrarium-dev/terrarium/cmd/dev/internal/browser"
)

// exitStatus is an error that says nothing: what is run has, and ends with this status.
type exitStatus int

func (e exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// runInBrowser runs a test binary for GOOS=js in Chromium, as "go test -exec" would have it run: in
// the current directory, which is that of its package, where it finds the folder's own files and
// testdata. Each program in testdata is there as testdata/NAME.wasm besides, built for wasip1.
func runInBrowser(ctx context.Context, args []string) error {
	flags := newFlags("browser")
	limit := flags.Duration("limit", 10*time.Minute, "")
	dir := flags.String("dir", ".", "")
	var add []string
	flags.Func("add", "", func(path string) error {
		add = append(add, path)
		return nil
	})
	if flags.Parse(args) != nil || flags.NArg() == 0 {
		return errUsage
	}
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	if err := installTools(ctx, os.Stderr, []tool{chromium}); err != nil {
		return err
	}
	var said bytes.Buffer
	if err := compileWeb(ctx, &said, root); err != nil {
		return fmt.Errorf("compile web/src: %w\n%s", err, said.Bytes())
	}
	goroot, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("go env GOROOT: %w", err)
	}
	c := browser.Config{
		Chromium: chromium.name, Goroot: strings.TrimSpace(string(goroot)), Web: filepath.Join(root, "web", "dist"),
		Wasm: flags.Arg(0), Args: flags.Args()[1:], Env: browserEnv(), Limit: *limit,
		Stdout: os.Stdout, Stderr: os.Stderr,
	}
	if c.Dir, err = filepath.Abs(*dir); err != nil {
		return err
	}
	if c.Files, err = testFiles(ctx, c.Dir, add); err != nil {
		return err
	}
	if err := c.Check(); err != nil {
		return err
	}
	code, err := browser.Run(ctx, c)
	if err == nil && code != 0 {
		err = exitStatus(code)
	}
	return err
}

// moduleRoot returns the module's root, above the current directory.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "cmd", "dev", "browser.go")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", errors.New("run it in the module")
		}
		dir = filepath.Dir(dir)
	}
}

// compileWeb makes of the package's sources in web what browsers load, unless that is newer.
// Without npm there will be no page, which is all that is missing then.
func compileWeb(ctx context.Context, out io.Writer, root string) error {
	if _, err := exec.LookPath("npm"); err != nil {
		fmt.Fprintln(out, "NOT BUILT: the page, which needs npm")
		return nil
	}
	web := filepath.Join(root, "web")
	// The worker of the page loads it.
	if err := copyWasmExec(ctx, filepath.Join(web, "dist", "wasm_exec.js")); err != nil {
		return err
	}
	if stale, err := webIsStale(web); err != nil || !stale {
		return err
	}
	if err := npmInstall(ctx, out, web); err != nil {
		return err
	}
	return command(ctx, out, nil, "npm", "--prefix", web, "run", "build")
}

// webIsStale reports whether something has changed since the package was compiled, of which
// guests.js is a part.
func webIsStale(web string) (stale bool, err error) {
	compiled, err := os.Stat(filepath.Join(web, "dist", "guests.js"))
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	for _, source := range []string{"src", "dist/wasm_exec.js", "demo/vendor.mjs", "rolldown.config.js", "tsconfig.json", "package.json", "package-lock.json"} {
		err := filepath.WalkDir(filepath.Join(web, source), func(_ string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			info, err := d.Info()
			stale = stale || err == nil && info.ModTime().After(compiled.ModTime())
			return err
		})
		if err != nil {
			return false, err
		}
	}
	return stale, nil
}

// browserEnv returns our environment as far as tests look at it. There is little room for it.
func browserEnv() map[string]string {
	env := map[string]string{"TMPDIR": "/tmp", "HOME": "/tmp"}
	for _, e := range os.Environ() {
		name, value, _ := strings.Cut(e, "=")
		if name == "GOMAXPROCS" || name == "GOGC" || name == "GODEBUG" || name == "GOTRACEBACK" || name == "GOMEMLIMIT" ||
			strings.HasPrefix(name, "TERRARIUM_") {
			env[name] = value
		}
	}
	return env
}

// testFiles returns what a package's tests find in its folder, and what add names.
func testFiles(ctx context.Context, dir string, add []string) ([]browser.File, error) {
	files, err := browser.Tree(dir, false)
	if err != nil {
		return nil, err
	}
	data, err := browser.Tree(filepath.Join(dir, "testdata"), true)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	files = append(files, data...)
	for _, path := range add {
		if path, err = filepath.Abs(path); err != nil {
			return nil, err
		}
		more, err := browser.Tree(path, true)
		if err != nil {
			return nil, err
		}
		files = append(files, more...)
	}
	commands, err := testCommands(ctx, dir)
	return append(files, commands...), err
}

// testCommands builds the programs in testdata.
func testCommands(ctx context.Context, dir string) (files []browser.File, err error) {
	mains, err := filepath.Glob(filepath.Join(dir, "testdata", "*", "main.go"))
	if err != nil || len(mains) == 0 {
		return nil, err
	}
	temp, err := os.MkdirTemp("", "browser")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temp)
	for _, main := range mains {
		folder := filepath.Dir(main)
		name := filepath.Join(temp, filepath.Base(folder)+".wasm")
		build := exec.CommandContext(ctx, "go", "build", "-o", name, ".")
		build.Dir = folder
		build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
		if out, err := build.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("build %s: %w\n%s", folder, err, out)
		}
		wasm, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		files = append(files, browser.NewFile(folder+".wasm", 0o644, wasm))
	}
	return files, nil
}
