package tests

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terrarium-dev/terrarium/core/acp"
	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// An acpType is a type of core/acp.
type acpType interface {
	DecodeJSON(v jsonrpc.Value) error
	AppendJSON(dst []byte) []byte
}

// acpTypes are the types of the schema that core/acp has.
var acpTypes = map[string]func() acpType{
	"CreateTerminalRequest":       func() acpType { return new(acp.CreateTerminalRequest) },
	"CreateTerminalResponse":      func() acpType { return new(acp.CreateTerminalResponse) },
	"TerminalOutputRequest":       func() acpType { return new(acp.TerminalOutputRequest) },
	"TerminalOutputResponse":      func() acpType { return new(acp.TerminalOutputResponse) },
	"WaitForTerminalExitRequest":  func() acpType { return new(acp.WaitForTerminalExitRequest) },
	"WaitForTerminalExitResponse": func() acpType { return new(acp.WaitForTerminalExitResponse) },
	"KillTerminalRequest":         func() acpType { return new(acp.KillTerminalRequest) },
	"KillTerminalResponse":        func() acpType { return new(acp.KillTerminalResponse) },
	"ReleaseTerminalRequest":      func() acpType { return new(acp.ReleaseTerminalRequest) },
	"ReleaseTerminalResponse":     func() acpType { return new(acp.ReleaseTerminalResponse) },
	"TerminalExitStatus":          func() acpType { return new(acp.TerminalExitStatus) },
	"EnvVariable":                 func() acpType { return new(acp.EnvVariable) },
	"Terminal":                    func() acpType { return new(acp.Terminal) },
	"CancelRequestNotification":   func() acpType { return new(acp.CancelRequestNotification) },
	"InitializeRequest":           func() acpType { return new(acp.InitializeRequest) },
	"InitializeResponse":          func() acpType { return new(acp.InitializeResponse) },
	"ClientCapabilities":          func() acpType { return new(acp.ClientCapabilities) },
	"FileSystemCapabilities":      func() acpType { return new(acp.FileSystemCapabilities) },
	"Implementation":              func() acpType { return new(acp.Implementation) },
}

// acpFields are the types that are a field of others: a string or a number.
var acpFields = []string{"SessionId", "TerminalId", "RequestId", "ProtocolVersion"}

// acpRaw are the types that core/acp passes on as they came, since they do not
// concern terminals, with an instance of each. Nothing in them is looked at,
// here or there.
var acpRaw = map[string]string{
	"AgentCapabilities":         `{"loadSession":true,"promptCapabilities":{"image":true},"_meta":{"x":1.50}}`,
	"AuthMethod":                `{"id":"login","name":"Log in","unknown":[null]}`,
	"AuthCapabilities":          `{"terminal":true}`,
	"ClientSessionCapabilities": `{"notices":{},"unknown":{}}`,
	"ElicitationCapabilities":   `{"form":{},"url":null}`,
}

// TestACPTypesComplete fails when a method that we serve has a type in it that
// no table above has.
func TestACPTypesComplete(t *testing.T) {
	s := openACPSchema(t)
	seen := make(map[string]bool)
	var reach func(v any)
	reach = func(v any) {
		for name := range referencedTypes(v) {
			if seen[name] {
				continue
			}
			seen[name] = true
			switch {
			case acpRaw[name] != "":
				continue
			case acpTypes[name] == nil && !slices.Contains(acpFields, name):
				t.Errorf("%s is reached from the methods we serve, and core/acp does not have it", name)
			}
			reach(s.types[name])
		}
	}
	methods := 0
	for name, def := range s.types {
		method, _ := def.(map[string]any)["x-method"].(string)
		if strings.HasPrefix(method, "terminal/") || method == acp.MethodInitialize || method == acp.MethodCancelRequest {
			methods++
			reach(map[string]any{"$ref": "#/$defs/" + name})
		}
	}
	if want := 2*6 + 1; methods != want {
		t.Errorf("got %d params and results of methods, want %d", methods, want)
	}
	for _, name := range slices.Concat(slices.Collect(maps.Keys(acpTypes)), acpFields, slices.Collect(maps.Keys(acpRaw))) {
		if s.types[name] == nil {
			t.Errorf("%s is no type of the schema", name)
		}
	}
}

// referencedTypes returns the types that a schema names.
func referencedTypes(v any) map[string]bool {
	found := make(map[string]bool)
	switch v := v.(type) {
	case map[string]any:
		if name, ok := strings.CutPrefix(stringOf(v["$ref"]), "#/$defs/"); ok {
			found[name] = true
		}
		for _, member := range v {
			maps.Copy(found, referencedTypes(member))
		}
	case []any:
		for _, item := range v {
			maps.Copy(found, referencedTypes(item))
		}
	}
	return found
}

func stringOf(v any) string {
	s, _ := v.(string)
	return s
}

