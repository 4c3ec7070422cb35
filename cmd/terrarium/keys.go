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
0x1b. Anything else is typed as text, as "tmux send-keys" does, with a
warning if it looks like one. The line of a key that sends nothing, such as
C-1, is empty.

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
				if hint, odd := oddName(name); odd {
					warn(cmd.ErrOrStderr(), fmt.Errorf("%s: unknown key name, so it is typed as it is%s", name, hint))
				}
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

// tmuxNames are tmux's for keys, and for modifiers, that others call otherwise.
var tmuxNames = map[string]string{
	"return": "Enter", "esc": "Escape", "backspace": "BSpace", "del": "DC", "ins": "IC",
	"ctrl": "C", "control": "C", "shift": "S", "alt": "M", "meta": "M", "option": "M",
}

// oddName reports whether name looks like that of a key and is none: Foo-x,
// Return. The hint says which was probably meant.
func oddName(name string) (hint string, odd bool) {
	if _, ok := keys.Lookup(name, keys.Modes{}); ok {
		return "", false
	}
	first, rest, hasMore := strings.Cut(name, "-")
	better := tmuxNames[strings.ToLower(first)]
	if isModifier := len(better) == 1; isModifier {
		better += "-" + rest // of "C" alone that is "C-", which is no key
	} else if hasMore {
		better = ""
	}
	if _, ok := keys.Lookup(better, keys.Modes{}); ok {
		return ": did you mean " + better + "?", true
	}
	isWord := first != "" && 'A' <= first[0] && first[0] <= 'Z' && !strings.ContainsFunc(first, func(r rune) bool {
		return (r|0x20) < 'a' || (r|0x20) > 'z'
	})
	return "", isWord && hasMore && rest != "" && !strings.ContainsAny(rest, " \t\n")
}
