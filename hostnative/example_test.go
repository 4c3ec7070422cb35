//go:build linux || darwin

package hostnative_test

import (
	"context"
	"fmt"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/hostnative"
)

// README.md has this function, and TestReadme in tests demands that it does.

func embed(ctx context.Context) error {
	host, err := hostnative.New(hostnative.Config{})
	if err != nil {
		return err
	}
	defer host.Close()
	d := driver.New(driver.Config{Host: host})
	defer d.Close() // ends whatever still runs

	id, err := d.Create(ctx, "session", core.Command{Command: "echo hello | tr a-z A-Z", Pty: true})
	if err != nil {
		return err
	}
	exit, err := d.WaitForExit(ctx, id)
	if err != nil {
		return err
	}
	output, truncated := d.AppendOutput(nil, id)
	fmt.Printf("%s%v, truncated: %t\n", output, exit.Status, truncated)
	return nil
}

func Example() {
	if err := embed(context.Background()); err != nil {
		fmt.Println(err)
	}
	// Output:
	// HELLO
	// exit 0, truncated: false
}
