package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/index"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/plugin"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/wheel"
)

const pluginsPipHelp = `usage: terrarium plugins pip COMMAND [flags]

Keeps packages for the python of the sandbox ("plugins add python"): those that
are nothing but Python. Commands there import them, and can't change them.

  add NAME…       add packages, with what they need
  list            what there is
  remove NAME…    remove packages
`

func newPluginsPip() *cobra.Command {
	return newGroup("pip COMMAND [flags]", "packages for the python of the sandbox", pluginsPipHelp,
		newPipAdd(), newPipList(), newPipRemove())
}

// defaultSimple is Python's own index.
const defaultSimple = "https://pypi.org/simple/"

const pipAddHelp = `usage: terrarium plugins pip add NAME[==VERSION]… [flags]

Adds packages for the python of the sandbox, with those that they need: their
newest wheels of Python alone (py3-none-any) that all of them are content with.
What was found is said, and a person is asked. Sums are those that the index
says; a file without one is refused, and so are extras, as in NAME[EXTRA].
In the sandbox "python -m pytest" runs pytest, say, and in its shell "pytest".

  --yes        ask nobody
  --index URL  another simple index, which answers in JSON (PEP 691);
               default: PIP_INDEX_URL, or Python's own
`

// pipFlags are the flags of pip add.
type pipFlags struct {
	index string
	yes   bool
}

func newPipAdd() *cobra.Command {
	var f pipFlags
	cmd := &cobra.Command{
		Use:                   "add NAME[==VERSION]… [flags]",
		SuggestFor:            []string{"install", "download"},
		Short:                 "add packages, with what they need",
		Long:                  pipAddHelp,
		DisableFlagsInUseLine: true,
		Args:                  someNames,
		RunE:                  func(cmd *cobra.Command, args []string) error { return f.add(cmd, args) },
	}
	cmd.Flags().BoolVar(&f.yes, "yes", false, "")
	cmd.Flags().StringVar(&f.index, "index", "", "")
	return cmd
}

// someNames is for commands that take at least one NAME.
func someNames(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return nil
	}
	return &usageError{cmd.UseLine(), errors.New("want the NAME of a package")}
}

// add adds packages, if a person agrees. All that is downloaded and unpacked is aside
// until it is known to be well.
func (f *pipFlags) add(cmd *cobra.Command, args []string) error {
	ctx, stop := interruptible()
	defer stop()
	var want []wheel.Requirement
	for _, arg := range args {
		r, err := wheel.ParseRequirement(arg)
		if err == nil && r.Marker != "" {
			err = fmt.Errorf("%s: markers are for packages, not for people", plugin.Printable(arg))
		}
		if err != nil {
			return &usageError{cmd.UseLine(), err}
		}
		want = append(want, r)
	}
	from, err := f.simple()
	if err != nil {
		return err
	}
	dir, python, err := usersPython()
	if err != nil {
		return err
	}
	stage, err := plugin.NewStage(dir)
	if err != nil {
		return err
	}
	defer os.RemoveAll(stage)
	site := wheel.SiteOf(dir)
	have, err := site.Packages()
	if err != nil {
		return err
	}
	source := &wheel.Simple{URL: from, Dir: stage}
	chosen, err := wheel.Resolve(ctx, source, python, have, want)
	if _, ok := errors.AsType[*net.OpError](err); ok && ctx.Err() == nil {
		return fmt.Errorf("pip: not added: the index can't be reached from here: %w; --index URL names another", err)
	}
	if err != nil {
		return fmt.Errorf("pip: not added: %w", interrupted(ctx, err))
	}
	w := cmd.OutOrStdout()
	if len(chosen) == 0 {
		_, err := fmt.Fprintln(w, "all of them are there already")
		return err
	}
	if err := f.agreed(ctx, w, from, chosen); err != nil {
		return interrupted(ctx, err)
	}
	if err := site.Add(source, chosen, python["python_version"]); err != nil {
		return fmt.Errorf("pip: not added: %w", interrupted(ctx, err))
	}
	var names []string
	for _, c := range chosen {
		names = append(names, c.Wheel.Name+" "+c.Wheel.Version)
	}
	_, err = fmt.Fprintf(w, "added %s\n", strings.Join(names, ", "))
	return err
}

