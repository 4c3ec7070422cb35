package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/otel"
	"github.com/terrarium-dev/terrarium/web"
)

const versionHelp = `usage: terrarium version [--json | --licenses]

Prints the version, the commit it was built from, the Go release, and whether
OpenTelemetry was left out.

      --json      print it as one JSON object
      --licenses  print the terms of all that is in the binary and the page
`

func newVersion() *cobra.Command {
	var asJSON, licenses bool
	cmd := &cobra.Command{
		Use:                   "version [--json | --licenses]",
		Short:                 "print the version",
		Long:                  versionHelp,
		DisableFlagsInUseLine: true,
		Args:                  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if licenses && asJSON {
				return &usageError{cmd.UseLine(), errors.New("--licenses prints no JSON")}
			}
			if licenses {
				return printLicenses(cmd.OutOrStdout())
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), readBuild())
			}
			_, err := fmt.Fprintln(cmd.OutOrStdout(), readBuild())
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "")
	cmd.Flags().BoolVar(&licenses, "licenses", false, "")
	return cmd
}

// printLicenses prints what the build has collected: of Go's modules, and of what the page has from
// npm.
func printLicenses(w io.Writer) error {
	for _, name := range []string{"THIRD_PARTY_LICENSES.txt", "vendor/LICENSES.txt"} {
		text, err := fs.ReadFile(web.Files(), "dist/"+name)
		if err != nil {
			return fmt.Errorf("this build has no %s: run make build", name)
		}
		if _, err := w.Write(text); err != nil {
			return err
		}
	}
	return nil
}

// build says what we were built from. Commit is empty if that is not known.
type build struct {
	Version  string `json:"version"` // "(devel)" outside a release
	Commit   string `json:"commit"`
	Modified bool   `json:"modified"` // since the commit
	Go       string `json:"go"`
	OS       string `json:"os"`
	Arch     string `json:"arch"`
	// OpenTelemetry is false if the build tag nootel has left it out.
	OpenTelemetry bool `json:"openTelemetry"`
}

func readBuild() build {
	b := build{Version: "(devel)", Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH, OpenTelemetry: otel.Built}
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
	s = fmt.Sprintf("%s (%s %s/%s)", s, b.Go, b.OS, b.Arch)
	if !b.OpenTelemetry {
		s += " without OpenTelemetry"
	}
	return s
}

// printJSON prints v as JSON for programs, indented for people.
func printJSON(w io.Writer, v any) error {
	e := newEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
