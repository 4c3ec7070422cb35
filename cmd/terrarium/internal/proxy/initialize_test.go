package proxy

import (
	"testing"

	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// TestAdvertise: the agent is told of terminals of both kinds, and what the editor has said stays.
func TestAdvertise(t *testing.T) {
	for _, test := range []struct{ params, want string }{
		{`{}`, `{"clientCapabilities":{"terminal":true,"_meta":{"terminal_output":true}}}`},
		{`{"clientCapabilities": {} }`, `{"clientCapabilities": {"terminal":true,"_meta":{"terminal_output":true}} }`},
		{`{"clientCapabilities":{"fs":{}}}`, `{"clientCapabilities":{"terminal":true,"_meta":{"terminal_output":true},"fs":{}}}`},
		{
			`{"clientCapabilities":{"terminal" :false,"_meta":{ }}}`,
			`{"clientCapabilities":{"terminal" :true,"_meta":{"terminal_output":true }}}`,
		},
		{
			`{"clientCapabilities":{"_meta":null,"terminal":true}}`,
			`{"clientCapabilities":{"_meta":{"terminal_output":true},"terminal":true}}`,
		},
		{
			`{"clientCapabilities":{"terminal":true,"_meta":{"terminal-auth":true}}}`,
			`{"clientCapabilities":{"terminal":true,"_meta":{"terminal_output":true,"terminal-auth":true}}}`,
		},
		{
			`{"clientCapabilities":{"terminal":true,"_meta":{"terminal_output_delta":true}}}`,
			`{"clientCapabilities":{"terminal":true,"_meta":{"terminal_output_delta":true}}}`,
		},
		{
			`{"clientCapabilities":{"terminal":true,"_meta":{"terminal_output":false}}}`,
			`{"clientCapabilities":{"terminal":true,"_meta":{"terminal_output":false}}}`,
		},
		{`[]`, `[]`},
	} {
		v, err := jsonrpc.Parse([]byte(test.params))
		if err != nil {
			t.Fatal(err)
		}
		line := v.Raw()
		if got := string(apply(line, advertise(line, v))); got != test.want {
			t.Errorf("%s:\n got %s\nwant %s", test.params, got, test.want)
		}
	}
}
