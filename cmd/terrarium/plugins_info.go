package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/plugin"
	"github.com/terrarium-dev/terrarium/core/meter"
	"github.com/terrarium-dev/terrarium/hostwasm"
)

const pluginsInfoHelp = `usage: terrarium plugins info NAME [flags]

Prints what is known of a command of the sandbox: where it comes from, what its
module imports and asks for, what its manifest says, and whether it is compiled.
Of one that is not there, it prints what the index says: what "plugins add NAME"
would download, and under which licence.

  --plugins DIR             a folder of plugins, as for run; repeatable
  --index FILE|URL          what another index says of it, in place of our own
  --engine wazero|wasmtime  compiled for which engine
  --json                    one JSON object
`

func newPluginsInfo() *cobra.Command {
	var f hostFlags
	var from indexFlag
	var asJSON bool
	cmd := &cobra.Command{
		Use:                   "info NAME [flags]",
		Short:                 "print what is known of a command",
		Long:                  pluginsInfoHelp,
		DisableFlagsInUseLine: true,
		Args:                  oneArg("NAME"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			commands := plugin.Commands(nil, usersPlugins())
			return slices.Concat(slices.Sorted(maps.Keys(commands)), ownCommands(), offeredNames()), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			f.host = "wasm"
			if err := f.check(cmd.Flags()); err != nil {
				return &usageError{cmd.UseLine(), err}
			}
			var info interface{ print(io.Writer) error }
			var names []string
			err := errNoPlugin
			if from == "" {
				info, names, err = f.info(args[0])
			}
			if errors.Is(err, errNoPlugin) {
				info, err = from.info(cmd.Context(), args[0], names)
			}
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), info)
			}
			if err := info.print(cmd.OutOrStdout()); err != nil {
				return err
			}
			if o, ok := info.(*offer); ok && o.Added == "" {
				return from.printAdding(cmd.OutOrStdout(), o.Name)
			}
			return nil
		},
	}
	cmd.Flags().Var((*repeated)(&f.plugins), "plugins", "")
	cmd.Flags().StringVar(&f.engine, "engine", engines[0], "")
	cmd.Flags().BoolVar(&asJSON, "json", false, "")
	cmd.MarkFlagDirname("plugins")
	from.add(cmd)
	return cmd
}

// A pluginInfo is what is known of a command.
type pluginInfo struct {
	Name string `json:"name"`
	// "box", "user", or the DIR of --plugins; empty before it is added.
	From        string       `json:"from"`
	Path        string       `json:"path"`
	Size        int64        `json:"size"` // in bytes
	Aliases     []string     `json:"aliases"`
	Description string       `json:"description"`
	Version     string       `json:"version"`
	Needs       []string     `json:"needs"`
	Wants       int64        `json:"wants"` // memory, in bytes; 0 if it does not say
	Imports     []imported   `json:"imports"`
	Memory      memoryLimits `json:"memory"`
	Start       bool         `json:"start"` // it exports _start
	Compiled    *bool        `json:"compiled,omitempty"`
	Engine      string       `json:"engine,omitempty"` // that it is compiled for
}

// An imported is what a command's module imports from another.
type imported struct {
	Module    string   `json:"module"`
	Functions []string `json:"functions"` // offered
	Lacking   []string `json:"lacking"`   // not offered: they answer ENOSYS
}

type memoryLimits struct {
	Min int64 `json:"min"` // in bytes
	Max int64 `json:"max"` // in bytes; 0 if the module sets none
}

// info returns what is known of the command called name, or the names that there are.
func (f *hostFlags) info(name string) (_ *pluginInfo, names []string, err error) {
	sources, err := readSources(f.plugins)
	if err != nil {
		return nil, nil, err
	}
	commands := resolve(sources)
	p := commands[name]
	var wasm []byte
	from := "box"
	switch {
	case p != nil:
		wasm, err = p.Module()
		for _, s := range sources {
			for i := range s.plugins {
				if &s.plugins[i] == p {
					from = s.from
				}
			}
		}
	case isOurs(name):
		own, _ := ownModule(name)
		wasm, err = own.Load()
		err = withAdvice(err)
		p = &plugin.Plugin{Manifest: plugin.Manifest{Name: name}}
		if b := own.Built; b != nil {
			p.File, p.Version = b.File, b.Version
			p.Description = "built from " + b.Source + " by " + cmp.Or(b.Go, "somebody")
		}
	default:
		return nil, slices.Concat(slices.Sorted(maps.Keys(commands)), ownCommands()), noPlugin(name)
	}
	if err != nil {
		return nil, nil, err
	}
	info, err := inspect(p, wasm)
	if err != nil {
		return nil, nil, fmt.Errorf("plugin %s: %w", p.Name, err)
	}
	info.From, info.Aliases, info.Engine = from, answering(commands, p), f.engine
	compiled, err := f.compiled(p.Name, wasm)
	info.Compiled = &compiled
	return info, nil, err
}

