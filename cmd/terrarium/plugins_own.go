package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/dirlock"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/index"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/plugin"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/plugins"
)

// An ownKind is a module of ours as a person knows it.
type ownKind struct {
	description string
	size        int64 // about, in bytes
	trial       index.Entry
}

var ownKinds = map[string]ownKind{
	"box": {"the shell and the tools of the sandbox", 15e6,
		index.Entry{Name: "box", Smoke: []string{"bash", "-c", "echo ok"}, Answer: "ok"}},
	"git": {"git for the sandbox", 11e6,
		index.Entry{Name: "git", Smoke: []string{"--version"}, Answer: "git version"}},
}

// ownOffers returns what there is of ours that this program was built without, and that
// has word in its name or description.
func ownOffers(word string) (offers []offer) {
	word = strings.ToLower(word)
	for _, m := range ownModules() {
		kind := ownKinds[m.Name]
		isPart := m.Missing() == nil && m.Built == nil
		if isPart || !strings.Contains(m.Name, word) && !strings.Contains(kind.description, word) {
			continue
		}
		o := offer{
			Name: m.Name, Version: plugins.Version(), Description: kind.description, Licence: "Apache-2.0",
			Aliases: []string{}, Needs: []string{}, Env: []string{}, Size: kind.size,
		}
		if m.Built != nil {
			o.Source, o.Size, o.Added = m.Built.Source, m.Built.Size, m.Built.Version
		}
		offers = append(offers, o)
	}
	return offers
}

// addOwn builds modules of ours that this program was built without, of the source of its
// release, or of a tree of it, and adds them, if a person agrees. Before the last step
// nothing of them is where they are looked for.
func (f *addFlags) addOwn(ctx context.Context, cmd *cobra.Command, names []string, tree string) error {
	missing, err := f.missingOwn(cmd.OutOrStdout(), names)
	if len(missing) == 0 || err != nil {
		return err
	}
	all := strings.Join(missing, ", ")
	b := plugins.Builder{Modules: missing, Dir: tree}
	planned, goCommand, err := b.Plan(ctx)
	if err != nil {
		return fmt.Errorf("plugin %s: %w%s", all, interrupted(ctx, err), otherWay(missing[0], err))
	}
	if err := printOwn(cmd.OutOrStdout(), missing, planned, goCommand); err != nil {
		return err
	}
	if !f.yes {
		if err := mustAgree(ctx, all, "build "+all+", and add what was built?"); err != nil {
			return interrupted(ctx, err)
		}
	}
	dir, err := trustedPlugins()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	stage, err := plugin.NewStage(dir)
	if err != nil {
		return err
	}
	defer os.RemoveAll(stage)
	done := building(all)
	err = b.Build(ctx, stage)
	done()
	if failed, ok := errors.AsType[*plugins.BuildError](err); ok {
		err = fmt.Errorf("%s: %w%s", failed.Command, failed.Err, words(failed.Output))
	}
	if err != nil {
		return interrupted(ctx, fmt.Errorf("plugin %s: not added: %w", all, err))
	}
	for _, m := range plugins.In(stage) {
		if m.Built == nil {
			continue // not asked for
		}
		wasm, err := m.Load()
		if err != nil {
			return err
		}
		var direct []byte
		if small, ok := m.Direct(); ok {
			if direct, err = small.Load(); err != nil {
				return err
			}
		}
		if err := f.installOwn(ctx, cmd.OutOrStdout(), m, wasm, direct); err != nil {
			return err
		}
	}
	return nil
}

// missingOwn returns which of these there are not, and says of the others that they are there.
func (f *addFlags) missingOwn(w io.Writer, names []string) (missing []string, err error) {
	for _, name := range names {
		m, _ := ownModule(name)
		switch {
		case slices.Contains(missing, name): // named twice
		case m.Missing() != nil:
			missing = append(missing, name)
		case m.Built == nil:
			_, err = fmt.Fprintf(w, "%s is there already: it comes with terrarium\n", name)
		case f.force:
			missing = append(missing, name)
		default:
			_, err = fmt.Fprintf(w, "%s %s is there already\n", name, m.Built.Version)
		}
		if err != nil {
			return nil, err
		}
	}
	return missing, nil
}

// currentOwn says that a module of ours that was added is of this version.
func currentOwn(w io.Writer, name string) error {
	m, _ := ownModule(name)
	if m.Missing() != nil || m.Built == nil {
		return noPlugin(name)
	}
	_, err := fmt.Fprintf(w, "%s %s is there already\n", name, m.Built.Version)
	return err
}

// otherWay returns what a person can do who can't build a module.
func otherWay(name string, err error) string {
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return ": or add one that was built elsewhere: terrarium plugins add " + name + " FILE"
	case plugins.Version() == plugins.Devel:
		return ": terrarium plugins add " + name + " DIR"
	}
	return ""
}

