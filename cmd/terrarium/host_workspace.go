package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/workspace"
)

const hostWorkspaceHelp = `usage: terrarium host workspace COMMAND ID

The far side of --workspace, for a terrarium elsewhere, which starts it over its
connection. ID is a workspace in ~/.local/state/terrarium-workspaces.

  list     reads paths; writes what is in the workspace
  left     reads paths, likewise; writes what stays there, as JSON
  send     reads paths; writes a tar of these files
  import   reads a git bundle; HEAD is the commit that it leads to
  receive  reads a tar of changes, and makes them; BRANCH is what git calls it
  remove   removes the workspace
`

// newHostWorkspace is no command for people: the help of host does not have it.
func newHostWorkspace() *cobra.Command {
	return &cobra.Command{
		Use:                   "workspace COMMAND ID",
		Short:                 "the far side of --workspace",
		Long:                  hostWorkspaceHelp,
		Hidden:                true,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return &usageError{cmd.UseLine(), errors.New("want a command and an ID")}
			}
			ctx, cancel := untilSignal()
			defer cancel()
			return farWorkspaceCommand(ctx, os.Stdin, os.Stdout, args[0], args[1], append(args[2:], "")[0])
		},
	}
}

// How long another terrarium may have a workspace, here and over there. One that was killed has it
// over there until its link is given up, which is sooner: see transferLinger.
const (
	nearLockTime = 30 * time.Second
	farLockTime  = 90 * time.Second
)

// longLock is when a person is told that another terrarium is waited for.
const longLock = 2 * time.Second

// farWorkspaceCommand does one of the commands. word is what some take besides.
func farWorkspaceCommand(ctx context.Context, in io.Reader, out io.Writer, command, id, word string) error {
	f, err := workspace.OpenFar(id)
	if err != nil {
		return err
	}
	defer f.Close()
	unlock, err := lockWithin(f.Dir(), farLockTime)
	if err != nil {
		return fmt.Errorf("the workspace there is in use: %w", err)
	}
	defer unlock()
	if err := f.Sweep(); err != nil {
		return err
	}
	switch command {
	case "list":
		known, err := workspace.ReadPaths(in)
		if err != nil {
			return err
		}
		return f.List(ctx, out, known)
	case "left":
		known, err := workspace.ReadPaths(in)
		if err != nil {
			return err
		}
		return f.Left(ctx, out, known)
	case "send":
		paths, err := workspace.ReadPaths(in)
		if err != nil {
			return err
		}
		return f.Send(out, paths)
	case "import":
		return f.Import(ctx, in, word)
	case "receive":
		if err := f.Receive(ctx, in); err != nil {
			return err
		}
		left, err := f.Checkout(ctx, word)
		if left {
			fmt.Fprintln(out, leftAsItIs)
		}
		return err
	case "remove":
		return f.Remove()
	}
	return fmt.Errorf("no such command: host workspace %s", command)
}

// leftAsItIs is said of a repository that commands have made commits in.
const leftAsItIs = "left"

// nearLock waits until no other command of ours has the workspace.
func nearLock(dir string) (unlock func(), err error) {
	const busy = "another terrarium hands this workspace over, or pulls it"
	waits := time.AfterFunc(longLock, func() { warn(os.Stderr, fmt.Errorf("%s: waiting for %v at the most", busy, nearLockTime)) })
	defer waits.Stop()
	unlock, err = lockWithin(dir, nearLockTime)
	if errors.Is(err, errLocked) {
		return nil, fmt.Errorf("%s, and has not ended within %v", busy, nearLockTime)
	}
	return unlock, err
}

// realDir returns the path of a directory, without symbolic links.
func realDir(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err == nil {
		err = checkDir(dir)
	}
	return dir, err
}
