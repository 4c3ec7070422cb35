// Command background is an agent that starts a server, uses it, and stops it. Its client is on its
// standard input and output; the server is this same program, called with the argument "server".
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"regexp"
	"time"

	"github.com/coder/acp-go-sdk"
)

const session acp.SessionId = "example" // an agent has it from session/new

func main() {
	log.SetFlags(0)
	log.SetPrefix("background: ")
	if len(os.Args) == 2 && os.Args[1] == "server" {
		log.Fatal(serve())
	}
	client := acp.NewAgentSideConnection(nil, os.Stdout, os.Stdin)
	if err := use(context.Background(), client); err != nil {
		log.Fatal(err)
	}
}

// serve says hello on some free port.
func serve() error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("listening on http://%s/\n", l.Addr())
	return http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "hello\n") }))
}

// use starts the server, gets its page, and stops it.
func use(ctx context.Context, client *acp.AgentSideConnection) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	// 1. Start it. The answer comes at once: the command runs in the background.
	created, err := client.CreateTerminal(ctx, acp.CreateTerminalRequest{
		SessionId: session, Command: self, Args: []string{"server"},
	})
	if err != nil {
		return err
	}
	server := created.TerminalId
	// 5. Release the terminal in the end, which would kill the server, too.
	defer client.ReleaseTerminal(ctx, acp.ReleaseTerminalRequest{SessionId: session, TerminalId: server})

	// 2. Wait until its output shows the address.
	url, err := address(ctx, client, server)
	if err != nil {
		return err
	}
	// 3. Use it.
	page, err := http.Get(url)
	if err != nil {
		return err
	}
	defer page.Body.Close()
	if _, err := io.Copy(os.Stderr, page.Body); err != nil {
		return err
	}
	// 4. Stop it. Its output and exit status stay until the release.
	if _, err := client.KillTerminal(ctx, acp.KillTerminalRequest{SessionId: session, TerminalId: server}); err != nil {
		return err
	}
	exit, err := client.WaitForTerminalExit(ctx, acp.WaitForTerminalExitRequest{SessionId: session, TerminalId: server})
	if err != nil {
		return err
	}
	if exit.Signal != nil {
		log.Printf("the server was ended by %s", *exit.Signal)
	}
	return nil
}

var listening = regexp.MustCompile(`listening on (http://\S+)\n`)

// address asks for the output until it has the server's address in it, or the server has ended.
func address(ctx context.Context, client *acp.AgentSideConnection, server string) (url string, err error) {
	const pause = 50 * time.Millisecond
	for ; ; time.Sleep(pause) {
		o, err := client.TerminalOutput(ctx, acp.TerminalOutputRequest{SessionId: session, TerminalId: server})
		if err != nil {
			return "", err
		}
		if match := listening.FindStringSubmatch(o.Output); match != nil {
			return match[1], nil
		}
		if o.ExitStatus != nil {
			return "", fmt.Errorf("the server did not start: %s", o.Output)
		}
	}
}
