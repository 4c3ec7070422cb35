//go:build linux || darwin

package hostnative_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/hostnative"
)

// A *slog.Logger is told what becomes of terminals. This one leaves out what differs each time.
func ExampleConfig_logger() {
	logger := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			switch a.Key {
			case slog.TimeKey, "terminal", "command":
				return slog.Attr{}
			}
			return a
		},
	}))
	if err := logged(context.Background(), logger); err != nil {
		fmt.Println(err)
	}
	// Output:
	// level=INFO msg="command started" session=s
	// level=INFO msg="command ended" session=s exit="exit 3"
}

func logged(ctx context.Context, logger *slog.Logger) error {
	host, err := hostnative.New(hostnative.Config{Logger: logger})
	if err != nil {
		return err
	}
	defer host.Close()
	d := driver.New(driver.Config{Host: host, Logger: logger})
	defer d.Close()
	term, err := d.Create(ctx, "s", core.Command{Command: "exit 3"})
	if err != nil {
		return err
	}
	_, err = term.Wait(ctx)
	return err
}
