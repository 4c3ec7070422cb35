package fleet

import (
	"crypto/rand"
	"strings"
	"testing"

	"github.com/nats-io/nkeys"
)

func TestCheckName(t *testing.T) {
	for name, ok := range map[string]bool{
		"w1": true, "a-b_c": true, strings.Repeat("x", 63): true, strings.Repeat("x", 64): false,
		"": false, "-a": false, "a.b": false, "a*": false, ">": false, "A": false, "a b": false, "ä": false,
	} {
		if err := CheckName(name); (err == nil) != ok {
			t.Errorf("CheckName(%q): got %v, want ok %v", name, err, ok)
		}
	}
}

// TestTokens has what may be part of a subject be no wildcard.
func TestTokens(t *testing.T) {
	pair, err := nkeys.CreateUser()
	if err != nil {
		t.Fatal(err)
	}
	key, err := pair.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	for token, ok := range map[string]bool{
		key: true, Anybody: true, "": false, "*": false, ">": false, key + "X": false, "A" + key[1:]: false,
		key[:55] + "*": false, key[:55] + ".": false,
	} {
		if got := isToken(token); got != ok {
			t.Errorf("isToken(%q): got %v, want %v", token, got, ok)
		}
	}
	session := rand.Text()
	for s, ok := range map[string]bool{session: true, session[1:]: false, session + "A": false, session[1:] + ".": false} {
		if got := isSession(s); got != ok {
			t.Errorf("isSession(%q): got %v, want %v", s, got, ok)
		}
	}
}
