package vt_test

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terrarium-dev/terrarium/core/vt"
)

// A told is what a Follower tells.
type told struct {
	Rows, Cols int
	Cursor     json.RawMessage
	Alt        bool
	Title      string
	Snapshot   bool
	Lines      []struct {
		Y    int
		Runs json.RawMessage
	}
}

// A copied is the copy of a screen that somebody keeps who is told of it.
type copied struct {
	told
	runs []string
}

// follow has f tell all of s, at most so many bytes at a time.
func (c *copied) follow(t *testing.T, f *vt.Follower, s *vt.Screen, most int) (messages int) {
	t.Helper()
	for more := true; more; messages++ {
		var p []byte
		p, more = f.AppendJSON(nil, s, most)
		if len(p) == 0 {
			break
		}
		if messages > 1000 {
			t.Fatal("it goes on and on")
		}
		var news told
		if err := json.Unmarshal(p, &news); err != nil {
			t.Fatalf("%s: %v", p, err)
		}
		if news.Snapshot {
			c.runs = make([]string, news.Rows)
			for y := range c.runs {
				c.runs[y] = "[]"
			}
		}
		c.told = news
		for _, line := range news.Lines {
			c.runs[line.Y] = string(line.Runs)
		}
	}
	return messages
}

// json returns what Screen.AppendJSON would of a screen like c.
func (c *copied) json() string {
	lines := c.runs
	for len(lines) > 0 && lines[len(lines)-1] == "[]" {
		lines = lines[:len(lines)-1]
	}
	title, _ := json.Marshal(c.Title)
	return `{"rows":` + strconv.Itoa(c.Rows) + `,"cols":` + strconv.Itoa(c.Cols) + `,"cursor":` + string(c.Cursor) +
		`,"alt":` + strconv.FormatBool(c.Alt) + `,"title":` + string(title) + `,"lines":[` + strings.Join(lines, ",") + `]}`
}

// TestFollower: whatever a program writes, and whenever who keeps a copy is told, the copy is what
// the screen shows.
func TestFollower(t *testing.T) {
	for seed := range uint64(300) {
		g := newGenerator(seed, 6, 20)
		s := vt.NewScreen(vt.Options{Rows: 6, Cols: 20})
		var f vt.Follower
		var c copied
		for range 12 {
			out := g.stream(1 + g.IntN(6))
			s.Write(out)
			if g.IntN(20) == 0 {
				s.Resize(2+g.IntN(6), 10+g.IntN(20))
			}
			if g.IntN(3) == 0 {
				// Told in part: it goes on with another screen.
				f.AppendJSON(nil, s, 1<<20)
				f = vt.Follower{}
			}
			c.follow(t, &f, s, 1+g.IntN(400))
			if diff := cmp.Diff(string(s.AppendJSON(nil)), c.json()); diff != "" {
				t.Fatalf("seed %d, after %q (-screen +copy):\n%s", seed, out, diff)
			}
		}
	}
}

// TestFollowerInterrupted: between the parts of what is told the screen may change.
func TestFollowerInterrupted(t *testing.T) {
	for seed := range uint64(300) {
		g := newGenerator(seed, 6, 20)
		s := vt.NewScreen(vt.Options{Rows: 6, Cols: 20})
		var f vt.Follower
		var c copied
		tell := func() {
			p, _ := f.AppendJSON(nil, s, 1)
			if len(p) == 0 {
				return
			}
			var news told
			if err := json.Unmarshal(p, &news); err != nil {
				t.Fatal(err)
			}
			if news.Snapshot {
				c.runs = strings.Split(strings.Repeat("[] ", news.Rows), " ")[:news.Rows]
			}
			c.told = news
			for _, line := range news.Lines {
				c.runs[line.Y] = string(line.Runs)
			}
		}
		for range 30 {
			s.Write(g.stream(2))
			tell()
		}
		c.follow(t, &f, s, 1)
		if diff := cmp.Diff(string(s.AppendJSON(nil)), c.json()); diff != "" {
			t.Fatalf("seed %d (-screen +copy):\n%s", seed, diff)
		}
	}
}

