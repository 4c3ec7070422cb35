package index_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/index"
)

// A list of plugins that comes from a server is anything at all, up to its size. It is
// refused at once: nothing in it takes time or memory out of proportion.
func TestHostile(t *testing.T) {
	fill := func(unit string) string { return strings.Repeat(unit, index.MaxBytes/len(unit)) }
	half := func(unit string) string { return strings.Repeat(unit, index.MaxBytes/2/len(unit)-100) }
	for name, text := range map[string]string{
		"deep lists":         "x = " + half("["),
		"deep lists, closed": "x = " + half("[") + half("]"),
		"deep tables":        "x = " + strings.Repeat("{a=", index.MaxBytes/3-10),
		"deep tables, closed": "x = " + strings.Repeat("{a=", index.MaxBytes/4-10) + "1" +
			strings.Repeat("}", index.MaxBytes/4-10),
		"dots in a key":     fill("a.")[:index.MaxBytes-10] + "a = 1",
		"dots in a head":    "[" + fill("a.")[:index.MaxBytes-10] + "a]",
		"unknown keys":      unknown("\n"),
		"keys in a table":   "format = {" + unknown(",") + "a=1}",
		"plugins in a list": "plugin = [{" + unknown(",") + "a=1}]",
		"heads":             fill("[[plugin]]\n"),
		"empty heads":       fill("[a]\n"),
		"comments":          fill("#\n"),
		"lines":             fill("\n"),
		"quotes":            `x = "` + fill(`\"`)[:index.MaxBytes-10],
		"a long number":     "format = " + fill("1")[:index.MaxBytes-10],
		"a long fraction":   "format = 1." + fill("1")[:index.MaxBytes-20],
		"what is no text":   "\xff\x00\x1b[2J",
		"many empty tables": "x = [" + strings.Repeat("{},", index.MaxBytes/3-10) + "]",
	} {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			_, err := index.Parse("i", []byte(text), "")
			if took := time.Since(began); took > time.Minute {
				t.Errorf("it took %v", took)
			}
			if err == nil {
				t.Error("got no error")
			} else if testing.Verbose() {
				t.Logf("%d bytes: %v: %.80v", len(text), time.Since(began), err)
			}
			if err != nil && (len(err.Error()) > 2000 || strings.ContainsAny(err.Error(), "\x1b\n")) {
				t.Errorf("got %.300q", err.Error())
			}
		})
	}
}

// unknown returns as many keys that are unknown as there can be, a separator after each.
func unknown(separator string) string {
	var b strings.Builder
	for n := 0; b.Len() < index.MaxBytes-30; n++ {
		fmt.Fprintf(&b, "k%x=1%s", n, separator)
	}
	return b.String()
}
