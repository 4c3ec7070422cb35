//go:build linux || darwin

package hostnative_test

import (
	"context"
	"fmt"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/hostnative"
)

// README.md has this file as a program, and TestReadme in tests demands that it does.
func Example() {
	if err := embed(context.Background()); err != nil {
		fmt.Println(err)
	}
	// Output:
	// HELLO
	// exit 0, truncated: false
}

func embed(ctx context.Context) error {
	host, err := hostnative.New(hostnative.Config{})
	if err != nil {
		return err
	}
	defer host.Close()
	d := driver.New(driver.Config{Host: host})
	defer d.Close() // ends whatever still runs

	term, err := d.Create(ctx, "session", core.Command{Command: "echo hello | tr a-z A-Z", Pty: true})
	if err != nil {
		return err
	}
	exit, err := term.Wait(ctx)
	if err != nil {
		return err
	}
	output, truncated := term.Output()
	fmt.Printf("%s%v, truncated: %t\n", output, exit.Status, truncated)
	return nil
}
