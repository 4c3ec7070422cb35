package main

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/place"
	"github.com/terrarium-dev/terrarium/core/driver/remote"
)

// TestEndedWords: whose container speaks nonsense is not told that it has ended.
func TestEndedWords(t *testing.T) {
	for want, why := range map[string]error{
		"its container was killed":                                &place.Failure{Text: "its container was killed"},
		"its container has ended: --cwd /x: no such directory":    &place.Failure{Text: "--cwd /x: no such directory"},
		"its container has ended: the other side has ended it":    fmt.Errorf("%w", otherEnd{}),
		"its container has ended":                                 fmt.Errorf("%w", remote.ErrEnded),
		"the link to its container is broken: a frame of 0 bytes": errors.New("remote: a frame of 0 bytes"),
		"its container has ended: before":                         goneError("its container has ended: before"),
	} {
		if got := endedWords(why); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// An otherEnd is what the other side says when it ends.
type otherEnd struct{}

func (otherEnd) Error() string { return "the other side has ended it" }
func (otherEnd) Unwrap() error { return io.EOF }
