package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/place"
	"github.com/terrarium-dev/terrarium/core/driver/remote"
)

// TestEndedWords: whose container speaks nonsense is not told that it has ended.
func TestEndedWords(t *testing.T) {
	says, err := place.Parse("exec:sh -c 'echo its container is fine >&2; exit 3' sh")
	if err != nil {
		t.Fatal(err)
	}
	// A command of the container may have written that, with the container's standard error.
	const dumps = "#!/bin/sh\nprintf 'SIGABRT: abort\\nPC=0x1 m=0\\n' >&2\nexit 2\n"
	docker := filepath.Join(t.TempDir(), "docker")
	if err := os.WriteFile(docker, []byte(dumps), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", filepath.Dir(docker)+":"+os.Getenv("PATH"))
	image := &place.Image{Engine: "docker", Name: "toolbox:1"}
	for want, why := range map[string]error{
		"its container was killed":                                                       &place.Failure{Text: "its container was killed"},
		"its container has ended: --cwd /x: no such directory":                           &place.Failure{Text: "--cwd /x: no such directory"},
		"its container has ended: the other side has ended it":                           fmt.Errorf("%w", otherEnd{}),
		"its container has ended":                                                        fmt.Errorf("%w", remote.ErrEnded),
		"the link to its container is broken: a frame of 0 bytes":                        errors.New("remote: a frame of 0 bytes"),
		"its container has ended: before":                                                goneError("its container has ended: before"),
		"its container has ended: its container is fine":                                 saidFailure(t, says),
		`its container has ended: docker or its container was killed ("SIGABRT: abort")`: saidFailure(t, image.Container("box")),
	} {
		if got := endedWords(why); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// saidFailure is how a connection ends whose program has said why. What a program that has just
// ended has said may come too late.
func saidFailure(t *testing.T, p *place.Place) error {
	t.Helper()
	d := &place.Dialer{Place: p, Far: []string{"far"}}
	defer d.Close()
	for range 100 {
		conn, err := d.Dial(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		_, err = conn.Read(make([]byte, 1))
		conn.Close()
		if f, ok := errors.AsType[*place.Failure](err); ok && f.IsSaid() {
			return f
		}
	}
	t.Fatal("nobody hears what a program says")
	return nil
}

// An otherEnd is what the other side says when it ends.
type otherEnd struct{}

func (otherEnd) Error() string { return "the other side has ended it" }
func (otherEnd) Unwrap() error { return io.EOF }
