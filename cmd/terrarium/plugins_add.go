package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/plugin"
	"github.com/terrarium-dev/terrarium/hostwasm"
	"github.com/terrarium-dev/terrarium/hostwasm/cache"
	"github.com/terrarium-dev/terrarium/hostwasm/worker"
)

const pluginsAddHelp = `usage: terrarium plugins add FILE [flags]

Adds a WASI module to the user's plugins, with the manifest beside it if there
is one, says what it imports and asks for, and compiles it. A module that the
sandbox would refuse is not added.

  --name NAME               the command's name; default: the manifest's, or
                            the file's
  --alias NAME              another name for it; repeatable
  --force                   replace a plugin of that name
  --engine wazero|wasmtime  compile it for which engine
  --sandbox-required        refuse to compile with less than "doctor" could tell

For example: terrarium plugins add python-3.12.wasm --name python3
`

// addFlags are the flags of plugins add.
type addFlags struct {
	hostFlags
	name    string
	aliases []string
	force   bool
}

func newPluginsAdd() *cobra.Command {
	var f addFlags
	cmd := &cobra.Command{
		Use:                   "add FILE [flags]",
		SuggestFor:            []string{"install"},
		Short:                 "add a module to the user's plugins",
		Long:                  pluginsAddHelp,
		DisableFlagsInUseLine: true,
		Args:                  oneArg("FILE"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return []string{"wasm"}, cobra.ShellCompDirectiveFilterFileExt
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			f.host = "wasm"
			if err := f.check(cmd); err != nil {
				return &usageError{cmd.UseLine(), err}
			}
			return f.add(cmd, args[0])
		},
	}
	set := cmd.Flags()
	set.StringVar(&f.name, "name", "", "")
	set.StringArrayVar(&f.aliases, "alias", nil, "")
	set.BoolVar(&f.force, "force", false, "")
	set.StringVar(&f.engine, "engine", engines[0], "")
	set.BoolVar(&f.required, "sandbox-required", false, "")
	return cmd
}

// check says what is wrong with the flags.
func (f *addFlags) check(cmd *cobra.Command) error {
	if cmd.Flags().Changed("name") {
		if err := plugin.CheckName(f.name); err != nil {
			return fmt.Errorf("--name %w", err)
		}
	}
	for _, a := range f.aliases {
		if err := plugin.CheckName(a); err != nil {
			return fmt.Errorf("--alias %w", err)
		}
	}
	return f.hostFlags.check(cmd.Flags())
}

// add adds a module. Nothing is written before all is known to be well.
func (f *addFlags) add(cmd *cobra.Command, file string) error {
	dir, err := userPlugins()
	if err != nil {
		return err
	}
	if err := cache.CheckPath(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	p, err := plugin.OpenAs(file, f.name)
	if err != nil {
		return err
	}
	p.Aliases = append(p.Aliases, f.aliases...)
	slices.Sort(p.Aliases)
	p.Aliases = slices.DeleteFunc(slices.Compact(p.Aliases), func(a string) bool { return a == p.Name })
	if err := p.Check(); err != nil {
		return err
	}
	if err := f.clash(&p); err != nil {
		return err
	}
	wasm, err := plugin.Module(file)
	if err != nil {
		return err
	}
	info, err := inspect(&p, wasm)
	if err != nil {
		return fmt.Errorf("%s: %w", plugin.Printable(file), err)
	}
	if err := info.print(cmd.OutOrStdout()); err != nil {
		return err
	}
	if err := f.compile(p.Name, wasm); err != nil {
		return err
	}
	if err := plugin.Install(dir, p.Manifest, wasm); err != nil {
		return err
	}
	if err := replaced(p.Name); err != nil {
		return err
	}
	names := strings.Join(append([]string{p.Name}, p.Aliases...), ", ")
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "added %s to %s\n", names, plugin.Printable(filepath.Clean(dir)))
	return err
}

// clash says which command of the user's has the plugin's name, and which has
// one of its aliases, which would then lead nowhere.
func (f *addFlags) clash(p *plugin.Plugin) error {
	if f.force {
		return nil
	}
	for _, other := range usersPlugins() {
		if other.Name == p.Name {
			return fmt.Errorf("plugin %s: there is one: --force replaces it", p.Name)
		}
		for _, a := range p.Aliases {
			if other.Name == a || slices.Contains(other.Aliases, a) {
				return fmt.Errorf("alias %s: the plugin %s has that name: --force adds it nevertheless", a, other.Name)
			}
		}
	}
	for _, a := range p.Aliases {
		if slices.Contains(ownCommands(), a) {
			return fmt.Errorf("alias %s: there is a command of ours of that name, which wins: --force adds it nevertheless", a)
		}
	}
	return nil
}

// replaced removes the plugin that was called name, if it is in another file.
func replaced(name string) error {
	for _, other := range usersPlugins() {
		if other.Name == name && filepath.Base(other.File) != name+".wasm" {
			if err := plugin.Remove(other); err != nil {
				return err
			}
		}
	}
	return nil
}

// compile has a module compiled into the engine's cache, by a worker: nobody
// knows what it does to a compiler.
func (f *addFlags) compile(name string, wasm []byte) (err error) {
	dir, _ := openCache()
	host, err := worker.New(worker.Config{
		Commands:  map[string]*hostwasm.Module{name: hostwasm.NewModule(name, wasm)},
		Compiling: compiling, Engine: f.engine, CacheDir: dir,
		Limits:   hostwasm.Limits{Compile: 10 * time.Minute}, // somebody waits for it, who can press ^C
		Required: f.required, Unconfined: unconfined, Undumpable: true, Refused: refused,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, counting{host}.Close()) }()
	if f.required {
		if err := confines(host); err != nil {
			return err
		}
	}
	return host.Prepare(context.Background(), name)
}
