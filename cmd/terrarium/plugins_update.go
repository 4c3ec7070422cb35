package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/index"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/plugin"
)

const pluginsUpdateHelp = `usage: terrarium plugins update [NAME] [flags]

Brings a plugin that was added by name, or all of them, to what the index has
now, as "plugins add" does: it asks, compares sums, and tries it first. If that
fails, the plugin stays as it was. What was added from a FILE is left alone. Our
own index is part of this program: a newer program has a newer one. A newer one
also wants its own box and git, where these were added: they are built anew.

  --yes                     ask nobody
  --index FILE|URL          another index than our own
  --engine wazero|wasmtime  compile them for which engine
  --sandbox-required        refuse to compile with less than "doctor" could tell
`

func newPluginsUpdate() *cobra.Command {
	var f addFlags
	cmd := &cobra.Command{
		Use:                   "update [NAME] [flags]",
		SuggestFor:            []string{"upgrade"},
		Short:                 "bring plugins to what the index has",
		Long:                  pluginsUpdateHelp,
		DisableFlagsInUseLine: true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return noArgs(cmd, args[1:])
			}
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			var names []string
			for _, p := range usersPlugins() {
				if p.Source != "" {
					names = append(names, p.Name)
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			f.host, f.force = "wasm", true
			if err := f.hostFlags.check(cmd.Flags()); err != nil {
				return &usageError{cmd.UseLine(), err}
			}
			name := ""
			if len(args) == 1 {
				name = args[0]
			}
			return f.update(cmd, name)
		},
	}
	f.addTo(cmd)
	return cmd
}

// update updates the plugin called name, or all if that is empty. One that fails
// does not keep the next from it.
func (f *addFlags) update(cmd *cobra.Command, name string) error {
	ctx, stop := interruptible()
	defer stop()
	defer f.downloads.remove()
	x, err := f.index.read(ctx)
	if err != nil {
		return interrupted(ctx, err)
	}
	var failed error // the last that went wrong: those before it are told of
	found := false
	for _, p := range usersPlugins() {
		if name == "" && p.Source == "" || name != "" && p.Name != name {
			continue
		}
		found = true
		if err := f.updateOne(ctx, cmd, x, &p); err != nil {
			if failed != nil {
				warn(cmd.ErrOrStderr(), failed)
			}
			failed = err
		}
		if ctx.Err() != nil {
			break
		}
	}
	var own []string
	for _, outdated := range outdatedOwn() {
		if name == "" || name == outdated && !found {
			own = append(own, outdated)
		}
	}
	if len(own) > 0 && ctx.Err() == nil {
		found = true
		if err := f.addOwn(ctx, cmd, own, ""); err != nil {
			if failed != nil {
				warn(cmd.ErrOrStderr(), failed)
			}
			failed = err
		}
	}
	switch {
	case found:
		return failed
	case name != "" && isOwnModule(name):
		return currentOwn(cmd.OutOrStdout(), name)
	case name != "":
		return noPlugin(name, removable()...)
	}
	_, err = fmt.Fprintln(cmd.OutOrStdout(), "no plugin was added by name")
	return err
}

func (f *addFlags) updateOne(ctx context.Context, cmd *cobra.Command, x *index.Index, p *plugin.Plugin) error {
	if p.Source == "" {
		return fmt.Errorf("plugin %s: added from a file: add the new one with --force", p.Name)
	}
	e := x.Find(p.Name)
	var err error
	switch {
	case e == nil || e.Name != p.Name:
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s %s stays: the index has none of that name\n", p.Name, p.Version)
	case isCurrent(e, p):
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s %s is what the index has\n", p.Name, p.Version)
	default:
		f.aliases = p.Aliases // those that a person has given it, too
		err = f.get(ctx, cmd, x, e)
	}
	return err
}

// isCurrent reports whether a plugin is what an index has: the same download, and the same
// manifest, but for names that a person has given it.
func isCurrent(e *index.Entry, p *plugin.Plugin) bool {
	has := e.Manifest()
	for _, name := range has.Aliases {
		if !slices.Contains(p.Aliases, name) {
			return false
		}
	}
	return has.Download == p.Download && has.Version == p.Version && has.Description == p.Description &&
		has.At == p.At && has.Memory == p.Memory &&
		slices.Equal(has.Box, p.Box) && slices.Equal(has.Env, p.Env) && slices.Equal(has.Needs, p.Needs)
}
