package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/terrarium-dev/terrarium/core"
)

// workspaceFlags say that a directory is handed over to a place.
type workspaceFlags struct {
	workspace    string
	most         byteSize // that is handed over without a question
	repositories []string // outside of it whose history may be; without symbolic links after check
	work         *handed  // it was; or nil
}

// defaultWorkspaceLimit is how much is handed over without a question.
const defaultWorkspaceLimit = 256 << 20

func (f *workspaceFlags) addWorkspace(cmd *cobra.Command) {
	f.most = defaultWorkspaceLimit
	cmd.Flags().StringVar(&f.workspace, "workspace", "", "")
	cmd.Flags().Var(&f.most, "workspace-limit", "")
	cmd.MarkFlagDirname("workspace")
	f.addRepositories(cmd)
}

func (f *workspaceFlags) addRepositories(cmd *cobra.Command) {
	cmd.Flags().Var((*repeated)(&f.repositories), "workspace-git", "")
	cmd.MarkFlagDirname("workspace-git")
}

// check says what is wrong with the flags.
func (f *workspaceFlags) check(set *pflag.FlagSet) error {
	for i, dir := range f.repositories {
		real, err := realDir(dir)
		if err != nil {
			return fmt.Errorf("--workspace-git: %w", err)
		}
		f.repositories[i] = real
	}
	switch {
	case set.Lookup("workspace") != nil && !set.Changed("workspace") && set.Changed("workspace-git"):
		return errors.New("--workspace-git needs --workspace")
	case !set.Changed("workspace") && set.Changed("workspace-limit"):
		return errors.New("--workspace-limit needs --workspace")
	case !set.Changed("workspace"):
		return nil
	case !set.Changed("on"):
		return errors.New("--workspace needs --on: without, commands have our directories")
	case set.Changed("cwd"):
		return errors.New("--workspace and --cwd exclude each other: commands run in the directory of the workspace that is ours here")
	}
	dir, err := realDir(f.workspace)
	if err != nil {
		return fmt.Errorf("--workspace: %w", err)
	}
	home, err := os.UserHomeDir()
	if err == nil {
		home, err = realDir(home)
	}
	if isRoot(dir) || err == nil && dir == home {
		return fmt.Errorf("--workspace %s: want a project's directory: this one has your secrets, too", f.workspace)
	}
	return nil
}

// A handed is a directory that was handed over.
type handed struct {
	dir  string   // here, without symbolic links
	also []string // by which other names it is known here
	tree string   // over there
}

// handOver hands the workspace over, if there is one, and has c run in it: in the directory that is
// ours here, or at its top.
func (f *commandFlags) handOver(ctx context.Context, c *core.Command) error {
	if f.workspace == "" {
		return nil
	}
	w, err := f.openWorkspace(ctx, f.workspace, true)
	if err != nil {
		return err
	}
	defer w.close()
	if err := w.handOver(ctx, int64(f.most)); err != nil {
		return err
	}
	abs, err := filepath.Abs(f.workspace)
	if err != nil {
		return err
	}
	f.work = &handed{dir: w.state.Dir, also: []string{abs}, tree: w.theirs.Tree}
	ours, err := os.Getwd()
	if err != nil {
		return err
	}
	c.Cwd = f.work.tree
	if there, ok := f.work.path(ours); ok {
		c.Cwd = there
	}
	switch {
	case f.host == "wasm":
		f.mounts, c.Roots = append(f.mounts, f.work.tree), nil
	case f.confine.confines() && c.Cwd != f.work.tree:
		f.confine.write = append(f.confine.write, f.work.tree)
	}
	return nil
}

// path returns what a path of the directory is called over there.
func (h *handed) path(p string) (there string, ok bool) {
	for _, dir := range append([]string{h.dir}, h.also...) {
		if p == dir {
			return h.tree, true
		}
		if below, ok := strings.CutPrefix(p, dir+"/"); ok {
			return path.Join(h.tree, below), true
		}
	}
	return p, false
}

// there returns a command with the paths of that side: clients know those of this one.
func (h *handed) there(c core.Command) core.Command {
	if h == nil {
		return c
	}
	c.Cwd, _ = h.path(c.Cwd)
	c.Roots = slices.Clone(c.Roots)
	for i := range c.Roots {
		c.Roots[i], _ = h.path(c.Roots[i])
	}
	return c
}
