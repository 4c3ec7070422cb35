package main

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/place"
	"github.com/terrarium-dev/terrarium/core/driver/remote"
)

// A containerHost has the commands of one session run in a container, and ends with it.
type containerHost struct {
	*remote.Host
	containers *containers
	name       string
	dialer     *place.Dialer
	lost       func(why error)

	// Of the Host's goroutine that connects.
	dialed bool
	why    error // the connection has ended

	closing sync.Once
	removed bool // there was a container that Close has removed
}

// dial starts the container, the first time. It ends with the connection, so there is no second.
func (h *containerHost) dial(ctx context.Context) (io.ReadWriteCloser, error) {
	if h.dialed {
		return nil, goneError(endedWords(h.why)) // which terminals may be told before state is
	}
	h.dialed = true
	return h.dialer.Dial(ctx)
}

func (h *containerHost) state(s remote.State) {
	switch s.Link {
	case remote.Reconnecting:
		h.why = s.Err
	case remote.Lost:
		if h.why == nil {
			h.why = s.Err
		}
		h.lost(errors.New(endedWords(h.why)))
	}
}

// A goneError is remote.ErrGone with the reason.
type goneError string

func (e goneError) Error() string { return string(e) }

func (goneError) Is(target error) bool { return target == remote.ErrGone }

// endedWords say why a container has ended, or why it has to: nobody knows what one does that says
// what none of ours would. The engine may have no more to say than that it has ended.
func endedWords(why error) string {
	f, failed := errors.AsType[*place.Failure](why)
	gone, ok := errors.AsType[goneError](why)
	switch {
	case ok:
		return string(gone)
	case failed && !f.IsSaid() && strings.HasPrefix(f.Text, "its container "):
		return f.Text
	case failed:
		return "its container has ended: " + f.Text
	case errors.Is(why, remote.ErrEnded):
		return "its container has ended"
	case errors.Is(why, io.EOF): // it says that it ends, and why
		return "its container has ended: " + message(why)
	}
	return "the link to its container is broken: " + message(why)
}

// Close ends the container and returns when it is removed, or the engine does not remove it.
func (h *containerHost) Close() error {
	h.closing.Do(func() {
		if h.Host != nil {
			h.Host.Close()
		}
		h.dialer.Close()
		// Mostly it is gone with its input. Not so where the engine's program was killed, or has
		// not answered.
		removed, err := h.containers.image.Remove(h.containers.hurry, h.name)
		h.removed = len(removed) > 0
		if err != nil {
			h.containers.say("the container " + h.name + " may be left: " + err.Error())
		}
	})
	return nil
}
