package place

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// However long a program goes on, it is told so many lines of, and each begins with whose it is.
func TestTellMost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []string
		to := newTeller("a\x1bb", func(line string) { told = append(told, line) })
		for range 5 * tellMost {
			time.Sleep(tellEvery / 2)
			to.tell([]string{"terrarium: worker w: is to end"})
		}
		to.end()
		lines := 0
		for _, line := range told {
			if !strings.HasPrefix(line, `a\x1bb `) {
				t.Fatalf("got %q, want whose it is", line)
			}
			if line == `a\x1bb says: worker w: is to end` {
				lines++
			}
		}
		if last := told[len(told)-1]; lines != tellMost || !strings.HasSuffix(last, " lines are left out") {
			t.Errorf("got %d lines and at last %q, want %d and how many are left out", lines, last, tellMost)
		}
		if len(told) > 2*tellMost+2 {
			t.Errorf("got %d lines in all, want at most two for each of %d", len(told), tellMost)
		}
	})
}
