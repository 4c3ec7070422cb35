package tree

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/terrarium-dev/terrarium/hostnative/internal/strays"
)

func TestSearch(t *testing.T) {
	unsure, executing := doubt{unsure: true}, doubt{unsure: true, executing: true}
	for _, test := range []struct {
		name   string
		doubts []doubt // of one look after the other, and of all others the last
		looks  int     // after which it ends
	}{
		{"no doubt", []doubt{{}}, 1},
		{"no doubt any longer", []doubt{unsure, {}}, 2},
		{"unsure", []doubt{unsure}, strays.Calm},
		{"executing", []doubt{executing}, int(strays.ExecLimit/strays.Pause) + 1},
		{"executed", []doubt{executing, executing, executing, executing, executing, {}}, 6},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var s search
				looks := 1
				for !s.ends(test.doubts[min(looks, len(test.doubts))-1]) {
					time.Sleep(strays.Pause)
					looks++
				}
				if looks != test.looks {
					t.Errorf("got %d looks, want %d", looks, test.looks)
				}
			})
		})
	}
}

// Whoever is found begins the search anew.
func TestSearchAgain(t *testing.T) {
	var s search
	for range strays.Calm - 1 {
		if s.ends(doubt{unsure: true}) {
			t.Fatal("it has ended before enough looks")
		}
	}
	s.again()
	if s.ends(doubt{unsure: true}) {
		t.Error("it has ended at the first look after one that found somebody")
	}
}
