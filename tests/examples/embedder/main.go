// Command embedder is an ACP client whose terminals are ours. Its agent is on its standard input
// and output.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"log"
	"os"

	"github.com/coder/acp-go-sdk"

	"github.com/terrarium-dev/terrarium/core"
	ours "github.com/terrarium-dev/terrarium/core/acp"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/core/driver/acpconn"
	"github.com/terrarium-dev/terrarium/hostnative"
	"github.com/terrarium-dev/terrarium/hostnative/helper"
)

// A client is the editor that you have, and five methods more, which are ours.
type client struct {
	editor
	terminals
}

func main() {
	helper.Main() // this program is its own keeper of commands
	host, err := hostnative.New(hostnative.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer host.Close()
	server := acpconn.New(acpconn.Config{
		Driver: driver.Config{Host: host},
		ACP:    ours.Config{Command: core.Command{Pty: true}},
	})
	defer server.Close() // the agent has gone: its commands end, too
	<-acp.NewClientSideConnection(client{terminals: terminals{server}}, os.Stdout, os.Stdin).Done()
}

type terminals struct{ server *acpconn.Server }

func (t terminals) CreateTerminal(ctx context.Context, r acp.CreateTerminalRequest) (acp.CreateTerminalResponse, error) {
	return call[acp.CreateTerminalResponse](ctx, r, t.server.CreateTerminal)
}
func (t terminals) TerminalOutput(ctx context.Context, r acp.TerminalOutputRequest) (acp.TerminalOutputResponse, error) {
	return call[acp.TerminalOutputResponse](ctx, r, t.server.TerminalOutput)
}
func (t terminals) WaitForTerminalExit(ctx context.Context, r acp.WaitForTerminalExitRequest) (acp.WaitForTerminalExitResponse, error) {
	return call[acp.WaitForTerminalExitResponse](ctx, r, t.server.WaitForTerminalExit)
}
func (t terminals) KillTerminal(ctx context.Context, r acp.KillTerminalRequest) (acp.KillTerminalResponse, error) {
	return call[acp.KillTerminalResponse](ctx, r, t.server.KillTerminal)
}
func (t terminals) ReleaseTerminal(ctx context.Context, r acp.ReleaseTerminalRequest) (acp.ReleaseTerminalResponse, error) {
	return call[acp.ReleaseTerminalResponse](ctx, r, t.server.ReleaseTerminal)
}

// call has one of our methods answer a request of the SDK, whose types have the same JSON as ours.
func call[Response, Request, OurRequest, OurResponse any](ctx context.Context, r Request,
	method func(context.Context, OurRequest) (OurResponse, error)) (Response, error) {
	var response Response
	request, err := convert[OurRequest](r)
	if err == nil {
		var ourResponse OurResponse
		if ourResponse, err = method(ctx, request); err == nil {
			response, err = convert[Response](ourResponse)
		}
	}
	if refused, ok := errors.AsType[*ours.RequestError](err); ok {
		err = &acp.RequestError{Code: int(refused.Code), Message: refused.Message, Data: json.RawMessage(refused.Data)}
	}
	return response, err
}

func convert[To any](from any) (to To, err error) {
	p, err := json.Marshal(from)
	if err == nil {
		err = json.Unmarshal(p, &to)
	}
	return to, err
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