// acpWritten are instances that a person would think of.
var acpWritten = map[string][]string{
	"CreateTerminalRequest": {
		`{"sessionId":"sess_abc123def456","command":"npm","args":["test","--coverage"],"env":[{"name":"NODE_ENV","value":"test"}],"cwd":"/home/user/project","outputByteLimit":1048576}`,
		`{"sessionId":"s","command":"a","outputByteLimit":1.048576e6}`,
		`{"sessionId":"s","command":"a","outputByteLimit":18446744073709551615}`,
		`{"sessionId":"\u0000","command":"\ud83d\ude00 \u2028","args":[""],"env":[{"name":"=","value":"\n","_meta":{"secret":true}}]}`,
	},
	"TerminalOutputResponse": {
		`{"output":"Running tests...\n✓ All tests passed (42 total)\n","truncated":false,"exitStatus":{"exitCode":0,"signal":null}}`,
	},
	"CancelRequestNotification": {
		`{"requestId":-9223372036854775808}`, `{"requestId":123456789012345678901234567890}`, `{"requestId":"\"\u0041\""}`,
	},
	"InitializeRequest": {
		`{"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":true,"writeTextFile":true},"terminal":true},"clientInfo":{"name":"my-client","title":"My Client","version":"1.0.0"}}`,
	},
	"InitializeResponse": {
		`{"protocolVersion":1,"agentCapabilities":{"loadSession":true,"promptCapabilities":{"image":true}},"agentInfo":{"name":"a","version":"1"},"authMethods":[]}`,
	},
}

// TestACPTypesRoundTrip decodes valid instances of every type and appends them
// again: the same comes out, and it is valid.
func TestACPTypesRoundTrip(t *testing.T) {
	s := openACPSchema(t)
	for name := range acpTypes {
		t.Run(name, func(t *testing.T) {
			instances := s.instances(map[string]any{"$ref": "#/$defs/" + name})
			for _, w := range acpWritten[name] {
				instances = append(instances, parseJSON(t, w))
			}
			for _, v := range instances {
				s.roundTrip(t, name, v)
			}
			t.Logf("%d instances", len(instances))
		})
	}
}

func (s *acpSchema) roundTrip(t *testing.T, name string, v any) {
	t.Helper()
	if err := s.check(name, v); err != nil {
		t.Fatalf("the instance itself is not valid: %v", err)
	}
	in := marshalJSON(t, v)
	m := acpTypes[name]()
	if err := decodeACP(t, m, in); err != nil {
		t.Errorf("%s: %v", in, err)
		return
	}
	out := parseJSON(t, string(m.AppendJSON(nil)))
	if err := s.check(name, out); err != nil {
		t.Errorf("%s became %s: %v", in, m.AppendJSON(nil), err)
	}
	if diff := cmp.Diff(s.normal(name, v), s.normal(name, out)); diff != "" {
		t.Errorf("%s became %s (-want +got):\n%s", in, m.AppendJSON(nil), diff)
	}
}

// TestACPTypesMalformed replaces each member by others: what the schema
// forbids is an error, unless it says that it counts as absent.
func TestACPTypesMalformed(t *testing.T) {
	s := openACPSchema(t)
	for name := range acpTypes {
		t.Run(name, func(t *testing.T) {
			def := s.types[name].(map[string]any)
			least := s.least(def)
			for member, p := range def["properties"].(map[string]any) {
				property := p.(map[string]any)
				instance := maps.Clone(least)
				delete(instance, member)
				if s.check(name, instance) != nil {
					s.malformed(t, name, instance)
				}
				for _, v := range otherValues() {
					instance[member] = v
					switch {
					case s.check(name, instance) == nil:
						s.roundTrip(t, name, instance)
					case property["x-deserialize-default-on-error"] == true,
						property["x-deserialize-default-on-null"] == true && v == nil:
						s.countsAsAbsent(t, name, instance, least, property)
					default:
						s.malformed(t, name, instance)
					}
				}
			}
		})
	}
}

func (s *acpSchema) malformed(t *testing.T, name string, v any) {
	t.Helper()
	m := acpTypes[name]()
	if err := decodeACP(t, m, marshalJSON(t, v)); err == nil {
		t.Errorf("got %s from %s, want an error", m.AppendJSON(nil), marshalJSON(t, v))
	}
}

func (s *acpSchema) countsAsAbsent(t *testing.T, name string, v, least map[string]any, property map[string]any) {
	t.Helper()
	m := acpTypes[name]()
	if err := decodeACP(t, m, marshalJSON(t, v)); err != nil {
		t.Errorf("%s: %v", marshalJSON(t, v), err)
		return
	}
	for kept := range referencedTypes(property) {
		if acpRaw[kept] != "" {
			return // nothing in it is looked at
		}
	}
	if diff := cmp.Diff(s.normal(name, least), s.normal(name, parseJSON(t, string(m.AppendJSON(nil))))); diff != "" {
		t.Errorf("%s became %s (-want +got):\n%s", marshalJSON(t, v), m.AppendJSON(nil), diff)
	}
}

// otherValues are values of all kinds, at the limits of what numbers may be.
func otherValues() []any {
	return []any{
		nil, true, "s", []any{}, []any{json.Number("7")}, []any{nil}, []any{"s"}, map[string]any{}, map[string]any{"name": "s"},
		json.Number("-1"), json.Number("0"), json.Number("1.5"), json.Number("65535"), json.Number("65536"),
		json.Number("4294967295"), json.Number("4294967296"),
		json.Number("18446744073709551615"), json.Number("18446744073709551616"),
	}
}

func decodeACP(t *testing.T, m acpType, text []byte) error {
	t.Helper()
	v, err := jsonrpc.Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return m.DecodeJSON(v)
}

func marshalJSON(t *testing.T, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
