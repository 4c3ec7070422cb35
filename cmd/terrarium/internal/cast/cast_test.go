package cast

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestWritten reads what was written.
func TestWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b bytes.Buffer
		w := NewWriter(&b, Header{Cols: 80, Rows: 24, Title: `a "title"`})
		w.Output([]byte("h\xc3"))
		time.Sleep(1500 * time.Millisecond)
		w.Output([]byte("\xa9\xff\x1b[1m\xe2"))
		w.Mark("turn 1")
		time.Sleep(time.Second)
		w.Resize(100, 30)
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		h, events := read(t, b.String())
		if want := (Header{Cols: 80, Rows: 24, Title: `a "title"`}); h != want {
			t.Errorf("got header %+v, want %+v", h, want)
		}
		want := []Event{
			{0, Output, "h"}, {1500 * time.Millisecond, Output, "é\uFFFD\x1b[1m"}, {1500 * time.Millisecond, Mark, "turn 1"},
			{2500 * time.Millisecond, Resize, "100x30"}, {2500 * time.Millisecond, Output, "\uFFFD"},
		}
		// Two writes of a character and a wrong byte may be one event or two.
		if diff := cmp.Diff(want, joined(events)); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		if cols, rows, err := want[3].Size(); cols != 100 || rows != 30 || err != nil {
			t.Errorf("got %d, %d, %v", cols, rows, err)
		}
	})
}

// joined returns events with those of output at one time as one.
func joined(events []Event) (all []Event) {
	for _, e := range events {
		if last := len(all) - 1; last >= 0 && e.Kind == Output && all[last].Kind == Output && all[last].At == e.At {
			all[last].Data += e.Data
			continue
		}
		all = append(all, e)
	}
	return all
}

func read(t *testing.T, recording string) (Header, []Event) {
	t.Helper()
	r, err := NewReader(bufio.NewReader(strings.NewReader(recording)))
	if err != nil {
		t.Fatal(err)
	}
	var events []Event
	for {
		e, err := r.Next()
		if err == io.EOF {
			return r.Header(), events
		}
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
	}
}

