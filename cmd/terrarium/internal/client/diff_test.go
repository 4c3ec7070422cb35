package client_test

import (
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/client"
)

// TestDiffLines: what has changed is shown, with a line around it.
func TestDiffLines(t *testing.T) {
	for _, test := range []struct {
		old, new string
		want     []string
	}{
		{"", "", []string{"f: -0 +0"}},
		{"", "\n", []string{"f: -0 +1", "+ "}},
		{"a\n", "a", []string{"f: -0 +0", "@@ line 2", "  a"}},
		{"1\n2\n3\n", "1\nx\n3\n", []string{"f: -1 +1", "@@ line 2", "  1", "- 2", "+ x", "  3"}},
		{"1\n3", "1\n2\n3", []string{"f: -0 +1", "@@ line 2", "  1", "+ 2", "  3"}},
		{"\n\n", "\n\n\n", []string{"f: -0 +1", "@@ line 3", "  ", "+ "}},
		{"a", "b\na", []string{"f: -0 +1", "+ b", "  a"}},
	} {
		d := client.Diff{Path: "f", Old: test.old, New: test.new}
		if got := d.Lines(); !slices.Equal(got, test.want) {
			t.Errorf("%q, %q: got %q, want %q", test.old, test.new, got, test.want)
		}
	}
}

// TestDiffMemory: a diff of millions of lines takes no memory besides, and long ones are cut
// wherever they stand.
func TestDiffMemory(t *testing.T) {
	long, many := strings.Repeat("y", 1<<20)+"\n", strings.Repeat("\n", 4<<20)
	d := client.Diff{Path: "f", Old: long + "gone " + long + many + "old\n" + long + many, New: long + "come " + long + many + "new\n" + long + many}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	lines := d.Lines()
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 1<<20 {
		t.Errorf("%d lines took %d KiB", len(lines), took>>10)
	}
	for i, line := range lines {
		if len(line) > 4<<10 {
			t.Errorf("line %d of %d has %d bytes", i, len(lines), len(line))
		}
	}
}
