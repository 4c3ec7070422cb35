package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/fleet"
)

const fleetLsHelp = `usage: terrarium fleet ls [flags] URL

Lists the workers of the fleet at URL: their slots, how many are used, their
labels, and how many sessions wait for one. It hears them for some seconds.

  --json          one JSON object
  --creds FILE    a user's or a worker's, if not NATS_CREDS names them
  --tls-ca FILE   whose the server's certificate is; default: the system's
`

func newFleetLs() *cobra.Command {
	var access accessFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:                   "ls [flags] URL",
		SuggestFor:            []string{"list", "ps"},
		Short:                 "list the workers, and how many wait",
		Long:                  fleetLsHelp,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			url, err := fleetURL(args, "nats://localhost:4222")
			if err != nil {
				return &usageError{cmd.UseLine(), err}
			}
			to := access.access(url)
			if err := to.Check(); err != nil {
				return &usageError{cmd.UseLine(), err}
			}
			ctx, stop := interruptible()
			defer stop()
			client, err := to.Connect(ctx, "terrarium fleet ls")
			if err != nil {
				return interrupted(ctx, err)
			}
			defer client.Close()
			l, err := fleet.List(ctx, client)
			if err != nil {
				return interrupted(ctx, fmt.Errorf("%s: %w", args[0], err))
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), l)
			}
			return printWorkers(cmd.OutOrStdout(), l)
		},
	}
	access.add(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "")
	return cmd
}

func printWorkers(w io.Writer, l *fleet.Listing) error {
	if len(l.Workers) == 0 {
		notice("no worker has joined")
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, p := range l.Workers {
		state := ""
		if p.Draining {
			state = "drains"
		}
		if p.Failing {
			state = "fails"
		}
		fmt.Fprintf(t, "%s\t%d of %s used\t%s\t%s\n", p.Name, p.Used, counted(p.Slots, "slot"), p.Labels, state)
	}
	fmt.Fprintf(t, "%d wait\n", l.Waiting)
	return t.Flush()
}
