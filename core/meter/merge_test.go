//go:build !wasip1

package meter_test

import (
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/core/meter"
	. "github.com/terrarium-dev/terrarium/core/meter/metertest"
)

// TestMergeData compares the memory that data segments leave, and counts those that are left.
func TestMergeData(t *testing.T) {
	const page = 1 << 16
	type data struct {
		offset int32
		bytes  string
	}
	many := make([]data, 1000)
	for i := range many {
		many[i] = data{int32(i * 16), "x\x00y"}
	}
	for _, c := range []struct {
		name string
		data []data
		also func(*Module) // what else the module has
		want int           // segments, or 0 if it can't be instantiated
	}{
		{name: "one", data: []data{{3, "abc"}}, want: 1},
		{name: "adjacent", data: []data{{3, "abc"}, {6, "def"}}, want: 1},
		{name: "a gap", data: []data{{3, "abc"}, {6 + 64, "def"}}, want: 1},
		{name: "too wide a gap", data: []data{{3, "abc"}, {7 + 64, "def"}}, want: 2},
		{name: "not in order", data: []data{{60, "def"}, {3, "abc"}, {page - 3, "end"}}, want: 2},
		{name: "many", data: many, want: 1},
		{name: "one over another", data: []data{{3, "abc"}, {5, "def"}}, want: 2},
		{name: "one over another, not in order", data: []data{{5, "def"}, {3, "abc"}}, want: 2},
		{name: "twice the same place", data: []data{{3, "abc"}, {3, "def"}, {3, ""}}, want: 3},
		{name: "empty", data: []data{{3, ""}, {5, "abc"}, {page, ""}}, want: 2},
		{name: "all empty", data: []data{{3, ""}, {5, ""}}, want: 1},
		{name: "beyond the end", data: []data{{page - 5, "abc"}, {page - 1, "de"}}},
		{name: "nothing beyond the end", data: []data{{page - 5, "abc"}, {page + 1, ""}}},
		{name: "at the end of addresses", data: []data{{-5, "abc"}, {-1, "d"}}},
		{name: "passive", data: []data{{3, "abc"}, {6, "def"}}, want: 3, also: func(m *Module) {
			m.PassiveData([]byte("x"))
		}},
		{name: "used by code", data: []data{{3, "abc"}, {6, "def"}}, want: 2, also: func(m *Module) {
			m.Func("()->()", "", Misc(9, 0))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := &fuelTank{}
			r := newRuntime(t, f)
			var m Module
			m.Memory(1, 1)
			m.ExportMemory("memory")
			m.Export("run", m.Func("()->i32", "", I32(7)))
			for _, d := range c.data {
				m.Data(d.offset, []byte(d.bytes))
			}
			if c.also != nil {
				c.also(&m)
			}
			metered, info, err := meter.Rewrite(m.Bytes(), meter.Config{})
			if err != nil {
				t.Fatal(err)
			}
			if c.want == 0 {
				for name, wasm := range map[string][]byte{"original": m.Bytes(), "metered": metered} {
					if _, err := r.Instantiate(t.Context(), wasm); err == nil || !strings.Contains(err.Error(), "out of bounds") {
						t.Errorf("the %s: got %v, want it out of bounds", name, err)
					}
				}
				return
			}
			wantSame(t, r, f, m.Bytes())
			if n := len(c.data); info.DataSegments < n {
				t.Errorf("got %d segments of the original, which has %d", info.DataSegments, n)
			}
			wantSegments(t, metered, c.want)
		})
	}
}

// TestMergeImported leaves alone what goes into a memory that may have other things already.
func TestMergeImported(t *testing.T) {
	var m Module
	m.ImportMemory("env", "memory", 1)
	m.Func("()->()", "")
	m.Data(3, []byte("abc"))
	m.Data(9, []byte("def"))
	metered, _, err := meter.Rewrite(m.Bytes(), meter.Config{})
	if err != nil {
		t.Fatal(err)
	}
	wantSegments(t, metered, 2)
}

func wantSegments(t *testing.T, metered []byte, want int) {
	t.Helper()
	m, err := meter.Inspect(rename(metered), meter.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if m.DataSegments != want {
		t.Errorf("got %d data segments, want %d", m.DataSegments, want)
	}
}
