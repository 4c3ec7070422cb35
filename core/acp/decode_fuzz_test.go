package acp_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// FuzzDecode reads params and results of every type: what was decoded and
// appended decodes to the same again, and holds nothing that encoding/json
// does not find in the text.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		`{"sessionId":"s","command":"\ud83d\ude00","args":["",null],"env":[{"name":"A","value":"b"}],"cwd":"/","outputByteLimit":1e3}`,
		`{"sessionId":"s","terminalId":"t","_meta":{"a":1.50,"b":[{}]},"x":"\ud800"}`,
		`{"output":"\u0000\u2028","truncated":true,"exitStatus":{"exitCode":4294967296,"signal":"SIG34","_meta":{}}}`,
		`{"exitCode":0.0e5,"signal":null,"_meta":null}`,
		`{"requestId":-0,"_meta":{}}`,
		`{"type":"terminal","terminalId":"t","type":"\u0074erminal"}`,
		`{"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":true},"terminal":1,"auth":{"terminal":true}},"clientInfo":{"name":"n","version":"v","title":3}}`,
		`{"protocolVersion":65535,"agentCapabilities":{"a":1},"authMethods":[1, 2],"agentInfo":{"name":"n","version":"v"}}`,
		`{"sessionId":"s","cwd":"/a","additionalDirectories":["/b"]}`,
	} {
		for i := range newCodec {
			f.Add(byte(i), []byte(seed))
		}
	}
	f.Fuzz(func(t *testing.T, which byte, text []byte) {
		v, err := jsonrpc.Parse(text)
		if err != nil {
			return
		}
		make := newCodec[int(which)%len(newCodec)]
		m := make()
		if m.DecodeJSON(v) != nil {
			return
		}
		once := m.AppendJSON(nil)
		v2, err := jsonrpc.Parse(once)
		if err != nil {
			t.Fatalf("%T: got %s: %v", m, once, err)
		}
		m2 := make()
		if err := m2.DecodeJSON(v2); err != nil {
			t.Fatalf("%T: %s does not decode: %v", m, once, err)
		}
		if twice := m2.AppendJSON(nil); !bytes.Equal(once, twice) {
			t.Errorf("%T: got %s, then %s", m, once, twice)
		}
		if got, in := untyped(t, once), untyped(t, text); !within(got, in) {
			t.Errorf("%T: got %s of %s", m, once, text)
		}
	})
}

func untyped(t *testing.T, text []byte) (v any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// within reports whether all of got is in v, but for what stands for absence.
func within(got, v any) bool {
	switch got := got.(type) {
	case map[string]any:
		in, _ := v.(map[string]any)
		for key, value := range got {
			if !within(value, in[key]) {
				return false
			}
		}
		return true
	case []any:
		in, ok := v.([]any)
		if !ok || len(in) != len(got) {
			return false
		}
		for i := range got {
			if !within(got[i], in[i]) {
				return false
			}
		}
		return true
	case json.Number:
		in, ok := v.(json.Number)
		a, _ := got.Float64()
		b, _ := in.Float64()
		return ok && (got == in || a == b)
	}
	return got == v || got == nil || got == false
}
