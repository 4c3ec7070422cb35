package driver_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/driver"
)

// BenchmarkOutput is output on its way from a Host to the terminal that keeps it, in pieces as
// large as a pty's.
func BenchmarkOutput(b *testing.B) {
	for _, rendering := range []core.Rendering{core.RenderRaw, core.RenderText} {
		b.Run(rendering.String(), func(b *testing.B) {
			d := driver.New(driver.Config{Host: host{}})
			defer d.Close()
			text := strings.Repeat("compiled package number 12345 in 67 ms\r\n", 100)
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			b.ResetTimer()
			term, err := d.Create(b.Context(), "", core.Command{
				Command: "print", Args: []string{text, strconv.Itoa(b.N)}, Rendering: rendering,
			})
			if err != nil {
				b.Fatal(err)
			}
			if _, err := term.Wait(b.Context()); err != nil {
				b.Fatal(err)
			}
		})
	}
}

// BenchmarkLife is a terminal from Create to Release, of a Host that costs nothing.
func BenchmarkLife(b *testing.B) {
	d := driver.New(driver.Config{Host: host{}})
	defer d.Close()
	b.ReportAllocs()
	for b.Loop() {
		term, err := d.Create(b.Context(), "", core.Command{Command: "print", Args: []string{"x", "1"}})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := term.Wait(b.Context()); err != nil {
			b.Fatal(err)
		}
		if err := term.Release(); err != nil {
			b.Fatal(err)
		}
	}
}
