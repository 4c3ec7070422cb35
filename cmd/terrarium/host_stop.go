package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"
)

const hostStopHelp = `usage: terrarium host stop NAME

Ends a host that is kept here, with all that it runs: at the other end these
terminals are lost.
`

func newHostStop() *cobra.Command {
	return &cobra.Command{
		Use:                   "stop NAME",
		SuggestFor:            []string{"kill", "rm"},
		Short:                 "end a host that is kept here, with all that it runs",
		Long:                  hostStopHelp,
		DisableFlagsInUseLine: true,
		Args:                  oneArg("NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkKeptName(args[0]); err != nil {
				return &usageError{cmd.UseLine(), err}
			}
			if err := stopKept(args[0]); err != nil {
				return fmt.Errorf("host %s: %w", args[0], err)
			}
			return nil
		},
	}
}

// stopTime is how long a holder may take to kill what it runs.
const stopTime = time.Minute

// stopKept returns when nothing is left of what a host ran.
func stopKept(name string) error {
	dir, err := keptParent()
	if err != nil {
		return err
	}
	conn, err := dialKept(dir, name, askStop)
	if err != nil {
		return err
	}
	defer conn.Close()
	conn.SetReadDeadline(time.Now().Add(stopTime))
	if said, err := readShortLine(conn, maxHolderLine); err != nil || said != holderYes {
		return fmt.Errorf("it has not said that all has ended: %v", err)
	}
	return nil
}