// TestVersion3 reads what asciinema 3 writes: times are those since the event before.
func TestVersion3(t *testing.T) {
	h, events := read(t, `{"version":3,"term":{"cols":100,"rows":50,"type":"xterm"},"timestamp":1,"idle_time_limit":2.5,"title":"t"}
# a comment

[0.5, "o", "a"]
[0.25, "i", "b"]
[0, "r", "90x40"]
[1, "x", "0"]`)
	if want := (Header{Cols: 100, Rows: 50, Title: "t", IdleLimit: 2500 * time.Millisecond}); h != want {
		t.Errorf("got %+v, want %+v", h, want)
	}
	ms := time.Millisecond
	want := []Event{{500 * ms, Output, "a"}, {750 * ms, Input, "b"}, {750 * ms, Resize, "90x40"}, {1750 * ms, "x", "0"}}
	if diff := cmp.Diff(want, events); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestTimesGoOn is of a recording that goes back in time.
func TestTimesGoOn(t *testing.T) {
	_, events := read(t, `{"version":2,"width":80,"height":24}`+"\n[2,\"o\",\"a\"]\n[1,\"o\",\"b\"]\n")
	if events[1].At != 2*time.Second {
		t.Errorf("got %v, want 2s", events[1].At)
	}
}

func TestNoRecording(t *testing.T) {
	for _, text := range []string{"", "hello", "{}", "{\"a\":1}\n", "\x1b[1m{\"version\":2}", "{\n\"version\":2}"} {
		in := bufio.NewReader(strings.NewReader(text))
		if _, err := NewReader(in); !errors.Is(err, ErrNoRecording) {
			t.Errorf("%q: got %v, want %v", text, err, ErrNoRecording)
		}
		if rest, _ := io.ReadAll(in); string(rest) != text {
			t.Errorf("%q: got %q after it, want all", text, rest)
		}
	}
}

// TestNoWait reads the first line of what is being recorded just now.
func TestNoWait(t *testing.T) {
	in, w := io.Pipe()
	defer w.Close()
	go io.WriteString(w, `{"version":2,"width":80,"height":24}`+"\n") // returns when it was read
	if _, err := NewReader(bufio.NewReader(in)); err != nil {         // hangs if it wants more
		t.Error(err)
	}
}

// TestManyParts holds the memory that a line of many parts takes to that of a few copies of it.
func TestManyParts(t *testing.T) {
	line := `[1,"o","a"` + strings.Repeat(`,{"":0}`, 100_000) + "]\n"
	r, err := NewReader(bufio.NewReader(strings.NewReader(`{"version":2,"width":80,"height":24}` + "\n" + line)))
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := r.Next(); err == nil || !strings.Contains(err.Error(), "4 parts or more") {
		t.Errorf("got %v, want that there are too many parts", err)
	}
	runtime.ReadMemStats(&after)
	if took, most := after.TotalAlloc-before.TotalAlloc, uint64(10*len(line)); took > most {
		t.Errorf("a line of %d bytes took %d, want at most %d", len(line), took, most)
	}
}

func TestWrong(t *testing.T) {
	const head = `{"version":2,"width":80,"height":24}` + "\n"
	for _, test := range []struct{ text, want string }{
		{`{"version":1,"width":80}`, "asciicast version 1: only 2 and 3 are known"},
		{`{"version":"2"}`, "the header: json: cannot unmarshal"},
		{`{"version":2`, "the header: unexpected end"},
		{`{"version":2}`, "the header: a terminal of 0x0 cells"},
		{`{"version":2,"width":1000000,"height":24}`, "the header: a terminal of 1000000x24 cells: from 2x1 to 4096x1000 can be shown"},
		{`{"version":2,"width":80,"height":-1}`, "the header: a terminal of 80x-1 cells"},
		{`{"version":3,"width":80,"height":24}`, "the header: a terminal of 0x0 cells"},
		{`{"version":2,"width":80,"height":24,"idle_time_limit":-1}`, "the header: idle_time_limit: a time of -1 s"},
		{head + "[0,\"o\",\"a\"]\nx\n", "line 3: invalid character"},
		{head + `[0,"o"]`, "line 2: 2 parts where an event has 3"},
		{head + `[0,"o","a","b"]`, "line 2: 4 parts"},
		{head + `["0","o","a"]`, "line 2: json: cannot unmarshal"},
		{head + `[-1,"o","a"]`, "line 2: a time of -1 s: from 0 to a year"},
		{head + `[1e300,"o","a"]`, "line 2: a time of 1e+300 s"},
		{head + "[0,\"o\",\"" + strings.Repeat("a", maxLine), "line 2: longer than 16 MiB"},
	} {
		var err error
		var r *Reader
		for r, err = NewReader(bufio.NewReader(strings.NewReader(test.text))); err == nil; {
			_, err = r.Next()
		}
		if !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%.100s: got %v, want %s…", test.text, err, test.want)
		}
	}
	for _, size := range []string{"", "80", "80x", "x24", "80x24x1", "0x0", "-80x24", "99999999999999999999x1"} {
		if _, _, err := (Event{Data: size}).Size(); err == nil {
			t.Errorf("%s: got no error", size)
		}
	}
}

// FuzzReader holds a Reader to its word, whatever it reads.
func FuzzReader(f *testing.F) {
	f.Add([]byte("{\"version\":2,\"width\":80,\"height\":24}\n[0.5,\"o\",\"a\"]\n[1,\"r\",\"90x30\"]\n"))
	f.Add([]byte("{\"version\":3,\"term\":{\"cols\":80,\"rows\":24}}\n#\n[1,\"m\",\"\"]\n[1,null,null]\n[31536000,\"o\",\"\"]"))
	f.Fuzz(func(t *testing.T, recording []byte) {
		r, err := NewReader(bufio.NewReader(bytes.NewReader(recording)))
		if err != nil {
			return
		}
		if h := r.Header(); checkSize(h.Cols, h.Rows) != nil || h.IdleLimit < 0 {
			t.Errorf("got header %+v", h)
		}
		for last := time.Duration(0); ; {
			e, err := r.Next()
			if err != nil {
				return
			}
			if e.At < last || e.At > maxTime {
				t.Errorf("got an event at %v after one at %v", e.At, last)
			}
			if last = e.At; strings.ToValidUTF8(e.Data, "") != e.Data {
				t.Errorf("got %q", e.Data)
			}
		}
	})
}
