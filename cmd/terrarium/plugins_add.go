package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/plugin"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/hostwasm"
	"github.com/terrarium-dev/terrarium/hostwasm/cache"
	"github.com/terrarium-dev/terrarium/hostwasm/worker"
)

const pluginsAddHelp = `usage: terrarium plugins add NAME…|FILE|box|git [FILE|DIR] [flags]

Adds plugins to the user's. NAME is one that "plugins search" lists: what it is,
where it is published and its licence are said, and a person is asked; then it
is downloaded, its sum compared, and it is run once in the sandbox. One that
fails is not added. FILE, a path that has a / or ends in .wasm, is a module of
yours; what it imports is said, and the manifest beside it counts.

  --yes                     ask nobody
  --index FILE|URL          another index than our own, such as your company's
  --name NAME               a FILE's command; default: the manifest's, or FILE's
  --alias NAME              another name for it; repeatable
  --force                   replace a plugin of that name
  --engine wazero|wasmtime  compile it for which engine
  --sandbox-required        refuse to compile with less than "doctor" could tell

box, our shell and its tools, and git are part of a program that "make build"
has made. For one by "go install" your Go builds them, from the source of this
release, or of DIR, a copy of it. A FILE was built elsewhere, for this version.

  terrarium plugins add box git
  terrarium plugins add ./python-3.12.wasm --name python3
`

// addFlags are the flags of plugins add.
type addFlags struct {
	hostFlags
	index   indexFlag
	name    string
	aliases []string
	force   bool
	yes     bool

	downloads downloads
}

func newPluginsAdd() *cobra.Command {
	var f addFlags
	cmd := &cobra.Command{
		Use:                   "add NAME…|FILE|box|git [FILE|DIR] [flags]",
		SuggestFor:            []string{"install", "get"},
		Short:                 "add a plugin to the user's",
		Long:                  pluginsAddHelp,
		DisableFlagsInUseLine: true,
		Args:                  someOrFile,
		ValidArgsFunction: func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
			if strings.Contains(typed, "/") {
				return []string{"wasm"}, cobra.ShellCompDirectiveFilterFileExt
			}
			names := offeredNames()
			for module := range lacking() {
				names = append(names, module)
			}
			return names, cobra.ShellCompDirectiveDefault
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			f.host = "wasm"
			if err := f.check(cmd); err != nil {
				return &usageError{cmd.UseLine(), err}
			}
			last := args[len(args)-1]
			switch {
			case isFile(args[0]):
				return f.addFile(cmd, args[0])
			case isFile(last):
				return f.addOwnFrom(cmd, args[:len(args)-1], last)
			}
			return f.addNamed(cmd, args)
		},
	}
	f.addTo(cmd)
	set := cmd.Flags()
	set.StringVar(&f.name, "name", "", "")
	set.Var((*repeated)(&f.aliases), "alias", "")
	set.BoolVar(&f.force, "force", false, "")
	return cmd
}

// addTo adds the flags that update has too.
func (f *addFlags) addTo(cmd *cobra.Command) {
	f.index.add(cmd)
	set := cmd.Flags()
	set.BoolVar(&f.yes, "yes", false, "")
	set.StringVar(&f.engine, "engine", engines[0], "")
	set.BoolVar(&f.required, "sandbox-required", false, "")
}

// someOrFile is for NAMEs, or one FILE, or modules of ours and where they are from.
func someOrFile(cmd *cobra.Command, args []string) error {
	ours := 0
	for ours < len(args) && isOwnModule(args[ours]) {
		ours++
	}
	if ours > 0 && ours == len(args)-1 && isFile(args[ours]) {
		return nil
	}
	if len(args) == 0 || len(args) > 1 && slices.ContainsFunc(args, isFile) {
		return &usageError{cmd.UseLine(), fmt.Errorf("want some NAME, or one FILE, got %d", len(args))}
	}
	return nil
}

