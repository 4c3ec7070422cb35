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
	said, err := answerOf(ctx, host, e.Name, e.Smoke)
	if err == nil && !strings.Contains(said, e.Answer) {
		err = fmt.Errorf("plugin %s: not added: it does not work here: %s: does not say %s%s", e.Name,
			commandLine(e.Name, e.Smoke), plugin.Printable(e.Answer), words(said))
	}
	return err
}

func commandLine(name string, args []string) string {
	return plugin.Printable(strings.Join(append([]string{name}, args...), " "))
}

// answerOf returns what a command writes to its standard output, or the beginning of
// it, if it succeeds.
func answerOf(ctx context.Context, host driver.Host, name string, args []string) (string, error) {
	exec, err := host.Resolve(ctx, core.Command{Command: name, Args: args})
	if err != nil {
		return "", err
	}
	process, err := host.Start(ctx, exec)
	if err != nil {
		return "", err
	}
	defer process.Close()
	defer context.AfterFunc(ctx, func() { process.Close() })()
	process.CloseInput() // an error means that it has ended
	var said [2]bytes.Buffer
	if err := process.Output(func(stream uint8, p []byte) {
		b := &said[(stream-1)&1]
		b.Write(p[:min(len(p), smokeKept-b.Len())])
	}); err != nil {
		return "", err
	}
	exit, err := process.Wait()
	switch {
	case err != nil:
	case exit.Reason == core.ReasonTimeout:
		err = fmt.Errorf("not done after %v", smokeWall)
	case exit.Status != core.ExitStatus{}:
		err = errors.New(exit.Status.String())
	default:
		return said[0].String(), nil
	}
	return "", fmt.Errorf("plugin %s: not added: it does not work here: %s: %w%s", name,
		commandLine(name, args), err, words(said[1].String()+said[0].String()))
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
