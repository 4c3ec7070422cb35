package main

import "github.com/spf13/cobra"

const hostHelp = `usage: terrarium host COMMAND [flags]

Terminals that somebody has on this machine from elsewhere.

  serve  run the commands of who is at the other end of our input and output
  list   list the hosts that are kept here when nobody is connected
  stop   end one of them, with all that it runs

"terrarium run --on ssh:HOST" and the like start it over there by themselves.
`

func newHost() *cobra.Command {
	return newGroup("host COMMAND [flags]", "the far side of terminals that are had from elsewhere", hostHelp,
		newHostServe(), newHostList(), newHostStop(), newHostWorkspace())
}