// TestFollowerTellsChanges: only rows that have changed are told, and nothing twice.
func TestFollowerTellsChanges(t *testing.T) {
	s := newScreen("one\r\ntwo\r\n")
	var f vt.Follower
	for _, test := range []struct{ write, want string }{
		{"", `{"rows":4,"cols":10,"cursor":{"x":0,"y":2},"alt":false,"title":"","snapshot":true,"lines":[{"y":0,"runs":[{"text":"one"}]},{"y":1,"runs":[{"text":"two"}]}]}`},
		{"", ""},
		{"\a", ""},
		{"\x1b[1;2H\x1b[K", `{"rows":4,"cols":10,"cursor":{"x":1,"y":0},"alt":false,"title":"","snapshot":false,"lines":[{"y":0,"runs":[{"text":"o"}]}]}`},
		{"\x1b[3;1H", `{"rows":4,"cols":10,"cursor":{"x":0,"y":2},"alt":false,"title":"","snapshot":false,"lines":[]}`},
		{"\x1b]0;t\a\x1b[1;1H\x1b[K", `{"rows":4,"cols":10,"cursor":{"x":0,"y":0},"alt":false,"title":"t","snapshot":false,"lines":[{"y":0,"runs":[]}]}`},
		{"\x1b[?2026hhidden", ""},
		{" still", ""},
		{"\x1b[?2026l", `{"rows":4,"cols":10,"cursor":{"x":2,"y":1},"alt":false,"title":"t","snapshot":false,"lines":[{"y":0,"runs":[{"text":"hidden sti"}]},{"y":1,"runs":[{"text":"llo"}]}]}`},
	} {
		s.Write([]byte(test.write))
		p, more := f.AppendJSON(nil, s, 1<<20)
		if diff := cmp.Diff(test.want, string(p)); diff != "" || more {
			t.Errorf("after %q: more %v (-want +got):\n%s", test.write, more, diff)
		}
	}
}

// TestFollowerGoesRound: where it has told the first rows, it tells the rest and then what has
// changed above since.
func TestFollowerGoesRound(t *testing.T) {
	s := vt.NewScreen(vt.Options{Rows: 3, Cols: 10})
	s.Write([]byte("one\r\ntwo\r\nthree"))
	var f vt.Follower
	if _, more := f.AppendJSON(nil, s, 1); !more {
		t.Fatal("got all of it at once")
	}
	s.Write([]byte("\x1b[1;1HONE"))
	want := `{"rows":3,"cols":10,"cursor":{"x":3,"y":0},"alt":false,"title":"","snapshot":false,"lines":[{"y":1,"runs":[{"text":"two"}]},{"y":2,"runs":[{"text":"three"}]},{"y":0,"runs":[{"text":"ONE"}]}]}`
	if p, more := f.AppendJSON(nil, s, 1<<20); string(p) != want || more {
		t.Errorf("got %s, more %v, want %s", p, more, want)
	}
}

// TestFollowerBounds: each row of links, and each message, is bounded, and the text is whole.
func TestFollowerBounds(t *testing.T) {
	if testing.Short() {
		t.Skip("it fills a screen with as much as there may be, which takes seconds")
	}
	s := vt.NewScreen(vt.Options{Rows: 100, Cols: 500})
	for y := range 100 {
		for x := range 250 {
			// There are 100 different ones, since there is no room for more.
			s.Write([]byte("\x1b]8;;http://" + strconv.Itoa((x+y)%100) + strings.Repeat("/x", 1000) + "\x1b\\l\x1b]8;;\x1b\\\""))
		}
		s.Write([]byte("\r\n"))
	}
	const most = 128 << 10
	var f vt.Follower
	var c copied
	for more := true; more; {
		var p []byte
		p, more = f.AppendJSON(nil, s, most)
		if len(p) > most+80<<10 {
			t.Fatalf("got a message of %d bytes", len(p))
		}
	}
	f = vt.Follower{}
	c.follow(t, &f, s, most)
	want := `[{"text":"` + strings.Repeat(`l\"`, 250) + `","width":500}]`
	if got := c.runs[50]; got != want {
		t.Errorf("got the row %.200s, want %.200s", got, want)
	}
	if bytes.Count([]byte(c.json()), []byte("http")) != 0 {
		t.Error("got links in rows that have too many")
	}
}
