package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/printable"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/starter"
)

const harnessNewHelp = `usage: terrarium harness new --lang LANG DIR

Writes the beginning of an agent to DIR: a small program with types for what it
is asked and what it answers, its own test, and a README that says how to run
both. It does one small task, and needs nothing but its language.

  --lang LANG   go, javascript, python or rust

DIR is made; if it is there, it has to be empty: nothing is overwritten.
An agent of yours that is called new runs as "terrarium harness [flags] -- new".
`

func newHarnessNew() *cobra.Command {
	var language string
	cmd := &cobra.Command{
		Use:                   "new --lang LANG DIR",
		SuggestFor:            []string{"init", "create"},
		Short:                 "write the beginning of an agent",
		Long:                  harnessNewHelp,
		DisableFlagsInUseLine: true,
		Args:                  oneArg("DIR"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if language == "" {
				return &usageError{cmd.UseLine(), errors.New("no --lang: use one of " + strings.Join(starter.Languages(), ", "))}
			}
			files, err := starter.New(language, args[0])
			if errors.Is(err, starter.ErrLanguage) {
				return &usageError{cmd.UseLine(), fmt.Errorf("--lang %w", err)}
			}
			if err != nil {
				return err
			}
			for _, name := range files {
				fmt.Fprintln(cmd.OutOrStdout(), "wrote", printable.Text(filepath.Join(args[0], name)))
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&language, "lang", "", "")
	cmd.RegisterFlagCompletionFunc("lang", cobra.FixedCompletions(starter.Languages(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}
