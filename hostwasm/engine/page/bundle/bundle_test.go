package bundle_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/core/meter"
	. "github.com/terrarium-dev/terrarium/core/meter/metertest"
	"github.com/terrarium-dev/terrarium/hostwasm"
	"github.com/terrarium-dev/terrarium/hostwasm/engine/page"
	"github.com/terrarium-dev/terrarium/hostwasm/engine/page/bundle"
)

// command returns a module that grows its memory.
func command() []byte {
	var m Module
	m.Memory(1, 0)
	m.ExportMemory("memory")
	m.Export("_start", m.Func("()->()", "", I32(1), MemoryGrow(), Op(Drop)))
	return m.Bytes()
}

// What is fetched is what a host in the page would have compiled, and it does not
// depend on when and where it was made.
func TestCompress(t *testing.T) {
	compressed, err := bundle.Compress("command", command())
	if err != nil {
		t.Fatal(err)
	}
	r, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		t.Fatal(err)
	}
	if r.Name != "" || r.Comment != "" || len(r.Extra) > 0 || !r.ModTime.IsZero() {
		t.Errorf("got header %+v, want no name and no time", r.Header)
	}
	got, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	want, err := hostwasm.MeterFor(page.Target{}, hostwasm.NewModule("command", command()), hostwasm.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("got  %x\nwant %x", got, want)
	}
	if asks := Code(Name(meter.RefillModule), Name(meter.GrowName)); !bytes.Contains(got, asks) {
		t.Errorf("got %x, want it to ask before it grows", got)
	}
	if again, err := bundle.Compress("command", command()); err != nil || !bytes.Equal(again, compressed) {
		t.Errorf("again: got %x, %v, want the same bytes", again, err)
	}
}

func TestCompressRefused(t *testing.T) {
	_, err := bundle.Compress("thing", []byte("hello"))
	if err == nil || !strings.HasPrefix(err.Error(), "thing: ") {
		t.Errorf("got %v, want an error that names the module", err)
	}
}

func TestIndex(t *testing.T) {
	index := bundle.NewIndex([]bundle.Plugin{bundle.Describe("box", []string{"sh", "ls"}, []byte("abc"))})
	if want := hostwasm.CompiledBy(page.Target{}, hostwasm.Limits{}); index.By != want || !strings.HasPrefix(want, "page ") {
		t.Errorf("by: got %q, want %q", index.By, want)
	}
	if got := index.Plugins[0].File(); got != "box.wasm.gz" {
		t.Errorf("file: got %q, want box.wasm.gz", got)
	}
	index.By = "us"
	// The sum is that of NIST's example for SHA-256.
	want := `{
	"by": "us",
	"plugins": [
		{
			"name": "box",
			"sum": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
			"size": 3,
			"commands": [
				"sh",
				"ls"
			]
		}
	]
}
`
	if got := string(index.Encode()); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}
