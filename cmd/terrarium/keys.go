package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/terrarium-dev/terrarium/core/keys"
)

const keysHelp = `usage: terrarium keys [flags] NAME...

Prints the bytes that a terminal sends for each NAME, in hex, one line each.
Names are tmux's: C-c, Escape, Tab, BSpace, Up, PPage, F5, M-x, C-Left, ^C,
0x1b. What is no name is typed as it is, as "tmux send-keys" does. The line of
a key that sends nothing, such as C-1, is empty.

  --app-cursor  in application cursor mode (DECCKM)
  --app-keypad  in application keypad mode (DECPAM)

  terrarium keys C-c Up
  terrarium keys --app-cursor Up
  terrarium keys -- -x
`

func newKeys() *cobra.Command {
	var modes keys.Modes
	cmd := &cobra.Command{
		Use:                   "keys [flags] NAME...",
		Short:                 "print the bytes of tmux key names",
		Long:                  keysHelp,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, names []string) error {
			if len(names) == 0 {
				return &usageError{cmd.UseLine(), errors.New("want the name of a key")}
			}
			var b strings.Builder
			for _, name := range names {
				fmt.Fprintf(&b, "%x\n", keys.Type(nil, name, modes))
			}
			_, err := fmt.Fprint(cmd.OutOrStdout(), b.String())
			return err
		},
	}
	cmd.Flags().BoolVar(&modes.AppCursor, "app-cursor", false, "")
	cmd.Flags().BoolVar(&modes.AppKeypad, "app-keypad", false, "")
	return cmd
}
