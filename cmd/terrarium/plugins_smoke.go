package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/index"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/plugin"
	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
)

// What a plugin may take when it is tried.
const (
	smokeWall   = 2 * time.Minute
	smokeOutput = 1 << 20 // bytes
	smokeKept   = 8 << 10 // bytes of each stream that are looked at
)

// smoke runs an entry's command once, with no files and no input. The error says
// in the command's own words why it is no good.
func smoke(ctx context.Context, host driver.Host, e *index.Entry) error {
	exec, err := host.Resolve(ctx, core.Command{Command: e.Name, Args: e.Smoke})
	if err != nil {
		return err
	}
	process, err := host.Start(ctx, exec)
	if err != nil {
		return err
	}
	defer process.Close()
	defer context.AfterFunc(ctx, func() { process.Close() })()
	process.CloseInput() // an error means that it has ended
	var said [2]bytes.Buffer
	if err := process.Output(func(stream uint8, p []byte) {
		b := &said[(stream-1)&1]
		b.Write(p[:min(len(p), smokeKept-b.Len())])
	}); err != nil {
		return err
	}
	exit, err := process.Wait()
	switch {
	case err != nil:
	case exit.Reason == core.ReasonTimeout:
		err = fmt.Errorf("not done after %v", smokeWall)
	case exit.Status != core.ExitStatus{}:
		err = errors.New(exit.Status.String())
	case !strings.Contains(said[0].String(), e.Answer):
		err = fmt.Errorf("does not say %s", plugin.Printable(e.Answer))
	default:
		return nil
	}
	line := plugin.Printable(strings.Join(append([]string{e.Name}, e.Smoke...), " "))
	return fmt.Errorf("plugin %s: not added: it does not work here: %s: %w%s", e.Name, line, err, words(said[1].String()+said[0].String()))
}

// words returns what a command has said, to be put behind an error: the end of
// it, in one line.
func words(said string) string {
	said = strings.Join(strings.Fields(said), " ")
	if said == "" {
		return ", and says nothing"
	}
	const most = 400
	if len(said) > most {
		said = "…" + strings.ToValidUTF8(said[len(said)-most:], "")
	}
	return ": " + said
}
