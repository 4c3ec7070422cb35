package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/fleet"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/printable"
)

const fleetTenantHelp = `usage: terrarium fleet tenant COMMAND [flags]

Those who share a fleet and see nothing of each other. A tenant has workers, and
users whose sessions its workers run. Each has a file of credentials. This is
for the machine that "fleet serve" runs on, and takes effect at once.

  add     make a tenant, or more users and workers of one
  ls      list the tenants
  remove  remove a tenant, or users and workers of one, and end what they have
`

func newFleetTenant() *cobra.Command {
	return newGroup("tenant COMMAND [flags]", "add, list and remove tenants", fleetTenantHelp,
		newFleetTenantAdd(), newFleetTenantLs(), newFleetTenantRemove())
}

const fleetTenantAddHelp = `usage: terrarium fleet tenant add NAME [flags]

Makes a tenant, with a user "user" and a worker "worker" where none is named, or
adds those that are named to a tenant that is there. Prints the files of their
credentials, which are for them alone.

  --user NAME      a user; repeatable. Users of a tenant don't see each other's
                   sessions
  --worker NAME    credentials for workers; repeatable. Workers that share them
                   could listen to each other's sessions
  --connections N  of all its users and workers: 1000
  --disk N         what may wait for its workers: 64MiB
  --memory N       and in memory: 16MiB
  --dir DIR        as for "fleet serve"
`

// fleetTenantFlags are the flags of fleet tenant add and remove.
type fleetTenantFlags struct {
	dir            fleetDir
	users, workers []string
	connections    int64
	disk, memory   byteSize
}

func (f *fleetTenantFlags) add(cmd *cobra.Command) {
	f.dir.add(cmd)
	cmd.Flags().Var((*repeated)(&f.users), "user", "")
	cmd.Flags().Var((*repeated)(&f.workers), "worker", "")
}

// check says what is wrong with the names.
func (f *fleetTenantFlags) check(tenant string) error {
	for _, name := range append(append([]string{tenant}, f.users...), f.workers...) {
		if err := fleet.CheckName(name); err != nil {
			return err
		}
	}
	return nil
}

func newFleetTenantAdd() *cobra.Command {
	f := fleetTenantFlags{connections: 1000, disk: 64 << 20, memory: 16 << 20}
	cmd := &cobra.Command{
		Use:                   "add NAME [flags]",
		Short:                 "make a tenant, or more users and workers of one",
		Long:                  fleetTenantAddHelp,
		DisableFlagsInUseLine: true,
		Args:                  oneArg("NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			err := f.check(args[0])
			if err == nil && (f.connections < 1 || f.disk == 0 || f.memory == 0) {
				err = errors.New("--connections, --disk and --memory: want more than nothing")
			}
			if err != nil {
				return &usageError{cmd.UseLine(), err}
			}
			return f.with(func(ctx context.Context, t *fleet.Tenants) error {
				return f.addTo(ctx, t, cmd, args[0])
			})
		},
	}
	f.add(cmd)
	cmd.Flags().Int64Var(&f.connections, "connections", f.connections, "")
	cmd.Flags().Var(&f.disk, "disk", "")
	cmd.Flags().Var(&f.memory, "memory", "")
	return cmd
}

// withThose has f change the tenants of a fleet that is there.
func (f *fleetTenantFlags) withThose(change func(context.Context, *fleet.Tenants) error) error {
	dir, err := f.dir.path()
	if err != nil {
		return err
	}
	if !fleet.IsAt(dir) {
		return fmt.Errorf("%s: no fleet: \"fleet serve\" and \"fleet tenant add\" make one, and --dir names its directory", dir)
	}
	return f.with(change)
}

// with has f change the tenants. A signal ends it between two changes.
func (f *fleetTenantFlags) with(change func(context.Context, *fleet.Tenants) error) error {
	dir, err := f.dir.path()
	if err != nil {
		return err
	}
	ctx, stop := interruptible()
	defer stop()
	tenants, err := fleet.OpenTenants(ctx, dir)
	if err != nil {
		return interrupted(ctx, err)
	}
	defer tenants.Close()
	return interrupted(ctx, change(ctx, tenants))
}

