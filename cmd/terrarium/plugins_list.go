package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/plugin"
	"github.com/terrarium-dev/terrarium/plugins"
)

const pluginsListHelp = `usage: terrarium plugins list [flags]

Lists the commands of the sandbox: the user's plugins, those in folders, and in
one line those of our own box.

  --plugins DIR  a folder of plugins, as for run; repeatable
  --all          the box's commands one by one
  --json         one JSON object, with all of them
`

func newPluginsList() *cobra.Command {
	var dirs []string
	var all, asJSON bool
	cmd := &cobra.Command{
		Use:                   "list [flags]",
		SuggestFor:            []string{"ls"},
		Short:                 "list the commands of the sandbox",
		Long:                  pluginsListHelp,
		DisableFlagsInUseLine: true,
		Args:                  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			sources, err := readSources(dirs)
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), list(sources))
			}
			return list(sources).print(cmd.OutOrStdout(), all)
		},
	}
	cmd.Flags().Var((*repeated)(&dirs), "plugins", "")
	cmd.Flags().BoolVar(&all, "all", false, "")
	cmd.Flags().BoolVar(&asJSON, "json", false, "")
	cmd.MarkFlagDirname("plugins")
	return cmd
}

// A listing is the commands there are.
type listing struct {
	Plugins []listed   `json:"plugins"` // in the order of their folders
	Box     boxListing `json:"box"`
}

// A listed is a plugin and where it comes from.
type listed struct {
	Name    string   `json:"name"`
	From    string   `json:"from"` // "user", or the DIR of --plugins
	Path    string   `json:"path"`
	Size    int64    `json:"size"`    // in bytes
	Aliases []string `json:"aliases"` // that lead to it
	Hidden  bool     `json:"hidden"`  // by a later one of that name
}

// A boxListing is our own commands: the box's, and others.
type boxListing struct {
	Commands []string `json:"commands"`
	Size     int64    `json:"size"`              // in bytes; 0 if this build is without it
	Added    []string `json:"added,omitempty"`   // those not of this program: name and version
	Missing  []string `json:"missing,omitempty"` // what is not there, and how to get it
}

// sizeOf returns how many bytes a module of ours has.
func sizeOf(m plugins.Module) int64 {
	if m.Built != nil {
		return m.Built.Size
	}
	wasm, _ := m.Load() // it is there
	return int64(len(wasm))
}

// list returns the commands there are.
func list(sources []source) listing {
	commands := resolve(sources)
	box := boxListing{Commands: []string{}}
	for _, m := range ownModules() {
		if err := m.Missing(); err != nil {
			box.Missing = append(box.Missing, withAdvice(err).Error())
			continue
		}
		box.Commands, box.Size = append(box.Commands, m.Commands...), box.Size+sizeOf(m)
		if m.Built != nil {
			box.Added = append(box.Added, m.Name+" "+m.Built.Version)
		}
	}
	l := listing{Plugins: []listed{}, Box: box}
	for _, s := range sources {
		for i := range s.plugins {
			p := &s.plugins[i]
			l.Plugins = append(l.Plugins, listed{
				Name: p.Name, From: s.from, Path: p.File, Size: p.Size,
				Aliases: answering(commands, p), Hidden: commands[p.Name] != p,
			})
		}
	}
	return l
}

// answering returns the other names that lead to p.
func answering(commands map[string]*plugin.Plugin, p *plugin.Plugin) []string {
	aliases := []string{}
	for name, q := range commands {
		if q == p && name != p.Name {
			aliases = append(aliases, name)
		}
	}
	slices.Sort(aliases)
	return aliases
}

// print prints the commands for people, all of the box's or their number.
func (l listing) print(w io.Writer, all bool) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, p := range l.Plugins {
		from := plugin.Printable(p.From)
		if p.Hidden {
			from += ", hidden"
		}
		fmt.Fprintln(t, strings.Join([]string{p.Name, about(p.Size), from, strings.Join(p.Aliases, " ")}, "\t"))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	lines := l.Box.Missing
	switch {
	case len(l.Box.Commands) == 0:
	case all:
		lines = append(slices.Clone(l.Box.Commands), lines...)
	default:
		added := ""
		if len(l.Box.Added) > 0 {
			added = " (" + plugin.Printable(strings.Join(l.Box.Added, ", ")) + ", added)"
		}
		box := fmt.Sprintf("box: %d commands in %s%s: --all lists them", len(l.Box.Commands), about(l.Box.Size), added)
		lines = append([]string{box}, lines...)
	}
	_, err := fmt.Fprintln(w, strings.Join(lines, "\n"))
	return err
}
