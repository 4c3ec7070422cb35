package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"time"

	"github.com/spf13/cobra"
)

const (
	toolsName = "tools"
	toolsHelp = `usage: terrarium tools SOCKET

Connects standard input and output with the terminals of a proxy that runs: what
an agent starts as an MCP server, as "proxy --terminals mcp" has told it. The
variable TERRARIUM_TOKEN says which session's they are.
`
)

// newTools is what an agent starts for its tools. People don't.
func newTools() *cobra.Command {
	return &cobra.Command{
		Use:    toolsName + " SOCKET",
		Long:   toolsHelp,
		Hidden: true,
		Args:   oneArg("SOCKET"),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := connectTools(args[0], os.Getenv(tokenVariable), os.Stdin, os.Stdout); err != nil {
				return fmt.Errorf("the proxy's terminals: %w", err)
			}
			return nil
		},
	}
}

// errNotTaken is what a wrong token gets, and one whose session has ended.
var errNotTaken = errors.New("it does not take " + tokenVariable + ": the session has ended, or was opened by another proxy")

// connectTools passes on what is read from in, and what comes back, until the proxy ends that.
func connectTools(socket, token string, in io.Reader, out io.Writer) error {
	conn, err := net.DialTimeout("unix", socket, helloTime)
	if err != nil {
		return err
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(helloTime))
	if _, err := io.WriteString(conn, token+"\n"); err != nil {
		return err
	}
	back := bufio.NewReader(conn)
	if said, err := back.ReadString('\n'); said != helloYes {
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		return errNotTaken
	}
	conn.SetDeadline(time.Time{})
	go func() { // ends with in, or is left behind in a Read
		io.Copy(conn, in)
		conn.(*net.UnixConn).CloseWrite()
	}()
	_, err = io.Copy(out, back)
	return err
}
