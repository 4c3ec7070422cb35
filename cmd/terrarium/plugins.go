package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/plugin"
)

const pluginsHelp = `usage: terrarium plugins COMMAND [flags]

Keeps commands of the sandbox (--host wasm) that others have made: WASI modules.

  search [WORD]   which can be had by name
  add NAME…|FILE  add some of these, a module, or our own box and git
  update [NAME]   bring what was added by name to what the index has now
  remove NAME     remove it
  list            what there is, and from where
  info NAME       what it imports and asks for
  pip COMMAND     packages for the sandbox's python: add, list, remove

The user's are in terrarium/plugins in XDG_DATA_HOME; --plugins DIR adds those
in DIR. Where names clash, the DIR given last wins, then the user's, then ours.
Beside NAME.wasm there may be a manifest NAME.json, all of it optional:

  {"name": "python3", "aliases": ["python"], "version": "3.12.0", "needs": [],
   "description": "CPython", "memory": 1073741824, "env": ["PYTHONUTF8=1"]}

"box": ["cc"] in it has our box be cc, and start the command llvm for that.
The manifest gets the "sha256" of the module that was added: another is refused.
An alias yields to a command of that name. memory, in bytes, is what all
may have unless --memory says; all see env; needs is for people to read.
`

func newPlugins() *cobra.Command {
	return newGroup("plugins COMMAND [flags]", "find, add and remove commands of the sandbox", pluginsHelp,
		newPluginsSearch(), newPluginsAdd(), newPluginsUpdate(), newPluginsRemove(), newPluginsList(), newPluginsInfo(), newPluginsPip())
}

// oneArg is for commands that take one argument, which is a what.
func oneArg(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 1 {
			return nil
		}
		return &usageError{cmd.UseLine(), fmt.Errorf("want one %s, got %d", what, len(args))}
	}
}

const pluginsRemoveHelp = `usage: terrarium plugins remove NAME

Removes one of the user's plugins, with its manifest.
`

func newPluginsRemove() *cobra.Command {
	return &cobra.Command{
		Use:                   "remove NAME",
		SuggestFor:            []string{"rm", "delete", "uninstall"},
		Short:                 "remove a plugin",
		Long:                  pluginsRemoveHelp,
		DisableFlagsInUseLine: true,
		Args:                  oneArg("NAME"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return removable(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, p := range usersPlugins() {
				if p.Name == args[0] {
					return remove(cmd.OutOrStdout(), p)
				}
				if slices.Contains(p.Names(), args[0]) {
					return fmt.Errorf("plugin %s: an alias: remove %s", args[0], p.Name)
				}
			}
			if isOwnModule(args[0]) {
				return removeOwn(cmd.OutOrStdout(), args[0])
			}
			return noPlugin(args[0], removable()...)
		},
	}
}

// removable returns the names of what was added.
func removable() (names []string) {
	for _, p := range usersPlugins() {
		names = append(names, p.Name)
	}
	for _, m := range ownModules() {
		if m.Built != nil {
			names = append(names, m.Name)
		}
	}
	return names
}

// remove removes a plugin and says so, as add does.
func remove(w io.Writer, p plugin.Plugin) error {
	if err := plugin.Remove(p); err != nil {
		return err
	}
	names := strings.Join(p.Names(), ", ")
	_, err := fmt.Fprintf(w, "removed %s from %s\n", names, plugin.Printable(filepath.Dir(p.File)))
	return err
}

// errNoPlugin is what noPlugin's errors are.
var errNoPlugin = errors.New("none of that name")

// noPlugin says that there is no plugin of that name, and which of those that there are was
// probably meant.
func noPlugin(name string, names ...string) error {
	switch m, ours := ownModule(name); {
	case ours && m.Missing() != nil:
		return fmt.Errorf("plugin %s: %w", plugin.Printable(name), withAdvice(m.Missing()))
	case ours:
		return fmt.Errorf("plugin %s: it comes with terrarium, and stays as it is", plugin.Printable(name))
	}
	return didYouMean(fmt.Errorf("plugin %s: %w", plugin.Printable(name), errNoPlugin), nearNames(name, names))
}

// nearNames returns the names that somebody may mean who says name, each once.
func nearNames(name string, names []string) (near []string) {
	for _, known := range names {
		if isNear(name, known) && !slices.Contains(near, known) {
			near = append(near, known)
		}
	}
	const most = 5 // the beginning of many is no slip
	return near[:min(len(near), most)]
}

// usersPlugins returns the user's plugins that are any good.
func usersPlugins() []plugin.Plugin {
	dir, err := userPlugins()
	if err != nil {
		return nil
	}
	found, _, _ := plugin.Read(dir) // an error means that there are none
	return found
}

// about returns n bytes for people.
func about(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1fKiB", float64(n)/(1<<10))
	case n < 1<<30:
		return fmt.Sprintf("%.1fMiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%.1fGiB", float64(n)/(1<<30))
}

// fold writes words in lines of at most 80 columns, after a label.
func fold(w io.Writer, label string, words []string) {
	const width = 80
	line := fmt.Sprintf("  %-9s", label)
	for _, word := range words {
		if len(line)+1+len(word) > width && strings.TrimSpace(line) != "" && !strings.HasSuffix(line, "  ") {
			fmt.Fprintln(w, line)
			line = fmt.Sprintf("  %-9s", "")
		}
		line += " " + word
	}
	fmt.Fprintln(w, line)
}
