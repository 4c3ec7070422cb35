package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/fetch"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/index"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/plugin"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/printable"
)

// An indexFlag is --index: a FILE or a URL, or our own if it is empty.
type indexFlag string

func (f *indexFlag) add(cmd *cobra.Command) {
	cmd.Flags().StringVar((*string)(f), "index", "", "")
	cmd.MarkFlagFilename("index", "toml")
}

// read returns the index.
func (f indexFlag) read(ctx context.Context) (*index.Index, error) {
	switch {
	case f == "":
		return index.Own()
	case strings.Contains(string(f), "://"):
		u, err := index.ParseURL(string(f))
		if err != nil {
			return nil, fmt.Errorf("--index %s: %w", plugin.Printable(string(f)), err)
		}
		b, err := fetch.Text(ctx, u, index.MaxBytes)
		if err != nil {
			return nil, fmt.Errorf("--index: %w", err)
		}
		return index.Parse(string(f), b, "")
	}
	file, err := filepath.Abs(string(f))
	if err != nil {
		return nil, err
	}
	b, err := readIndexFile(file)
	if err != nil {
		return nil, fmt.Errorf("--index: %w", err)
	}
	return index.Parse(string(f), b, filepath.Dir(file))
}

func readIndexFile(file string) ([]byte, error) {
	info, err := os.Stat(file) // first: to open a FIFO would wait for a writer
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: not a regular file", plugin.Printable(file))
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, index.MaxBytes+1)) // Parse refuses the one too many
}

// noEntry says that an index has no plugin of that name, and which of its names, or of others, was
// probably meant.
func noEntry(x *index.Index, name string, others ...string) error {
	names := slices.Concat(others, x.Names())
	err := noPlugin(name, names...)
	if len(nearNames(name, names)) == 0 {
		err = fmt.Errorf("%w: \"terrarium plugins search\" lists what there is", err)
	}
	return err
}

// info returns what the index says of a plugin. others are names that are looked for elsewhere.
func (f indexFlag) info(ctx context.Context, name string, others []string) (*offer, error) {
	x, err := f.read(ctx)
	if err != nil {
		return nil, err
	}
	e := x.Find(name)
	if e == nil {
		return nil, noEntry(x, name, others...)
	}
	o := offered(e, usersPlugins())
	return &o, nil
}

// printAdding prints how a plugin of the index is added.
func (f indexFlag) printAdding(w io.Writer, name string) error {
	line := "terrarium plugins add " + name
	if f != "" {
		line += " --index " + printable.Text(string(f))
	}
	_, err := fmt.Fprintf(w, "  %-9s %s\n", "to add", line)
	return err
}

// offeredNames returns the names of what our own index has.
func offeredNames() []string {
	x, err := index.Own()
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range x.Entries {
		names = append(names, e.Name)
	}
	return names
}

// An offer is a plugin of an index.
type offer struct {
	Name        string   `json:"name"`
	Version     string   `json:"version"`
	Description string   `json:"description"`
	Licence     string   `json:"licence"`
	Aliases     []string `json:"aliases"` // and what the box answers to for it
	Needs       []string `json:"needs"`
	Env         []string `json:"env"`
	Wants       int64    `json:"wants"` // memory, in bytes; 0 if it does not say
	Source      string   `json:"source"`
	SHA256      string   `json:"sha256"`
	Size        int64    `json:"size"`  // of the download, in bytes
	Added       string   `json:"added"` // the version that was added, or empty
}

// offered returns an entry, and whether the user has it among theirs.
func offered(e *index.Entry, have []plugin.Plugin) offer {
	o := offer{
		Name: e.Name, Version: e.Version, Description: e.Description, Licence: e.Licence,
		Aliases: e.Manifest().Names()[1:], Needs: slices.Concat([]string{}, e.Needs), Env: slices.Concat([]string{}, e.Env),
		Wants: e.Memory, Source: e.Source, SHA256: e.SHA256, Size: e.Size,
	}
	for _, p := range have {
		if p.Name == e.Name {
			o.Added = p.Version
			if p.Version == "" {
				o.Added = "of no version"
			}
		}
	}
	return o
}

// print prints an offer for people.
func (o *offer) print(w io.Writer) error {
	var b strings.Builder
	row := func(label string, words ...string) { fold(&b, label, words) }
	fmt.Fprintf(&b, "%s %s: %s\n", o.Name, o.Version, o.Description)
	row("licence", strings.Fields(o.Licence)...)
	row("source", o.Source)
	row("sha256", o.SHA256)
	row("size", about(o.Size), "to download")
	if len(o.Aliases) > 0 {
		row("aliases", o.Aliases...)
	}
	for _, n := range o.Needs {
		row("note", strings.Fields(n)...)
	}
	for _, kv := range o.Env {
		row("sets", kv)
	}
	if o.Wants > 0 {
		row("memory", "wants", about(o.Wants))
	}
	if o.Added != "" {
		row("added", o.Added)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
