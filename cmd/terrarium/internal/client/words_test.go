package client

import (
	"slices"
	"testing"

	"github.com/terrarium-dev/terrarium/core"
)

func TestWordsOfRefusal(t *testing.T) {
	got := Words(Refused{ID: "1", Err: &core.DeniedError{Reason: "no rule allows make"}})
	want := []string{"a command did not start: denied: no rule allows make"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
