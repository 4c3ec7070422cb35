package main

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

const versionHelp = `usage: terrarium version [--json]

Prints the version, the commit it was built from, and the Go release.
`

func newVersion() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:                   "version [--json]",
		Short:                 "print the version",
		Long:                  versionHelp,
		DisableFlagsInUseLine: true,
		Args:                  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if asJSON {
				return printJSON(cmd.OutOrStdout(), readBuild())
			}
			_, err := fmt.Fprintln(cmd.OutOrStdout(), readBuild())
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "")
	return cmd
}

// build says what we were built from. Commit is empty if that is not known.
type build struct {
	Version  string `json:"version"` // "(devel)" outside a release
	Commit   string `json:"commit"`
	Modified bool   `json:"modified"` // since the commit
	Go       string `json:"go"`
	OS       string `json:"os"`
	Arch     string `json:"arch"`
}

func readBuild() build {
	b := build{Version: "(devel)", Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if info.Main.Version != "" {
		b.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

// String returns one line for people.
func (b build) String() string {
	s := "terrarium " + b.Version
	if b.Commit != "" {
		s += " " + b.Commit[:min(12, len(b.Commit))]
		if b.Modified {
			s += " modified"
		}
	}
	return fmt.Sprintf("%s (%s %s/%s)", s, b.Go, b.OS, b.Arch)
}

// printJSON prints v as JSON for programs, indented for people.
func printJSON(w io.Writer, v any) error {
	e := newEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
