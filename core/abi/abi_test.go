package abi_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/abi"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// An argument has a member of each kind.
type argument struct {
	Name  string
	Yes   bool
	Count int
	Size  int64
	List  []string
	Env   []core.EnvVariable
}

func decode(text string) (a argument, err error) {
	var d abi.Decoder
	err = d.Decode([]byte(text), func(v jsonrpc.Value) {
		d.Object(v,
			abi.Of("name", &a.Name), abi.Of("yes", &a.Yes), abi.Int("count", &a.Count, -1, 9),
			abi.Int("size", &a.Size, 0, 1<<40), abi.Of("list", &a.List),
			abi.Of("env", func(v jsonrpc.Value) { d.Env(v, &a.Env) }))
	})
	return a, err
}

func TestRoundTrip(t *testing.T) {
	want := argument{"a\"\n", true, -1, 1 << 40, []string{"", "x"}, []core.EnvVariable{{Name: "A", Value: "1"}, {Name: "B"}}}
	var e abi.Encoder
	e.Begin()
	e.Text("name", want.Name)
	e.Bool("yes", want.Yes)
	e.Int("count", int64(want.Count))
	e.Int("size", want.Size)
	e.Texts("list", want.List)
	e.Env("env", want.Env)
	e.End()
	if !json.Valid(e.JSON) {
		t.Fatalf("got %s, want JSON", e.JSON)
	}
	got, err := decode(string(e.JSON))
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%s: %v (-want +got):\n%s", e.JSON, err, diff)
	}
}

func TestEncodeNothing(t *testing.T) {
	var e abi.Encoder
	e.Begin()
	e.Optional("a", "")
	e.Optional("b", "x")
	e.Texts("c", nil)
	e.Key("d")
	e.Begin()
	e.End()
	e.End()
	if got, want := string(e.JSON), `{"a":null,"b":"x","c":[],"d":{}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestDecodeNull(t *testing.T) {
	got, err := decode(`{"name":null,"count":null,"list":null}`)
	if diff := cmp.Diff(argument{}, got); err != nil || diff != "" {
		t.Errorf("got %+v, %v, want what is null to be absent", got, err)
	}
}

func TestDecodeRefuses(t *testing.T) {
	for _, c := range []struct{ text, param, reason, message string }{
		{`[]`, "", "type", "the argument: type"},
		{`{"nam":1}`, "nam", "unknown", "nam: unknown"},
		{`{"Name":"x"}`, "Name", "unknown", "Name: unknown"},
		{`{"` + strings.Repeat("x", 200) + `":1}`, strings.Repeat("x", 100), "unknown", strings.Repeat("x", 100) + ": unknown"},
		{`{"name":"\ud800"}`, "name", "lone_surrogate", "name: lone_surrogate"},
		{`{"yes":"no"}`, "yes", "type", "yes: type"},
		{`{"count":10}`, "count", "range", "count: range"},
		{`{"count":1.5,"size":-1}`, "count", "type", "count: type"},
		{`{"size":1e99}`, "size", "range", "size: range"},
		{`{"list":[1]}`, "list", "type", "list: type"},
		{`{"env":[{"name":1}]}`, "env.name", "type", "env.name: type"},
	} {
		_, err := decode(c.text)
		wrong, ok := errors.AsType[*abi.Error](err)
		if !ok || wrong.Param != c.param || wrong.Reason != c.reason || wrong.Error() != c.message {
			t.Errorf("%.60s: got %v, want %s", c.text, err, c.message)
		}
	}
	if _, err := decode(`{"`); err == nil {
		t.Error("half a text was read")
	} else if _, ok := errors.AsType[*jsonrpc.SyntaxError](err); !ok {
		t.Errorf("half a text: got %v, want a SyntaxError", err)
	}
}
