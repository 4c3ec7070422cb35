// Command timeout is the agent of the protocol's recipe for commands that may take too long
// (https://agentclientprotocol.com/protocol/terminals#building-timeouts). Its client is on its
// standard input and output:
//
//	timeout 30s make test
//
// It tells of the command on standard error, and exits with 124 when that has timed out.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/coder/acp-go-sdk"
)

const session acp.SessionId = "example" // an agent has it from session/new

func main() {
	log.SetFlags(0)
	log.SetPrefix("timeout: ")
	if len(os.Args) < 3 {
		log.Fatal("usage: timeout DURATION COMMAND [ARG…]")
	}
	limit, err := time.ParseDuration(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	client := acp.NewAgentSideConnection(nil, os.Stdout, os.Stdin)
	result, timedOut, err := run(context.Background(), client, limit, os.Args[2], os.Args[3:]...)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Fprint(os.Stderr, result.Output)
	if timedOut {
		log.Printf("killed after %v", limit)
		os.Exit(124)
	}
}

// run runs a command and returns what it wrote and how it ended, by itself or killed at the limit.
func run(ctx context.Context, client *acp.AgentSideConnection, limit time.Duration, command string, args ...string) (
	result acp.TerminalOutputResponse, timedOut bool, err error) {
	// 1. Create a terminal.
	created, err := client.CreateTerminal(ctx, acp.CreateTerminalRequest{SessionId: session, Command: command, Args: args})
	if err != nil {
		return result, false, err
	}
	id := created.TerminalId
	// 6. Release it, whatever happens: nothing is left running.
	defer client.ReleaseTerminal(ctx, acp.ReleaseTerminalRequest{SessionId: session, TerminalId: id})

	// 2. Wait for the exit and for a timer at the same time.
	exited := make(chan error, 1)
	go func() { // ends with the command, which is killed or released below
		_, err := client.WaitForTerminalExit(ctx, acp.WaitForTerminalExitRequest{SessionId: session, TerminalId: id})
		exited <- err
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case err = <-exited:
	case <-timer.C:
		// 3. The timer was first: kill the command. The terminal stays.
		timedOut = true
		if _, err = client.KillTerminal(ctx, acp.KillTerminalRequest{SessionId: session, TerminalId: id}); err == nil {
			// 4. The wait is answered after all: the command is dead, its last output there.
			err = <-exited
		}
	}
	if err != nil {
		return result, timedOut, err
	}
	// 5. Get the output, for the model to see how far it came.
	result, err = client.TerminalOutput(ctx, acp.TerminalOutputRequest{SessionId: session, TerminalId: id})
	return result, timedOut, err
}
