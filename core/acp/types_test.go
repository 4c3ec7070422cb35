package acp_test

import (
	"testing"

	"github.com/terrarium-dev/terrarium/core/acp"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// A codec is a type of the schema.
type codec interface {
	DecodeJSON(v jsonrpc.Value) error
	AppendJSON(dst []byte) []byte
}

// newCodec makes one of each type. Package tests holds them against the
// official schema.
var newCodec = []func() codec{
	func() codec { return new(acp.CreateTerminalRequest) },
	func() codec { return new(acp.CreateTerminalResponse) },
	func() codec { return new(acp.TerminalRequest) },
	func() codec { return new(acp.TerminalOutputResponse) },
	func() codec { return new(acp.TerminalExitStatus) },
	func() codec { return new(acp.EmptyResponse) },
	func() codec { return new(acp.EnvVariable) },
	func() codec { return new(acp.Terminal) },
	func() codec { return new(acp.CancelRequestNotification) },
	func() codec { return new(acp.InitializeRequest) },
	func() codec { return new(acp.InitializeResponse) },
	func() codec { return new(acp.ClientCapabilities) },
	func() codec { return new(acp.FileSystemCapabilities) },
	func() codec { return new(acp.Implementation) },
	func() codec { return new(acp.SessionOpenRequest) },
	func() codec { return new(acp.SessionRequest) },
}

func TestTypes(t *testing.T) {
	for _, c := range []struct {
		into     codec
		in, want string
	}{
		{new(acp.CreateTerminalRequest),
			`{"command":"make","sessionId":"s","cwd":"/src","outputByteLimit":18446744073709551615,"args":["a",""],"env":[{"value":"v","name":"n","x":1}]}`,
			`{"sessionId":"s","command":"make","args":["a",""],"env":[{"name":"n","value":"v"}],"cwd":"/src","outputByteLimit":18446744073709551615}`},
		{new(acp.CreateTerminalRequest),
			`{"sessionId":"","command":"","args":null,"env":null,"cwd":null,"outputByteLimit":null,"_meta":null}`,
			`{"sessionId":"","command":""}`},
		{new(acp.TerminalOutputResponse),
			`{"output":"\u00e4\n","truncated":true,"exitStatus":{"exitCode":3},"_meta":{"a":[ 1 ]}}`,
			`{"output":"ä\n","truncated":true,"exitStatus":{"exitCode":3,"signal":null},"_meta":{"a":[ 1 ]}}`},
		{new(acp.TerminalOutputResponse), `{"output":"","truncated":false,"exitStatus":null}`, `{"output":"","truncated":false}`},
		// A tagged union, as some send it, has neither field.
		{new(acp.TerminalExitStatus), `{"type":"exit_code","code":0}`, `{"exitCode":null,"signal":null}`},
		{new(acp.TerminalExitStatus), `{"exitCode":-1,"signal":9}`, `{"exitCode":null,"signal":null}`},
		{new(acp.TerminalExitStatus), `{"exitCode":4294967295}`, `{"exitCode":4294967295,"signal":null}`},
		{new(acp.TerminalExitStatus), `{"exitCode":4294967296,"signal":"SIGHUP"}`, `{"exitCode":null,"signal":"SIGHUP"}`},
		{new(acp.Terminal), `{"type":"terminal","terminalId":"t"}`, `{"type":"terminal","terminalId":"t"}`},
		{new(acp.CancelRequestNotification), `{"requestId":null}`, `{"requestId":null}`},
		{new(acp.CancelRequestNotification), `{"requestId":-7}`, `{"requestId":-7}`},
		{new(acp.ClientCapabilities), `{"terminal":true,"auth":{"terminal":true}}`,
			`{"fs":{"readTextFile":false,"writeTextFile":false},"terminal":true,"auth":{"terminal":true}}`},
		{new(acp.Implementation), `{"name":"n","title":5,"version":"v"}`, `{"name":"n","version":"v"}`},
		{new(acp.InitializeResponse), `{"protocolVersion":1,"authMethods":[{"id":"a","name":"b"}]}`,
			`{"protocolVersion":1,"authMethods":[{"id":"a","name":"b"}]}`},
	} {
		v, err := jsonrpc.Parse([]byte(c.in))
		if err != nil {
			t.Fatalf("%s: %v", c.in, err)
		}
		if err := c.into.DecodeJSON(v); err != nil {
			t.Errorf("%T from %s: %v", c.into, c.in, err)
		}
		if got := string(c.into.AppendJSON(nil)); got != c.want {
			t.Errorf("%T from %s: got %s, want %s", c.into, c.in, got, c.want)
		}
	}
}

func TestTypesMalformed(t *testing.T) {
	for _, c := range []struct {
		into     codec
		in, want string
	}{
		{new(acp.CreateTerminalResponse), `{}`, "acp: terminalId: missing"},
		{new(acp.CreateTerminalResponse), `[]`, "acp: params: type"},
		{new(acp.TerminalOutputResponse), `{"output":"","truncated":null}`, "acp: truncated: type"},
		{new(acp.Terminal), `{"type":"diff","terminalId":"t"}`, "acp: type: value"},
		{new(acp.Terminal), `{"terminalId":"t"}`, "acp: type: missing"},
		{new(acp.CancelRequestNotification), `{"requestId":true}`, "acp: requestId: type"},
		{new(acp.InitializeRequest), `{"protocolVersion":70000}`, "acp: protocolVersion: range"},
		{new(acp.EnvVariable), `{"name":"A","value":"\udfff"}`, "acp: value: lone_surrogate"},
	} {
		v, err := jsonrpc.Parse([]byte(c.in))
		if err != nil {
			t.Fatalf("%s: %v", c.in, err)
		}
		if err := c.into.DecodeJSON(v); err == nil || err.Error() != c.want {
			t.Errorf("%T from %s: got %v, want %s", c.into, c.in, err, c.want)
		}
	}
}