// simple returns which index is asked.
func (f *pipFlags) simple() (*url.URL, error) {
	text, name := f.index, "--index"
	if text == "" {
		text, name = os.Getenv("PIP_INDEX_URL"), "PIP_INDEX_URL"
	}
	if text == "" {
		text = defaultSimple
	}
	u, err := index.ParseURL(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return u, nil
}

// usersPython returns the user's folder of plugins, and what the python in it says of
// itself.
func usersPython() (dir string, python wheel.Environment, err error) {
	if dir, err = trustedPlugins(); err != nil {
		return "", nil, err
	}
	p := plugin.Commands(nil, usersPlugins())["python3"]
	if p == nil {
		return "", nil, errors.New("pip: no python to add packages to: terrarium plugins add python")
	}
	python, err = wheel.PythonOf(p.Version)
	if err != nil {
		return "", nil, fmt.Errorf("plugin %s: its manifest says no version: %w: terrarium plugins add python", p.Name, err)
	}
	return dir, python, nil
}

// agreed says what would be added, and asks whether it shall be.
func (f *pipFlags) agreed(ctx context.Context, w io.Writer, from *url.URL, chosen []*wheel.Chosen) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, c := range chosen {
		licence := c.Licence
		if licence == "" {
			licence = "no licence said"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", c.Wheel.Name, c.Wheel.Version, about(c.Size), plugin.Printable(licence))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if f.yes {
		return nil
	}
	ok, err := agree(ctx, fmt.Sprintf("add these, from %s?", plugin.Printable(from.Host)))
	if err == nil && !ok {
		err = errors.New("pip: not added")
	}
	if errors.Is(err, errNobody) {
		err = fmt.Errorf("pip: not added: %w", err)
	}
	return err
}

const pipListHelp = `usage: terrarium plugins pip list [flags]

Lists the packages for the python of the sandbox.

  --json  one JSON object, with sums and sources
`

func newPipList() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:                   "list [flags]",
		SuggestFor:            []string{"freeze", "ls"},
		Short:                 "list the packages",
		Long:                  pipListHelp,
		DisableFlagsInUseLine: true,
		Args:                  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := trustedPlugins()
			if err != nil {
				return err
			}
			list, err := wheel.SiteOf(dir).Packages()
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), struct {
					Packages []wheel.Package `json:"packages"`
				}{append([]wheel.Package{}, list...)})
			}
			t := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			for _, p := range list {
				fmt.Fprintf(t, "%s\t%s\n", p.Name, p.Version)
			}
			return t.Flush()
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "")
	return cmd
}

const pipRemoveHelp = `usage: terrarium plugins pip remove NAME…

Removes packages of the sandbox's python, but none that another one needs.
`

func newPipRemove() *cobra.Command {
	return &cobra.Command{
		Use:                   "remove NAME…",
		SuggestFor:            []string{"rm", "uninstall", "delete"},
		Short:                 "remove packages",
		Long:                  pipRemoveHelp,
		DisableFlagsInUseLine: true,
		Args:                  someNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			var names []string
			for _, arg := range args {
				name, err := wheel.Normalize(arg)
				if err != nil {
					return &usageError{cmd.UseLine(), err}
				}
				names = append(names, name)
			}
			dir, python, err := usersPython()
			if err != nil {
				return err
			}
			removed, err := wheel.SiteOf(dir).Remove(names, python["python_version"])
			if err != nil {
				return err
			}
			for _, p := range removed {
				fmt.Fprintf(cmd.OutOrStdout(), "removed %s %s\n", p.Name, p.Version)
			}
			return nil
		},
	}
}
