package driver_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
)

// TestFollow: what a command writes is read as it comes, to its end.
func TestFollow(t *testing.T) {
	bubble(t, withScreens, func(t *testing.T, d *driver.Driver) {
		term, err := d.Create(t.Context(), "s", echo)
		if err != nil {
			t.Fatal(err)
		}
		go func() { // ends with the last write
			for _, s := range []string{"one\n", "two\n", "three"} {
				term.Write([]byte(s))
				time.Sleep(time.Second)
			}
			term.CloseInput()
		}()
		f := term.Follow(t.Context())
		p := make([]byte, 100)
		n, err := f.Read(p)
		if string(p[:n]) != "one\n" || err != nil {
			t.Errorf("got %q, %v, want the first line at once", p[:n], err)
		}
		rest, err := io.ReadAll(iotest.OneByteReader(f))
		if string(rest) != "two\nthree" || err != nil || f.Lost() != 0 {
			t.Errorf("got %q, %v, %d lost, want the rest", rest, err, f.Lost())
		}
		if n, err := f.Read(p); n != 0 || err != io.EOF {
			t.Errorf("after the end: got %d, %v", n, err)
		}
		if again, err := io.ReadAll(term.Follow(t.Context())); string(again) != "one\ntwo\nthree" || err != nil {
			t.Errorf("another one: got %q, %v, want all of it", again, err)
		}
	})
}

// TestFollowLate: who reads late misses the oldest.
func TestFollowLate(t *testing.T) {
	bubble(t, driver.Config{Host: host{}}, func(t *testing.T, d *driver.Driver) {
		c := core.Command{Command: "print", Args: []string{"0123456789", "10"}, OutputByteLimit: 25}
		term, err := d.Create(t.Context(), "s", c)
		if err != nil {
			t.Fatal(err)
		}
		f := term.Follow(t.Context())
		synctest.Wait()
		all, err := io.ReadAll(f)
		if want := strings.Repeat("0123456789", 10)[75:]; string(all) != want || err != nil || f.Lost() != 75 {
			t.Errorf("got %q, %v, %d lost, want %q and 75", all, err, f.Lost(), want)
		}
	})
}

func TestFollowEnds(t *testing.T) {
	bubble(t, withScreens, func(t *testing.T, d *driver.Driver) {
		term, err := d.Create(t.Context(), "s", echo)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if got, err := io.ReadAll(term.Follow(ctx)); len(got) > 0 || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %q, %v, want %v", got, err, context.DeadlineExceeded)
		}
		if _, err := io.ReadAll(d.Terminal("none").Follow(t.Context())); err != core.ErrUnknownTerminal {
			t.Errorf("got %v, want %v", err, core.ErrUnknownTerminal)
		}
		done := make(chan error)
		go func() {
			_, err := io.ReadAll(term.Follow(t.Context()))
			done <- err
		}()
		synctest.Wait()
		term.Release()
		if err := <-done; err != nil {
			t.Errorf("a release: got %v, want the end", err)
		}
	})
}
