package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/fleet"
)

const fleetDrainHelp = `usage: terrarium fleet drain [flags] URL WORKER

Has a worker of the fleet at URL take no more sessions. Those that it has are
told, and it ends with the last of them. WORKER is a name of "fleet ls"; where
several workers have it, they all drain. It prints a line for each.

  --drain-timeout D   end what is left after D; 10m. 0s: all at once
  --creds FILE        a worker's, if not NATS_CREDS names them: users may not
  --tls-ca FILE       whose the server's certificate is; default: the system's

A signal does the same to a worker of this machine: kill -TERM.
`

func newFleetDrain() *cobra.Command {
	var access accessFlags
	within := defaultDrain
	cmd := &cobra.Command{
		Use:                   "drain [flags] URL WORKER",
		Short:                 "have a worker take no more sessions, and end",
		Long:                  fleetDrainHelp,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) != 2:
				return &usageError{cmd.UseLine(), errors.New("want the URL of a fleet, and the name of a worker")}
			case within < 0:
				return &usageError{cmd.UseLine(), fmt.Errorf("--drain-timeout %v: negative", within)}
			}
			a := access.access(args[0])
			a.Role = fleet.WorkerRole
			if err := a.Check(); err != nil {
				return &usageError{cmd.UseLine(), err}
			}
			ctx, cancel := untilSignal()
			defer cancel()
			client, err := a.Connect(ctx, "terrarium fleet drain")
			if err != nil {
				return err
			}
			defer client.Close()
			list, err := fleet.Drain(ctx, client, args[1], within)
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			for _, p := range list {
				if _, err := fmt.Fprintf(cmd.OutOrStdout(), "%s takes no more sessions, and has %d\n", p.Name, p.Used); err != nil {
					return err
				}
			}
			return nil
		},
	}
	access.add(cmd)
	cmd.Flags().Var((*duration)(&within), "drain-timeout", "")
	return cmd
}
