package hostnative_test

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostnative"
)

// Commands that may write a directory, connect to nothing, and use so much.
func ExampleConfig() {
	private, err := os.MkdirTemp("", "terrarium")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(private)
	host, err := hostnative.New(hostnative.Config{
		Sandbox: hostnative.Sandbox{Level: hostnative.SandboxWorkspace, Roots: []string{private}, Private: private},
		Limits:  hostnative.Limits{Wall: 100 * time.Millisecond, Memory: 512 << 20, OpenFiles: 256},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer host.Close()
	exec, err := host.Resolve(context.Background(), core.Command{Command: "sleep 1000"})
	if err != nil {
		fmt.Println(err)
		return
	}
	process, err := host.Start(context.Background(), exec)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer process.Close()
	process.Output(func(_ uint8, p []byte) { fmt.Printf("%s", p) })
	exit, err := process.Wait()
	fmt.Println(exit.Status, exit.Reason, err)
	// Output:
	// terrarium: killed: it ran for longer than 100ms
	// SIGKILL timeout <nil>
}