// compiled reports whether a module is in the engine's cache.
func (f *hostFlags) compiled(name string, wasm []byte) (bool, error) {
	host, err := f.hostOf(name, wasm)
	if err != nil {
		return false, err
	}
	defer host.Close()
	return host.Compiled(name)
}

// hostOf returns a host that has only the command name.
func (f *hostFlags) hostOf(name string, wasm []byte) (*hostwasm.Host, error) {
	return f.openInProcess(hostwasm.Config{
		Compiling: compiling,
		Commands:  map[string]*hostwasm.Module{name: hostwasm.NewModule(name, wasm)},
	})
}

// inspect returns what a plugin's module and manifest tell. The error says why
// the module can't be a command.
func inspect(p *plugin.Plugin, wasm []byte) (*pluginInfo, error) {
	module, err := hostwasm.Check(wasm, hostwasm.Limits{Flow: -1})
	if err != nil {
		return nil, err
	}
	i := &pluginInfo{
		Name: p.Name, Path: p.File, Size: int64(len(wasm)), Aliases: p.Names()[1:],
		Description: p.Description, Version: p.Version, Needs: slices.Concat([]string{}, p.Needs), Wants: p.Memory,
		// Check has refused modules without a start function.
		Memory: memoryLimits{Min: int64(module.Memory.Min) << 16}, Start: true,
	}
	if module.Memory.HasMax {
		i.Memory.Max = int64(module.Memory.Max) << 16
	}
	i.Imports = importsOf(module)
	return i, nil
}

// importsOf returns what a module imports, each function once, by module.
func importsOf(m *meter.Module) []imported {
	list := []imported{}
	seen := make(map[meter.Import]bool)
	for _, f := range m.Imports {
		if seen[f] {
			continue
		}
		seen[f] = true
		module, name := plugin.Printable(f.Module), plugin.Printable(f.Name)
		at := slices.IndexFunc(list, func(i imported) bool { return i.Module == module })
		if at < 0 {
			at = len(list)
			list = append(list, imported{Module: module, Functions: []string{}, Lacking: []string{}})
		}
		if hostwasm.Offered(f) {
			list[at].Functions = append(list[at].Functions, name)
		} else {
			list[at].Lacking = append(list[at].Lacking, name)
		}
	}
	for _, i := range list {
		slices.Sort(i.Functions)
		slices.Sort(i.Lacking)
	}
	slices.SortFunc(list, func(a, b imported) int { return cmp.Compare(a.Module, b.Module) })
	return list
}

// print prints what is known for people.
func (i *pluginInfo) print(w io.Writer) error {
	var b strings.Builder
	row := func(label string, words ...string) { fold(&b, label, words) }
	title := strings.TrimSpace(i.Name + " " + i.Version)
	if i.Description != "" {
		title += ": " + i.Description
	}
	fmt.Fprintln(&b, title)
	if i.Path != "" {
		row("file", plugin.Printable(i.Path))
	} else {
		row("file", "in this program")
	}
	row("size", about(i.Size))
	if len(i.Aliases) > 0 {
		row("aliases", i.Aliases...)
	}
	for _, m := range i.Imports {
		if len(m.Functions) > 0 {
			row("imports", append([]string{m.Module + ":"}, some(m.Functions)...)...)
		}
		if len(m.Lacking) > 0 {
			row("lacks", append([]string{m.Module + ":"}, append(some(m.Lacking), "(they answer ENOSYS)")...)...)
		}
	}
	memory := "from " + about(i.Memory.Min) + ", "
	if i.Memory.Max > 0 {
		memory += "at most " + about(i.Memory.Max)
	} else {
		memory += "no limit of its own"
	}
	if i.Wants > 0 {
		memory += "; wants " + about(i.Wants)
	}
	row("memory", memory)
	row("exports", "_start: it is a command")
	for _, n := range i.Needs {
		row("note", strings.Fields(n)...)
	}
	if i.Compiled != nil {
		row("compiled", map[bool]string{true: "yes", false: "no"}[*i.Compiled]+", for "+i.Engine)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// some returns the first of a list, and how many more there are.
func some(list []string) []string {
	const most = 80 // all of WASI
	if len(list) <= most {
		return list
	}
	return append(slices.Clone(list[:most]), fmt.Sprintf("and %d more", len(list)-most))
}
