package wire_test

import (
	"bytes"
	"math"
	"reflect"
	"testing"

	"github.com/terrarium-dev/terrarium/core/driver/wire"
)

type inner struct{ Name string }

func (i *inner) Wire(c *wire.Codec) { wire.Text(c, &i.Name) }

type message struct {
	N     int64
	U     uint64
	Small uint8
	Flag  bool
	Bytes []byte
	Names []string
	Inner *inner
	Rest  []byte
}

func (m *message) Wire(c *wire.Codec) {
	wire.Number(c, &m.N)
	wire.Number(c, &m.U)
	wire.Number(c, &m.Small)
	c.Flag(&m.Flag)
	c.Bytes(&m.Bytes)
	wire.List(c, &m.Names, wire.Text)
	wire.Optional(c, &m.Inner)
	c.Rest(&m.Rest)
}

func full() *message {
	return &message{
		N: math.MinInt64, U: math.MaxUint64, Small: 255, Flag: true, Bytes: []byte{0, 255},
		Names: []string{"", "\xff a"}, Inner: &inner{"x"}, Rest: []byte("rest"),
	}
}

// A message comes out as it went in, behind what was there before.
func TestThereAndBack(t *testing.T) {
	for _, m := range []*message{full(), {Bytes: []byte{}, Rest: []byte{}}} {
		p := wire.Append([]byte("before"), m)
		p, ok := bytes.CutPrefix(p, []byte("before"))
		if !ok {
			t.Fatalf("got %q, want what was there before it", p)
		}
		got := new(message)
		if err := wire.Decode(p, 0, got); err != nil || !reflect.DeepEqual(got, m) {
			t.Errorf("got %+v, %v, want %+v", got, err, m)
		}
	}
}

// A message that is cut is an error, as is one that goes on.
func TestWhole(t *testing.T) {
	p := wire.Append(nil, &inner{"name"})
	for n := range p {
		if err := wire.Decode(p[:n], 0, new(inner)); err == nil {
			t.Errorf("the first %d bytes of %d: got nil, want an error", n, len(p))
		}
	}
	p = append(p, "more"...)
	if err := wire.Decode(p, 0, new(inner)); err == nil {
		t.Error("bytes after a message: got nil, want an error")
	}
	rest, err := wire.DecodePart(p, 0, new(inner))
	if err != nil || string(rest) != "more" {
		t.Errorf("got rest %q, %v, want %q, nil", rest, err, "more")
	}
}

// What is too much is an error, before anything is made for it.
func TestTooMuch(t *testing.T) {
	for name, p := range map[string][]byte{
		"a list that is longer than its message": {0, 0, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff, 0x0f},
		"a list of more than two":                {0, 0, 0, 0, 0, 6, 0, 0, 0, 0},
		"a negative length":                      {0, 0, 0, 0, 1},
		"a number that is too large":             {0, 0, 0x80, 0x04, 0, 0, 0, 0},
		"a number without end":                   bytes.Repeat([]byte{0xff}, 20),
	} {
		var m message
		var err error
		if n := testing.AllocsPerRun(1, func() { err = wire.Decode(p, 2, &m) }); n > 10 {
			t.Errorf("%s: got %v allocations", name, n)
		}
		if err == nil {
			t.Errorf("%s: got %+v, want an error", name, m)
		}
	}
}

// What can be read can be written, and is the same when it is read again.
func FuzzDecode(f *testing.F) {
	f.Add(wire.Append(nil, full()))
	f.Add(wire.Append(nil, new(message)))
	f.Fuzz(func(t *testing.T, p []byte) {
		m, again := new(message), new(message)
		if wire.Decode(bytes.Clone(p), 1000, m) != nil {
			return
		}
		if err := wire.Decode(wire.Append(nil, m), 1000, again); err != nil || !reflect.DeepEqual(again, m) {
			t.Errorf("got %+v, %v, want %+v", again, err, m)
		}
	})
}
