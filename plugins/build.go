package plugins

import (
	"context"
	"fmt"
	"go/version"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Build builds the modules that this program was built without and that are not in dir
// for its version, and puts them there; then it returns In(dir). It takes the release of
// this module that the program was built with, the go command in PATH, some minutes, and
// a gigabyte of its caches. What can't be had again, as a working copy, is an error. See
// Builder for more ways. dir is to be yours: what is in there runs in sandboxes only, but
// decides what commands do in there. Give it to hostwasm.Config.Hidden.
func Build(ctx context.Context, dir string) ([]Module, error) {
	var missing []string
	for _, m := range In(dir) {
		if m.Missing() != nil {
			missing = append(missing, m.Name)
		}
	}
	if len(missing) > 0 {
		b := Builder{Modules: missing}
		if err := b.Build(ctx, dir); err != nil {
			return nil, err
		}
	}
	return In(dir), nil
}

// A Builder builds modules from source. The zero value builds all of them from the
// release that this program was built with.
type Builder struct {
	// Modules are the names of those to build. If empty, it builds all.
	Modules []string
	// Dir is a tree of this module, to be built in the place of a release. Programs in
	// it run on this machine. The tree itself stays as it is.
	Dir string
	// Go is the path of the go command. If empty, it is looked for in PATH.
	Go string
	// Log, if not nil, gets what the go command writes, from one goroutine at a time.
	Log io.Writer
}

// goVersion is the release of Go that this module needs, as go.mod has it.
const goVersion = "go1.26"

// Plan returns what Build would take, without downloading or building anything: the
// version, the source and its sum, and which Go. goCommand is its path.
func (b *Builder) Plan(ctx context.Context) (built Built, goCommand string, err error) {
	built = Built{Version: Version()}
	if b.Dir == "" {
		r, ok := ownRelease()
		if !ok {
			return built, "", errDevel
		}
		built.Source, built.Sum = r.path+"@"+r.version, r.sum
	} else if built.Source, err = checkTree(b.Dir); err != nil {
		return built, "", err
	}
	if goCommand, err = b.goCommand(); err != nil {
		return built, "", err
	}
	dir, err := os.MkdirTemp("", "terrarium-plan-") // where no go.mod says what to use
	if err != nil {
		return built, goCommand, err
	}
	defer os.RemoveAll(dir)
	run := goRun{command: goCommand, dir: dir}
	out, err := run.output(ctx, "env", "GOVERSION", "GOTOOLCHAIN")
	if err != nil {
		return built, goCommand, err
	}
	has, toolchain, _ := strings.Cut(out, "\n")
	built.Go = has
	fetches := version.Compare(has, "go1.21") >= 0 && toolchain != "local" // a newer one, by itself
	if version.Compare(has, goVersion) < 0 && !fetches {
		return built, goCommand, fmt.Errorf("%s is %s: %s is needed: https://go.dev/dl/", goCommand, has, goVersion)
	}
	return built, goCommand, nil
}

// goCommand returns the path of the go command.
func (b *Builder) goCommand() (string, error) {
	name := b.Go
	if name == "" {
		name = "go"
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("modules are built by Go, of %s or later, and there is none: %w: https://go.dev/dl/", goVersion, err)
	}
	return filepath.Abs(path) // since it runs elsewhere
}

// Build builds the modules into dir, which is made if it is not there, as Install does:
// nothing of them is there before all is built. Two may do it at once. It is ended by
// ctx, with what it has started.
func (b *Builder) Build(ctx context.Context, dir string) error {
	built, goCommand, err := b.Plan(ctx)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	stage, err := newStage(dir)
	if err != nil {
		return err
	}
	defer os.RemoveAll(stage)
	run := goRun{command: goCommand, dir: stage, log: b.Log}
	tree := built.Source
	if b.Dir == "" {
		if tree, err = download(ctx, run, built); err != nil {
			return err
		}
	}
	run.dir = filepath.Join(stage, "source")
	for _, part := range parts {
		if err := copyTree(filepath.Join(run.dir, part), filepath.Join(tree, part)); err != nil {
			return err
		}
	}
	out := filepath.Join(stage, "out")
	if err := os.Mkdir(out, 0o700); err != nil {
		return err
	}
	// It is the version that the tree asks for.
	if built.Go, err = run.output(ctx, "env", "GOVERSION"); err != nil {
		return err
	}
	names := b.Modules
	if len(names) == 0 {
		for _, m := range Modules() {
			names = append(names, m.Name)
		}
	}
	args := append([]string{"run", "./cmd/dev", "plugins", "-version", built.Version, out}, names...)
	if err := run.run(ctx, args...); err != nil {
		return err
	}
	for _, name := range names {
		if err := install(dir, out, name, built); err != nil {
			return err
		}
	}
	return nil
}

// stagePrefix begins the names of directories that are work under way, and staleStage
// is when nobody is at work in one any longer.
const (
	stagePrefix = ".stage-"
	staleStage  = 24 * time.Hour
)

// newStage makes a directory to work in, and removes those of others who were killed.
func newStage(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	// If the path is no good as a pattern, they stay.
	left, _ := filepath.Glob(filepath.Join(dir, stagePrefix+"*"))
	for _, stage := range left {
		if info, err := os.Lstat(stage); err == nil && time.Since(info.ModTime()) > staleStage {
			os.RemoveAll(stage)
		}
	}
	return os.MkdirTemp(dir, stagePrefix)
}

// install puts a module that was built into its folder.
func install(dir, out, name string, built Built) error {
	wasm, err := readBounded(filepath.Join(out, name+".wasm"), maxModule)
	if err != nil {
		return fmt.Errorf("the build has made no %s: %w", name, err)
	}
	is, of, err := Stamp(wasm)
	if err == nil && (is != name || of != built.Version) {
		err = fmt.Errorf("%s of version %s", is, of)
	}
	if err != nil {
		return fmt.Errorf("the build has made no %s of version %s: %w", name, built.Version, err)
	}
	m := Module{Name: name, Commands: []string{name}, Built: &built}
	var direct []byte
	if name == "box" { // which has more to it
		list, err := readBounded(filepath.Join(out, "box.txt"), maxRecord)
		if err != nil {
			return err
		}
		m.Commands = strings.Fields(string(list))
		if direct, err = readBounded(filepath.Join(out, "direct.wasm"), maxRecord); err != nil {
			return err
		}
	}
	return Install(dir, m, wasm, direct)
}