// isFile reports whether an argument is a FILE. A NAME never becomes one: who
// types it in a directory that an agent has written to means what the index has.
func isFile(arg string) bool {
	return strings.Contains(arg, "/") || strings.HasSuffix(arg, ".wasm") || plugin.CheckName(arg) != nil
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
	if file := cmd.Flags().Arg(0); cmd.Flags().Changed("name") && file != "" && !isFile(file) {
		return fmt.Errorf("--name is for a FILE, and %s is a NAME: want ./%s, or --alias", file, file)
	}
	if file := cmd.Flags().Arg(0); len(f.aliases) > 0 && isOwnModule(file) && f.index == "" {
		return fmt.Errorf("--alias: %s has the names that it has", file)
	}
	return f.hostFlags.check(cmd.Flags())
}

// addFile adds a module. Nothing is written before all is known to be well.
func (f *addFlags) addFile(cmd *cobra.Command, file string) error {
	ctx, stop := interruptible()
	defer stop()
	dir, err := trustedPlugins()
	if err != nil {
		return err
	}
	p, err := plugin.OpenAs(file, f.name)
	if err != nil {
		return err
	}
	p.Source, p.Download = "", "" // which are an index's to say
	if p.Files != "" {
		return fmt.Errorf("%s: has files: use it with --plugins %s", plugin.Printable(file), plugin.Printable(filepath.Dir(file)))
	}
	if err := f.rename(&p); err != nil {
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
	if err := f.compile(ctx, &p, wasm, nil); err != nil {
		return err
	}
	return install(cmd.OutOrStdout(), dir, p.Manifest, wasm, "", func() error { return f.clash(&p) })
}

// trustedPlugins returns the user's folder of plugins, where nobody else can
// put one.
func trustedPlugins() (string, error) {
	dir, err := userPlugins()
	if err != nil {
		return "", err
	}
	if err := cache.CheckPath(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	return dir, nil
}

// rename gives a plugin the names that the flags say.
func (f *addFlags) rename(p *plugin.Plugin) error {
	p.Aliases = slices.Concat(p.Aliases, f.aliases)
	slices.Sort(p.Aliases)
	p.Aliases = slices.DeleteFunc(slices.Compact(p.Aliases), func(a string) bool { return a == p.Name })
	return p.Check()
}

// install makes a module one of the user's plugins, with its files if it has some,
// and says so. check says what is wrong with that: somebody else may have added one
// of that name while ours was compiled.
func install(w io.Writer, dir string, m plugin.Manifest, wasm []byte, files string, check func() error) error {
	if err := plugin.Install(dir, m, wasm, files, check); err != nil {
		return err
	}
	if err := replaced(m.Name); err != nil {
		return err
	}
	names := strings.Join(m.Names(), ", ")
	_, err := fmt.Fprintf(w, "added %s to %s\n", names, plugin.Printable(filepath.Clean(dir)))
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
		for _, a := range p.Names()[1:] {
			if slices.Contains(other.Names(), a) {
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
// knows what it does to a compiler. Then try, if not nil, is called with the host
// whose only command it is. Its files are beside p.File.
func (f *addFlags) compile(ctx context.Context, p *plugin.Plugin, wasm []byte, try func(driver.Host) error) (err error) {
	dir, _ := openCache()
	host, err := worker.New(worker.Config{
		Commands:  map[string]*hostwasm.Module{p.Name: hostwasm.NewModule(p.Name, wasm)},
		Env:       p.Env,
		Mounts:    filesOf(p),
		Compiling: announced, Engine: f.engine, CacheDir: dir,
		Limits: hostwasm.Limits{
			Compile: 10 * time.Minute, // somebody waits for it, who can press ^C
			Memory:  max(p.Memory, defaultMemory), Wall: smokeWall, Output: smokeOutput,
		},
		Required: f.required, Unconfined: unconfined, Undumpable: true, Refused: refused, Logger: new(compileLog),
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
	if err := host.Prepare(ctx, p.Name); err != nil || try == nil {
		return interrupted(ctx, err)
	}
	return interrupted(ctx, try(host))
}
