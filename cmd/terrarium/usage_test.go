package main

import (
	"strings"
	"testing"
	"time"
)

func TestIsNear(t *testing.T) {
	for _, test := range []struct {
		typed, name string
		want        bool
	}{
		{"jsno", "json", true}, {"JSON", "json", true}, {"timout", "timeout", true}, {"ouput-byte-limt", "output-byte-limit", true},
		{"run", "run", true}, {"rnu", "run", true}, {"det", "deterministic", true}, {"dettt", "deterministic", false},
		{"pipe", "wire", false}, {"ls", "list", false}, {"", "run", false}, {"abc", "run", false},
		{strings.Repeat("x", 1<<20), "run", false},
	} {
		if got := isNear(test.typed, test.name); got != test.want {
			t.Errorf("isNear(%.20q, %q): got %v, want %v", test.typed, test.name, got, test.want)
		}
	}
}

func TestCount(t *testing.T) {
	for text, want := range map[string]count{"0": 0, "500": 500, "64k": 64e3, "2M": 2e6, "9G": 9e9, "-1": -1} {
		var c count
		if err := c.Set(text); err != nil || c != want {
			t.Errorf("Set(%q): got %d, %v, want %d", text, c, err, want)
		}
	}
	for _, text := range []string{"", "k", "1.5M", "1 k", "1K", "1KiB", "x", "9223372036854775808", "9223372037G", "-9223372037G"} {
		c := count(7)
		if err := c.Set(text); err == nil || c != 7 {
			t.Errorf("Set(%q): got %d, %v, want an error", text, c, err)
		}
	}
}

func TestDuration(t *testing.T) {
	var d duration
	if err := d.Set("1h30m"); err != nil || time.Duration(d) != 90*time.Minute {
		t.Errorf("got %v, %v", &d, err)
	}
	for text, want := range map[string]string{"5": ": 5s?", "0.5": ": 0.5s?", "5sec": "1h30m", "": "1h30m", "5 s": "1h30m"} {
		if err := d.Set(text); err == nil || !strings.HasSuffix(err.Error(), want) || time.Duration(d) != 90*time.Minute {
			t.Errorf("Set(%q): got %v, %v, want an error that ends in %q", text, &d, err, want)
		}
	}
}
