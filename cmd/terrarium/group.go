package main

import (
	"io"

	"github.com/spf13/cobra"
)

// newGroup returns a command that has others and does nothing by itself, but to say so.
func newGroup(use, short, help string, commands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use:                   use,
		Short:                 short,
		Long:                  help,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			io.WriteString(cmd.ErrOrStderr(), cmd.Long)
			return exitStatus(statusUsage)
		},
	}
	cmd.AddCommand(commands...)
	return cmd
}
