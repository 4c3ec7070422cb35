package main

import (
	_ "embed"
	"io"

	"github.com/spf13/cobra"
)

const fleetHarborHelp = `usage: terrarium fleet harbor

Prints an environment for Harbor, which runs Terminal-Bench: a file of Python.

  terrarium fleet harbor >terrarium_harbor.py

Each environment is one session of a fleet. Set TERRARIUM_FLEET to its URL, and
NATS_CREDS to a user's credentials. A task goes to workers that have the label
task=NAME: "fleet join --engine docker --image IMAGE --label task=NAME". A
session that is lost raises SessionLost: it is no return code.

It needs terrarium in PATH, and nothing else but Harbor. It was not run with
Harbor yet, but with a stand-in for it.
`

//go:embed fleet_harbor.py
var harborEnvironment string

func newFleetHarbor() *cobra.Command {
	return &cobra.Command{
		Use:                   "harbor",
		Short:                 "print an environment for Harbor, in Python",
		Long:                  fleetHarborHelp,
		DisableFlagsInUseLine: true,
		Args:                  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := io.WriteString(cmd.OutOrStdout(), harborEnvironment)
			return err
		},
	}
}
