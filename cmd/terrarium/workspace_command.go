package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/place"
)

const workspaceHelp = `usage: terrarium workspace COMMAND [flags]

Directories that were handed over to another place, by --workspace.

  pull  show what was changed there, and take it over or drop it
  rm    remove a workspace over there, with what was changed there

Each of "terrarium run|serve|proxy|client|harness --on PLACE --workspace DIR"
hands over what was changed here since the last time. See "terrarium help on".
`

func newWorkspace() *cobra.Command {
	return newGroup("workspace COMMAND [flags]", "take back what was changed in a directory elsewhere", workspaceHelp,
		newWorkspacePull(), newWorkspaceRemove())
}

// workspaceCommandFlags are those of both commands.
type workspaceCommandFlags struct {
	placeFlags
	dir string
}

func (f *workspaceCommandFlags) addTo(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.on, "on", "", "")
	cmd.Flags().BoolVar(&f.noInstall, "no-install", false, "")
	cmd.RegisterFlagCompletionFunc("on", cobra.FixedCompletions(place.Prefixes(), cobra.ShellCompDirectiveNoSpace|cobra.ShellCompDirectiveNoFileComp))
}

// checkCommand says what is wrong with the command line.
func (f *workspaceCommandFlags) checkCommand(cmd *cobra.Command, args []string) error {
	switch {
	case !cmd.Flags().Changed("on"):
		return errors.New("want --on PLACE: where it was handed over to")
	case len(args) > 1:
		return fmt.Errorf("want one directory, got %d", len(args))
	}
	f.dir = append(args, ".")[0]
	return f.parse(cmd.Flags())
}

const workspaceRemoveHelp = `usage: terrarium workspace rm [DIR] --on PLACE

Removes the workspace that DIR was handed over to, with all that was changed
over there and not pulled, and what is known of it here. DIR stays as it is.
It asks at a terminal, unless --yes is there.

  --on PLACE    where it is; see "terrarium help on"
  --no-install  needs a terrarium in PATH over there
  --yes         ask nothing
`

func newWorkspaceRemove() *cobra.Command {
	var f workspaceCommandFlags
	var yes bool
	cmd := &cobra.Command{
		Use:                   "rm [DIR] --on PLACE",
		SuggestFor:            []string{"remove", "delete"},
		Short:                 "remove a workspace over there",
		Long:                  workspaceRemoveHelp,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.checkCommand(cmd, args); err != nil {
				return &usageError{cmd.UseLine(), err}
			}
			return f.remove(yes)
		},
	}
	f.addTo(cmd)
	cmd.Flags().BoolVar(&yes, "yes", false, "")
	return cmd
}

// errNotHanded is that there is nothing to pull or remove.
var errNotHanded = errors.New("it was not handed over to that place")

// remove does not look at what is here or there: that may be why it is to go.
func (f *workspaceCommandFlags) remove(yes bool) error {
	ctx, stop := interruptible()
	defer stop()
	w, err := f.openState(f.dir, false)
	if err != nil {
		return err
	}
	defer w.close()
	if !yes {
		agreed, err := agree(ctx, w.place+": remove the workspace there, with what was changed there and not pulled?")
		if err != nil && !errors.Is(err, errNobody) {
			return interrupted(ctx, err)
		}
		if err == nil && !agreed {
			return errors.New("nothing was removed")
		}
	}
	err = f.connect(ctx, w, func(ctx context.Context) error { return w.far.call(ctx, "remove", "", nil, nil) })
	if err != nil {
		return interrupted(ctx, err)
	}
	say(w.place + ": the workspace is removed there, with what was not pulled")
	return w.state.Forget()
}