// printOwn says what would be built.
func printOwn(w io.Writer, names []string, from plugins.Built, goCommand string) error {
	var b strings.Builder
	row := func(label string, words ...string) { fold(&b, label, words) }
	var size int64
	for _, name := range names {
		fmt.Fprintf(&b, "%s %s: %s\n", name, from.Version, ownKinds[name].description)
		size += ownKinds[name].size
	}
	row("licence", strings.Fields("Apache-2.0, and those of the libraries in it")...)
	row("source", plugin.Printable(from.Source))
	if from.Sum != "" {
		row("sum", from.Sum+",", "as", "of", "this", "program")
	} else {
		row("", strings.Fields("programs in it run on this machine")...)
	}
	row("built by", plugin.Printable(from.Go), "("+plugin.Printable(goCommand)+"),", "which", "downloads", "what", "it", "lacks")
	row("size", strings.Fields("about "+about(size)+", and some hundred MiB in the caches of Go; it takes minutes")...)
	_, err := io.WriteString(w, b.String())
	return err
}

// building tells who waits for a build that it goes on.
func building(what string) (done func()) {
	text := "terrarium: building " + what + ", which may take minutes"
	if isTerminal(os.Stderr) {
		return countSeconds(os.Stderr, text)
	}
	fmt.Fprintln(os.Stderr, text)
	return func() {}
}

// installOwn compiles and tries a module of ours, and adds it if it is one.
func (f *addFlags) installOwn(ctx context.Context, w io.Writer, m plugins.Module, wasm, direct []byte) error {
	if _, err := trustedPlugins(); err != nil {
		return err
	}
	p := plugin.Plugin{Manifest: plugin.Manifest{Name: m.Name}}
	if _, err := inspect(&p, wasm); err != nil {
		return fmt.Errorf("plugin %s: not added: %w", m.Name, err)
	}
	kind := ownKinds[m.Name]
	err := f.compile(ctx, &p, wasm, func(host driver.Host) error {
		if err := smoke(ctx, host, &kind.trial); err != nil || m.Name != "box" {
			return err
		}
		list, err := answerOf(ctx, host, "box", []string{"--list"})
		m.Commands = strings.Fields(list)
		return err
	})
	if err != nil {
		return err
	}
	dir, err := userPlugins()
	if err != nil {
		return err
	}
	dir = filepath.Join(dir, ownFolder)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	unlock, err := dirlock.Lock(dir) // of two who add one, the later wins
	if err != nil {
		return err
	}
	defer unlock()
	if err := plugins.Install(dir, m, wasm, direct); err != nil {
		return fmt.Errorf("plugin %s: not added: %w", m.Name, err)
	}
	if m.Name == "box" {
		_, err = fmt.Fprintf(w, "added box, with %d commands, to %s\n", len(m.Commands), plugin.Printable(dir))
		return err
	}
	_, err = fmt.Fprintf(w, "added %s to %s\n", m.Name, plugin.Printable(dir))
	return err
}

// addOwnFrom adds modules of ours from a tree of the source, or one from a FILE.
func (f *addFlags) addOwnFrom(cmd *cobra.Command, names []string, path string) error {
	ctx, stop := interruptible()
	defer stop()
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return f.addOwn(ctx, cmd, names, path)
	}
	if len(names) > 1 {
		return &usageError{cmd.UseLine(), fmt.Errorf("want a DIR for %s, or one of them and its FILE", strings.Join(names, ", "))}
	}
	missing, err := f.missingOwn(cmd.OutOrStdout(), names)
	if len(missing) == 0 || err != nil {
		return err
	}
	name := names[0]
	wasm, err := plugin.Module(path)
	if err != nil {
		return err
	}
	is, version, err := plugins.Stamp(wasm)
	switch {
	case err != nil:
		return fmt.Errorf("plugin %s: %s: %w", name, plugin.Printable(path), err)
	case is != name:
		return fmt.Errorf("plugin %s: %s: it is %s", name, plugin.Printable(path), plugin.Printable(is))
	case version != plugins.Version():
		return fmt.Errorf("plugin %s: %s: it is of version %s, and this program of %s", name,
			plugin.Printable(path), plugin.Printable(version), plugins.Version())
	}
	source, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	m := plugins.Module{Name: name, Commands: []string{name}, Built: &plugins.Built{Version: version, Source: source}}
	return f.installOwn(ctx, cmd.OutOrStdout(), m, wasm, nil)
}

// removeOwn removes what was added of a module of ours.
func removeOwn(w io.Writer, name string) error {
	dir, err := userPlugins()
	if err != nil {
		return err
	}
	dir = filepath.Join(dir, ownFolder)
	if _, err := os.Lstat(filepath.Join(dir, name+".json")); err != nil {
		return cmp.Or(noPlugin(name), err)
	}
	unlock, err := dirlock.Lock(dir)
	if err != nil {
		return err
	}
	defer unlock()
	if err := plugins.Remove(dir, name); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "removed %s from %s\n", name, plugin.Printable(dir))
	return err
}

// outdatedOwn returns the modules of ours that were added for another version, and that
// this program is without.
func outdatedOwn() (names []string) {
	dir, err := ownDir()
	if err != nil {
		return nil
	}
	for _, m := range plugins.In(dir) {
		if _, outdated := plugins.Outdated(dir, m.Name); outdated && m.Missing() != nil {
			names = append(names, m.Name)
		}
	}
	return names
}
