package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
	"github.com/terrarium-dev/terrarium/core/keys"
	"github.com/terrarium-dev/terrarium/core/vt"
)

// typists type a line to cat on a terminal of 160x40 and return when the screen shows it.
var typists = []struct {
	name, aim string
	// start returns typed, or why there is none here.
	start func(b *testing.B) (typed func(line string) error, err error)
}{
	{"driver, screen", "1 ms", startScreen},
	{"tmux send-keys, capture-pane", "", startPane},
}

// BenchmarkKeystroke is the time from a keystroke to the screen that shows it, in turns of 20 lines
// each.
func BenchmarkKeystroke(b *testing.B) {
	const turns, each = 10, 20
	t := &table{
		title:  fmt.Sprintf("from the keystrokes of a line to the screen that shows it; median of %d, in turns of %d", turns*each, each),
		header: []string{"", "ms", "p90", "", "aim"},
	}
	tables = append(tables, t)
	var first float64
	took := make([][]time.Duration, len(typists))
	lines := make([]func(string) error, len(typists))
	for i, y := range typists {
		var err error
		if lines[i], err = y.start(b); err != nil {
			t.row(y.name, "-", "", "", "skipped: "+err.Error())
		}
	}
	number := 0
	for range turns {
		for i, typed := range lines {
			if typed == nil {
				continue
			}
			times, err := timed(func() error {
				number++
				return typed(fmt.Sprintf("line %07d", number))
			})(each)
			if err != nil {
				b.Fatalf("%s: %v", typists[i].name, err)
			}
			took[i] = append(took[i], times...)
		}
	}
	for i, y := range typists {
		if lines[i] == nil {
			continue
		}
		median := percentile(took[i], 50)
		if first == 0 {
			first = median.Seconds()
		}
		t.row(y.name, milliseconds(median), milliseconds(percentile(took[i], 90)), times(median.Seconds(), first), y.aim)
		b.Run(y.name, func(b *testing.B) { b.ReportMetric(float64(median), "ns/op") })
	}
}

// notShown is how long a line may take to show.
const notShown = 10 * time.Second

func startScreen(b *testing.B) (func(string) error, error) {
	printed := make(chan struct{}, 1)
	d := driver.New(driver.Config{
		Host: nativeHost(b), Core: core.Config{Screens: true},
		OnOutput: func(core.TerminalID, uint8, []byte) {
			select {
			case printed <- struct{}{}:
			default:
			}
		},
	})
	b.Cleanup(func() { d.Close() })
	term, err := d.Create(context.Background(), "", core.Command{Command: "cat", Pty: true, Interactive: true, Screen: true, Rows: 40, Cols: 160})
	if err != nil {
		return nil, err
	}
	var text []byte
	return func(line string) error {
		if _, err := term.Write(keys.Type(nil, line+"\n", keys.Modes{})); err != nil {
			return err
		}
		late := time.Now().Add(notShown)
		for {
			term.Screen(func(s *vt.Screen) { text = s.AppendText(text[:0]) })
			switch {
			case bytes.Contains(text, []byte(line)):
				return nil
			case time.Now().After(late):
				return errors.New("the line does not show")
			}
			select {
			case <-printed: // it comes before the screen has it
			case <-time.After(50 * time.Microsecond):
			}
		}
	}, nil
}

func startPane(b *testing.B) (func(string) error, error) {
	path, err := exec.LookPath("tmux")
	if err != nil {
		return nil, err
	}
	socket := filepath.Join(b.TempDir(), "socket")
	tmux := func(args ...string) ([]byte, error) {
		return exec.Command(path, append([]string{"-S", socket, "-f", "/dev/null"}, args...)...).Output()
	}
	if _, err := tmux("new-session", "-d", "-x", "160", "-y", "40", "cat"); err != nil {
		return nil, err
	}
	b.Cleanup(func() { tmux("kill-server") })
	return func(line string) error {
		if _, err := tmux("send-keys", "--", line+"\n"); err != nil {
			return err
		}
		for late := time.Now().Add(notShown); time.Now().Before(late); {
			screen, err := tmux("capture-pane", "-p")
			if err != nil || bytes.Contains(screen, []byte(line)) {
				return err
			}
		}
		return errors.New("the line does not show")
	}, nil
}
