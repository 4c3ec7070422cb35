package main

import (
	"errors"
	"os"

	"github.com/spf13/cobra"
)

const completionHelp = `usage: terrarium completion bash|zsh|fish|powershell

Prints a script that completes terrarium's commands and flags. To load it now:

  bash        source <(terrarium completion bash)
  zsh         source <(terrarium completion zsh)
  fish        terrarium completion fish | source
  powershell  terrarium completion powershell | Out-String | Invoke-Expression

Put that line into your shell's startup file to have it always. bash needs the
package bash-completion.
`

func newCompletion() *cobra.Command {
	return &cobra.Command{
		Use:                   "completion bash|zsh|fish|powershell",
		Short:                 "print a completion script for a shell",
		Long:                  completionHelp,
		Hidden:                true, // the last line of the help has it
		DisableFlagsInUseLine: true,
		ValidArgs:             []string{"bash", "zsh", "fish", "powershell"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return &usageError{cmd.UseLine(), errors.New("want the name of one shell")}
			}
			root := cmd.Root()
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(os.Stdout, true)
			case "zsh":
				return root.GenZshCompletion(os.Stdout)
			case "fish":
				return root.GenFishCompletion(os.Stdout, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(os.Stdout)
			}
			return &usageError{cmd.UseLine(), errors.New("no completion for " + args[0])}
		},
	}
}
