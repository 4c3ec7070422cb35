package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/printable"
)

const hostListHelp = `usage: terrarium host list [--json]

Lists the hosts that "host serve --keep" keeps here for you: how many sessions
and terminals each has, and for how long nobody has been connected.

  --json  one JSON object
`

func newHostList() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:                   "list [--json]",
		SuggestFor:            []string{"ls", "ps"},
		Short:                 "list the hosts that are kept here",
		Long:                  hostListHelp,
		DisableFlagsInUseLine: true,
		Args:                  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := keptParent()
			if err != nil {
				return err
			}
			l := keptListing{keptHosts(dir)}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), l)
			}
			return l.print(cmd.OutOrStdout())
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "")
	return cmd
}

// A keptListing is the hosts that are kept here, by their names.
type keptListing struct {
	Hosts []keptHost `json:"hosts"`
}

// keptHosts asks all holders at once, so that none that hangs holds up the others.
func keptHosts(dir string) []keptHost {
	names := keptNames(dir)
	hosts := make([]*keptHost, len(names))
	var asking sync.WaitGroup
	for i, name := range names {
		asking.Go(func() { hosts[i] = askKept(dir, name) })
	}
	asking.Wait()
	found := []keptHost{}
	for _, h := range hosts {
		if h != nil {
			found = append(found, *h)
		}
	}
	slices.SortFunc(found, func(a, b keptHost) int { return strings.Compare(a.Name, b.Name) })
	return found
}

// maxState is how long what a holder tells of itself may be, in bytes.
const maxState = 1 << 10

// askKept returns what a holder tells of itself, or nil if it has ended.
func askKept(dir, name string) *keptHost {
	conn, err := dialKept(dir, name, askState)
	if errors.Is(err, errNotKept) {
		return nil
	}
	if err != nil {
		return &keptHost{Name: name, Error: err.Error()}
	}
	defer conn.Close()
	conn.SetReadDeadline(time.Now().Add(helloTime))
	h := new(keptHost)
	if err := json.NewDecoder(io.LimitReader(conn, maxState)).Decode(h); err != nil {
		return &keptHost{Name: name, Error: err.Error()}
	}
	h.Name = name
	return h
}

func (l keptListing) print(w io.Writer) error {
	if len(l.Hosts) == 0 {
		notice("no host is kept here")
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, h := range l.Hosts {
		if h.Error != "" {
			fmt.Fprintf(t, "%s\t%s\n", h.Name, printable.Text(h.Error))
			continue
		}
		link := "connected"
		if h.IdleMs > 0 {
			link = "nobody connected for " + (time.Duration(h.IdleMs) * time.Millisecond).Round(time.Second).String()
		}
		fmt.Fprintf(t, "%s\tpid %d\t%s\t%s\t%s\n", h.Name, h.PID, counted(h.Sessions, "session"), counted(h.Terminals, "terminal"), link)
	}
	return t.Flush()
}
