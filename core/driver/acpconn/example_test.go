package acpconn_test

import (
	"context"
	"fmt"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/acp"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/core/driver/acpconn"
)

// An ACP client that has requests of its agent as Go values, from an SDK say, lets a Server answer
// them. An embedder's host is hostnative's or hostwasm's; here it is one that only says hello.
func ExampleServer_CreateTerminal() {
	server := acpconn.New(acpconn.Config{Driver: driver.Config{Host: hello{}}})
	defer server.Close() // ends what still runs

	ctx := context.Background()
	created, err := server.CreateTerminal(ctx, acp.CreateTerminalRequest{SessionID: "s", Command: "hello", Args: []string{"fish"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	terminal := acp.TerminalRequest{SessionID: "s", TerminalID: created.TerminalID}
	exit, err := server.WaitForTerminalExit(ctx, terminal)
	if err != nil {
		fmt.Println(err)
		return
	}
	got, err := server.TerminalOutput(ctx, terminal)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("exit %d: %s", *exit.ExitCode, got.Output)

	server.ReleaseTerminal(ctx, terminal)
	_, err = server.TerminalOutput(ctx, terminal)
	fmt.Println(err.(*acp.RequestError).Code, err.(*acp.RequestError).Reason())
	// Output:
	// exit 0: hello fish
	// -32602 released
}

// hello is a driver.Host whose only command ends at once.
type hello struct{}

func (hello) Resolve(_ context.Context, c core.Command) (core.Exec, error) {
	return core.Exec{Path: "/bin/hello", Argv: append([]string{c.Command}, c.Args...), Via: core.ViaArgs}, nil
}

func (hello) Start(_ context.Context, e core.Exec) (driver.Process, error) {
	return greeting{text: "hello " + e.Argv[1] + "\n"}, nil
}

type greeting struct {
	driver.Process // of which nothing else is used
	text           string
}

func (g greeting) Output(sink func(stream uint8, p []byte)) error {
	sink(1, []byte(g.text))
	return nil
}
func (greeting) Wait() (core.Exit, error) { return core.Exit{}, nil }
func (greeting) Close() error             { return nil }
