package main

import (
	"context"
	varint "encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/terrarium-dev/terrarium/cmd/dev/internal/direct"
)

// pluginsDir is where the command embeds our plugins from.
const pluginsDir = "plugins/dist"

// A recipe makes a plugin of ours, and what belongs to it, in a directory. The plugin
// is stamped with a version.
type recipe struct {
	name  string
	steps func(dir, version string) []step
}

// recipes are those of package plugins, in its order.
var recipes = []recipe{
	{"box", func(dir, version string) []step {
		return []step{
			{"build box.wasm", func(ctx context.Context, out io.Writer) error { return buildBox(ctx, out, dir, version) }},
			{"write direct.wasm", func(context.Context, io.Writer) error {
				return os.WriteFile(filepath.Join(dir, "direct.wasm"), direct.Bytes(), 0o666)
			}},
		}
	}},
	{"git", func(dir, version string) []step {
		return []step{{"build git.wasm", func(ctx context.Context, out io.Writer) error {
			flags := append([]string{"-trimpath", "-ldflags=-s -w"}, keptSmall(smallGit)...)
			return buildPlugin(ctx, out, dir, "git", version, flags...)
		}}}
	}},
}

// smallGit are packages of git like the box's smallPackages: a command calls most of their
// functions once, and what computes is elsewhere.
var smallGit = []string{
	module + "/plugins/git/internal/porcelain/...",
	module + "/plugins/http/...",
	"github.com/go-git/...",
	"encoding/gob",
	"fmt",
	"mime",
	"net/url",
	"regexp/syntax",
	"slices",
}

// keptSmall returns flags for packages whose functions are not copied to where they are called.
func keptSmall(packages []string) (flags []string) {
	for _, p := range packages {
		flags = append(flags, "-gcflags="+p+"=-l")
	}
	return flags
}

// pluginSteps makes the plugins of these names, or all if there are none, in dir.
func pluginSteps(dir, version string, names ...string) []step {
	steps := []step{{"pack time zones", packZones}} // plugins embed them
	for _, r := range recipes {
		if len(names) == 0 || slices.Contains(names, r.name) {
			steps = append(steps, r.steps(dir, version)...)
		}
	}
	return steps
}

// makePlugins runs one command line of "plugins". This is how package plugins has a
// program's missing ones built from the source of a release: the first step that
// fails ends it, and its words come last.
func makePlugins(ctx context.Context, args []string, w io.Writer) error {
	flags := newFlags("plugins")
	version := flags.String("version", develVersion, "")
	if flags.Parse(args) != nil || flags.NArg() == 0 {
		return errUsage
	}
	dir, names := flags.Arg(0), flags.Args()[1:]
	for _, name := range names {
		if !slices.ContainsFunc(recipes, func(r recipe) bool { return r.name == name }) {
			return fmt.Errorf("plugins %s: no such plugin", name)
		}
	}
	for _, s := range pluginSteps(dir, *version, names...) {
		fmt.Fprintf(w, "== %s\n", s.name)
		if err := s.run(ctx, w); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return nil
}

// buildPlugin builds plugins/NAME into dir and stamps it.
func buildPlugin(ctx context.Context, out io.Writer, dir, name, version string, flags ...string) error {
	file := filepath.Join(dir, name+".wasm")
	if err := buildModule(ctx, out, file, "./plugins/"+name, flags...); err != nil {
		return err
	}
	wasm, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return os.WriteFile(file, stamped(wasm, name, version), 0o777)
}

// develVersion is the version of what was built from a working copy.
const develVersion = "(devel)"

// stampSection is the custom section that says which plugin a module is, and of which
// version of ours. Package plugins reads it.
const stampSection = "terrarium.plugin"

// stamped returns a module with its stamp. A custom section may follow the others and
// means nothing to who runs the module.
func stamped(wasm []byte, name, version string) []byte {
	body := varint.AppendUvarint(nil, uint64(len(stampSection)))
	body = append(body, stampSection+name+" "+version...)
	wasm = append(slices.Clip(wasm), 0) // the kind of section
	return append(varint.AppendUvarint(wasm, uint64(len(body))), body...)
}
