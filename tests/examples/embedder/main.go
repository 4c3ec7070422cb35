// Command embedder is an ACP client whose terminals are ours. Its agent is on its standard input
// and output.
package main

import (
	"context"
	"io"
	"log"
	"os"

	"github.com/coder/acp-go-sdk"

	"github.com/terrarium-dev/terrarium/core"
	acpserver "github.com/terrarium-dev/terrarium/core/acp"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/core/driver/acpconn"
	"github.com/terrarium-dev/terrarium/hostnative"
	"github.com/terrarium-dev/terrarium/hostnative/helper"
)

// A client is the editor that you have, and five methods more: those of a connection to our side.
type client struct {
	editor
	terminals
}

type terminals struct{ *acp.AgentSideConnection }

func main() {
	helper.Main() // this program is its own keeper of commands
	host, err := hostnative.New(hostnative.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer host.Close()
	in, requests := io.Pipe()
	answers, out := io.Pipe()
	done := make(chan error)
	go func() { // ends with the requests
		done <- acpconn.Serve(context.Background(), in, out, acpconn.Config{
			Driver: driver.Config{Host: host},
			ACP:    acpserver.Config{Command: core.Command{Pty: true}},
		})
	}()
	ours := terminals{acp.NewAgentSideConnection(nil, requests, answers)}
	<-acp.NewClientSideConnection(client{terminals: ours}, os.Stdout, os.Stdin).Done()
	requests.Close() // the agent has gone: its commands end, too
	<-done
}

// An editor has files, a person to ask, and something to show. This one has nothing.
type editor struct{}

func (editor) ReadTextFile(context.Context, acp.ReadTextFileRequest) (r acp.ReadTextFileResponse, err error) {
	return r, acp.NewMethodNotFound(acp.ClientMethodFsReadTextFile)
}
func (editor) WriteTextFile(context.Context, acp.WriteTextFileRequest) (r acp.WriteTextFileResponse, err error) {
	return r, acp.NewMethodNotFound(acp.ClientMethodFsWriteTextFile)
}
func (editor) RequestPermission(context.Context, acp.RequestPermissionRequest) (r acp.RequestPermissionResponse, err error) {
	return r, acp.NewMethodNotFound(acp.ClientMethodSessionRequestPermission)
}
func (editor) SessionUpdate(context.Context, acp.SessionNotification) error { return nil }