// addTo makes the tenant, unless it is there and somebody is to be added to it.
func (f *fleetTenantFlags) addTo(ctx context.Context, t *fleet.Tenants, cmd *cobra.Command, name string) error {
	named := len(f.users)+len(f.workers) > 0
	_, err := t.Find(name)
	there := err == nil
	if err != nil && !errors.Is(err, fleet.ErrNoTenant) {
		return err
	}
	for _, flag := range []string{"connections", "disk", "memory"} {
		if there && cmd.Flags().Changed(flag) {
			return fmt.Errorf("tenant %s is there already, with its --%s", name, flag)
		}
	}
	users, workers := f.users, f.workers
	if !named {
		users, workers = []string{"user"}, []string{"worker"}
	}
	if there && named {
		return addCreds(ctx, t, name, users, workers, cmd.OutOrStdout())
	}
	l := fleet.Limits{Connections: f.connections, Disk: int64(f.disk), Memory: int64(f.memory)}
	return addTenant(ctx, t, name, l, users, workers, cmd.OutOrStdout())
}

// addTenant makes a tenant, and prints who it has.
func addTenant(ctx context.Context, t *fleet.Tenants, name string, l fleet.Limits, users, workers []string, w io.Writer) error {
	if err := t.Add(ctx, name, l); err != nil {
		return err
	}
	return addCreds(ctx, t, name, users, workers, w)
}

// addCreds makes credentials, and prints where they are.
func addCreds(ctx context.Context, t *fleet.Tenants, tenant string, users, workers []string, w io.Writer) error {
	add := func(kind string, names []string, make func(ctx context.Context, tenant, name string) (string, error)) error {
		for _, name := range names {
			file, err := make(ctx, tenant, name)
			if err != nil {
				return err
			}
			if _, err := fmt.Fprintf(w, "%-6s  %s\n", kind, printable.Text(file)); err != nil {
				return err
			}
		}
		return nil
	}
	if err := add("worker", workers, t.AddWorker); err != nil {
		return err
	}
	return add("user", users, t.AddUser)
}

const fleetTenantLsHelp = `usage: terrarium fleet tenant ls [flags]

Lists the tenants, their users and their workers.

  --json     one JSON object
  --dir DIR  as for "fleet serve"
`

func newFleetTenantLs() *cobra.Command {
	var f fleetTenantFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:                   "ls [flags]",
		SuggestFor:            []string{"list"},
		Short:                 "list the tenants",
		Long:                  fleetTenantLsHelp,
		DisableFlagsInUseLine: true,
		Args:                  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return f.withThose(func(_ context.Context, t *fleet.Tenants) error {
				list, err := t.List()
				if err != nil {
					return err
				}
				if asJSON {
					return printJSON(cmd.OutOrStdout(), tenantListing{list})
				}
				return printTenants(cmd.OutOrStdout(), list)
			})
		},
	}
	f.dir.add(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "")
	return cmd
}

// A tenantListing is the tenants of a fleet, by their names.
type tenantListing struct {
	Tenants []fleet.Tenant `json:"tenants"`
}

func printTenants(w io.Writer, list []fleet.Tenant) error {
	if len(list) == 0 {
		notice("there is no tenant")
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, tenant := range list {
		fmt.Fprintf(t, "%s\tusers: %s\tworkers: %s\n", tenant.Name, namesOr(tenant.Users), namesOr(tenant.Workers))
	}
	return t.Flush()
}

// namesOr returns names with commas between.
func namesOr(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

const fleetTenantRemoveHelp = `usage: terrarium fleet tenant remove NAME [flags]

Ends all connections of a tenant, and forgets it with all that waits. Workers of
it end what they run. Or does so for those that are named:

  --user NAME    a user; repeatable
  --worker NAME  who has these credentials of a worker; repeatable
  --dir DIR      as for "fleet serve"
`

func newFleetTenantRemove() *cobra.Command {
	var f fleetTenantFlags
	cmd := &cobra.Command{
		Use:                   "remove NAME [flags]",
		SuggestFor:            []string{"rm", "delete"},
		Short:                 "remove a tenant, or users and workers of one",
		Long:                  fleetTenantRemoveHelp,
		DisableFlagsInUseLine: true,
		Args:                  oneArg("NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(args[0]); err != nil {
				return &usageError{cmd.UseLine(), err}
			}
			return f.withThose(func(ctx context.Context, t *fleet.Tenants) error {
				return f.removeFrom(ctx, t, args[0])
			})
		},
	}
	f.add(cmd)
	return cmd
}

func (f *fleetTenantFlags) removeFrom(ctx context.Context, t *fleet.Tenants, tenant string) error {
	named := append(append([]string(nil), f.users...), f.workers...)
	if len(named) == 0 {
		return t.Remove(ctx, tenant)
	}
	for _, name := range named {
		if err := t.RemoveCreds(ctx, tenant, name); err != nil {
			return err
		}
	}
	return nil
}
