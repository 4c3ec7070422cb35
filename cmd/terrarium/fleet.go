package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

const fleetHelp = `usage: terrarium fleet COMMAND [flags]

Terminals on many machines. Workers take sessions while they have a free slot;
"--on fleet:URL" is how a session is placed. Between them is a NATS server:
"fleet serve", or one of your own with JetStream.

  serve       serve a fleet: the NATS server, with its tenants
  join        offer this machine to a fleet
  ls          list the workers, and how many sessions wait for one
  drain       have a worker take no more sessions, and end
  tenant      add, list and remove tenants, their users and their workers
  kubernetes  print a Deployment of workers, for kubectl
  harbor      print an environment for Harbor, which runs Terminal-Bench
`

func newFleet() *cobra.Command {
	return newGroup("fleet COMMAND [flags]", "place terminals on many machines", fleetHelp,
		newFleetServe(), newFleetJoin(), newFleetLs(), newFleetDrain(), newFleetTenant(), newFleetKubernetes(), newFleetHarbor())
}

// fleetURL returns the only argument of a command, the URL of a fleet, such as example. The error
// names an argument that is one too many, but none that may be a URL: that may have a password.
func fleetURL(args []string, example string) (string, error) {
	if len(args) == 1 {
		return args[0], nil
	}
	if len(args) > 1 {
		for _, arg := range args {
			if !strings.ContainsAny(arg, "@/") {
				return "", errors.New("unexpected argument: " + arg)
			}
		}
	}
	return "", errors.New("want the URL of a fleet, such as " + example + ", and nothing else")
}

// fleetDir is a flag's state directory of a fleet that is served. Its zero value is the user's own.
type fleetDir string

func (d *fleetDir) add(cmd *cobra.Command) {
	cmd.Flags().StringVar((*string)(d), "dir", "", "")
	cmd.MarkFlagDirname("dir")
}

// path returns the directory. It may not be there yet.
func (d fleetDir) path() (string, error) {
	if d != "" {
		return filepath.Abs(string(d))
	}
	dir, err := stateDir("fleet")
	if err != nil {
		return "", errors.Join(err, errors.New("--dir names another directory"))
	}
	return dir, nil
}

// stateDir returns a directory of ours for what outlives a program, as the XDG Base Directory
// Specification has it. It may not be there yet.
func stateDir(name string) (string, error) {
	state := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(state) {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", err
		}
		state = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(state, "terrarium", name), nil
}
