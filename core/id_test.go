package core

import (
	"encoding/hex"
	"strings"
	"testing"
)

// The vectors are the first of vectors_sip128 in the reference implementation:
// key 00 01 … 0f, message 00 01 … of each length.
// https://github.com/veorq/SipHash/blob/master/vectors.h
func TestSipHash128(t *testing.T) {
	var key [16]byte
	for i := range key {
		key[i] = byte(i)
	}
	for n, want := range []string{
		"a3817f04ba25a8e66df67214c7550293",
		"da87c1d86b99af44347659119b22fc45",
		"8177228da4a45dc7fca38bdef60affe4",
	} {
		message := make([]byte, n)
		for i := range message {
			message[i] = byte(i)
		}
		sum := sipHash128(key, message)
		if got := hex.EncodeToString(sum[:]); got != want {
			t.Errorf("%d bytes: got %s, want %s", n, got, want)
		}
	}
}

func TestIDsDependOnEverything(t *testing.T) {
	seed := [16]byte{1}
	ids := []TerminalID{
		newID(seed, "s", 1), newID(seed, "s", 2), newID(seed, "t", 1), newID([16]byte{2}, "s", 1),
	}
	seen := make(map[string]bool)
	for _, id := range ids {
		_, mac, _ := strings.Cut(strings.TrimPrefix(string(id), idPrefix), "_")
		if len(mac) != 32 || seen[mac] {
			t.Errorf("id %q: its hash is short or not its own", id)
		}
		seen[mac] = true
	}
}

func TestIDNumber(t *testing.T) {
	for id, want := range map[TerminalID]uint64{
		newID([16]byte{}, "s", 12):       12,
		"term_7_":                        7,
		"":                               0,
		"term_":                          0,
		"term_7":                         0,
		"term__7":                        0,
		"term_-7_0":                      0,
		"xterm_7_0":                      0,
		"term_99999999999999999999999_0": 1<<64 - 1,
	} {
		if got := id.number(); got != want {
			t.Errorf("%q: got %d, want %d", id, got, want)
		}
	}
}

func TestIssued(t *testing.T) {
	r := NewRegistry(Config{Seed: [16]byte{3}})
	id, err := r.Create(epoch, "s", Command{Command: "a"})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		session SessionID
		id      TerminalID
		want    bool
	}{
		{"s", id, true},
		{"other", id, false},
		{"s", newID(r.config.Seed, "s", 2), false}, // not yet
		{"s", id[:len(id)-1] + "!", false},
		{"s", "term_1_", false},
		{"s", "", false},
	} {
		if got := r.Issued(tt.session, tt.id); got != tt.want {
			t.Errorf("Issued(%q, %q): got %v, want %v", tt.session, tt.id, got, tt.want)
		}
	}
}
