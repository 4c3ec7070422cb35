package mcp

import (
	"context"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/terrarium-dev/terrarium/core"
)

// The output of a terminal is a resource, too. There is no list of them: who knows an id may read.
const (
	uriHead = "terrarium://terminal/"
	uriTail = "/output"
)

// maxResource is how much output the resource has, the newest, in bytes.
const maxResource = 1 << 20

func uri(id core.TerminalID) string { return uriHead + string(id) + uriTail }

func (s *Server) addResource() {
	s.mcp.AddResourceTemplate(&sdk.ResourceTemplate{
		Name: "terminal_output", Title: "Output of a terminal", MIMEType: "text/plain; charset=utf-8",
		Description: "All output of a terminal that is kept, at most 1 MiB. Reading it counts as a call that names the terminal.",
		URITemplate: uriHead + "{terminal}" + uriTail,
	}, s.read)
}

func (s *Server) read(_ context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	select {
	case s.slow <- struct{}{}: // not for the time, but for the memory
	default:
		return nil, errBusy
	}
	defer func() { <-s.slow }()
	id, ok := strings.CutSuffix(strings.TrimPrefix(req.Params.URI, uriHead), uriTail)
	if !ok {
		return nil, sdk.ResourceNotFoundError(clip(req.Params.URI))
	}
	t, done, err := s.use(id)
	if err != nil {
		return nil, sdk.ResourceNotFoundError(clip(req.Params.URI))
	}
	defer done()
	text, _ := s.driver.Terminal(t.id).AppendOutput(nil)
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: req.Params.URI, Text: newest(text, maxResource)}}}, nil
}
