package tests

import (
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/acp"
	"github.com/terrarium-dev/terrarium/core/coretest"
)

// The official schemas of ACP v1, and of the draft of v2.
const (
	acpSchemaFile      = "@agentclientprotocol/sdk/schema/v1/schema.json"
	acpDraftSchemaFile = "@agentclientprotocol/sdk/schema/v2/schema.json"
)

// An acpSchema is one of them, as the npm package of the SDK has it.
type acpSchema struct {
	t        *testing.T
	compiler *jsonschema.Compiler
	types    map[string]any // $defs
}

func openACPSchema(t *testing.T) *acpSchema { return openACPSchemaFile(t, acpSchemaFile) }

func openACPSchemaFile(t *testing.T, file string) *acpSchema {
	t.Helper()
	dir := os.Getenv("TERRARIUM_NODE_MODULES")
	if dir == "" {
		t.Skipf("TERRARIUM_NODE_MODULES names no node_modules folder with %s", file)
	}
	f, err := os.Open(filepath.Join(dir, file))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	doc, err := jsonschema.UnmarshalJSON(f)
	if err != nil {
		t.Fatal(err)
	}
	types := doc.(map[string]any)["$defs"].(map[string]any)
	addContentType(types)
	s := &acpSchema{t: t, compiler: jsonschema.NewCompiler(), types: types}
	s.compiler.AssertFormat()
	// Not int64, which is the format of ids: we echo integers of any size.
	for name, limits := range map[string][2]string{
		"uint16": {"0", "65535"}, "uint32": {"0", "4294967295"}, "uint64": {"0", "18446744073709551615"},
		"int32": {"-2147483648", "2147483647"},
	} {
		s.compiler.RegisterFormat(&jsonschema.Format{Name: name, Validate: integersBetween(limits[0], limits[1])})
	}
	if err := s.compiler.AddResource("acp.json", doc); err != nil {
		t.Fatal(err)
	}
	return s
}

// addContentType adds the member type to Terminal, which is only ever the
// content of a tool call: there the schema adds it.
func addContentType(types map[string]any) {
	terminal := types["Terminal"].(map[string]any)
	terminal["properties"].(map[string]any)["type"] = map[string]any{"type": "string", "const": "terminal"}
	terminal["required"] = append(terminal["required"].([]any), "type")
}

// integersBetween accepts what is no number too: that is for the keyword type.
func integersBetween(low, high string) func(v any) error {
	lowest, _ := new(big.Rat).SetString(low)
	highest, _ := new(big.Rat).SetString(high)
	return func(v any) error {
		n, ok := v.(json.Number)
		if !ok {
			return nil
		}
		x, ok := new(big.Rat).SetString(n.String())
		if !ok || x.Cmp(lowest) < 0 || x.Cmp(highest) > 0 {
			return fmt.Errorf("not from %s to %s", low, high)
		}
		return nil
	}
}

// check returns why v, as parseJSON reads it, is not of a type.
func (s *acpSchema) check(typeName string, v any) error {
	compiled, err := s.compiler.Compile("acp.json#/$defs/" + typeName)
	if err != nil {
		return err
	}
	return compiled.Validate(v)
}

// result returns the name of the type that the schema gives the result of a
// method.
func (s *acpSchema) result(method string) (typeName string, ok bool) {
	for name, def := range s.types {
		if def.(map[string]any)["x-method"] == method && strings.HasSuffix(name, "Response") {
			return name, true
		}
	}
	return "", false
}

func parseJSON(t *testing.T, text string) any {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// TestACPSchemaMessages holds every line that we send in a script against the
// official schema.
func TestACPSchemaMessages(t *testing.T) {
	s := openACPSchema(t)
	for _, file := range coretest.Scripts(t, "acp") {
		t.Run(coretest.Name(file), func(t *testing.T) {
			s.checkScript(t, acpScript(t, file))
		})
	}
}

// TestACPSchemaConfigs does it for connections that are served otherwise than
// those of the scripts.
func TestACPSchemaConfigs(t *testing.T) {
	s := openACPSchema(t)
	const script = `config acp
--> {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}
--> {"jsonrpc":"2.0","id":2,"method":"_terrarium/session_open","params":{"sessionId":"s","cwd":"/"}}
--> {"jsonrpc":"2.0","id":3,"method":"_terrarium/session_open","params":{"sessionId":"u","cwd":"/"}}
--> {"jsonrpc":"2.0","id":4,"method":"terminal/create","params":{"sessionId":"s","command":"a","env":{"A":"b"}}}
--> {"jsonrpc":"2.0","id":5,"method":"terminal/create","params":{"sessionId":"s","command":"a"}}
resolved t1 path="/bin/a" argv="a" via=file
start t1
resolved t2 path="/bin/a" argv="a" via=file
start t2
output t1 1 "0123456789 \x00\x01\x02\x03 \xff \"\\ €"
--> {"jsonrpc":"2.0","id":6,"method":"terminal/wait_for_exit","params":{"sessionId":"s","terminalId":"$t1"}}
--> {"jsonrpc":"2.0","id":7,"method":"terminal/wait_for_exit","params":{"sessionId":"s","terminalId":"$t1"}}
--> {"jsonrpc":"2.0","id":8,"method":"terminal/output","params":{"sessionId":"s","terminalId":"$t1"}}
exit t1 signal=SIGSEGV
output_end t1
--> {"jsonrpc":"2.0","id":9,"method":"terminal/output","params":{"sessionId":"s","terminalId":"$t1"}}
--> {"jsonrpc":"2.0","id":10,"method":"terminal/kill","params":{"sessionId":"s","terminalId":"$t1"}}
--> {"jsonrpc":"2.0","id":11,"method":"terminal/release","params":{"sessionId":"s","terminalId":"$t1"}}
eof
`
	for name, c := range map[string]acp.Config{
		"pipes":        {},
		"lenient":      {Lenient: true},
		"no terminals": {NoTerminal: true},
		"one pending":  {MaxPending: 1},
		"one session":  {MaxSessions: 1},
		"short answer": {MaxResponse: 1044},
		"interactive":  {Command: core.Command{Pty: true, Interactive: true, Rendering: core.RenderRaw}},
		"no rendering": {Command: core.Command{Rendering: core.RenderScreen}},
	} {
		t.Run(name, func(t *testing.T) {
			observed, err := coretest.Replay(script, coretest.NewMachine(coretest.NativeOpener(c)))
			if err != nil {
				t.Fatal(err)
			}
			s.checkScript(t, observed)
		})
	}
}

// checkScript holds what a script observes against the schema.
func (s *acpSchema) checkScript(t *testing.T, script string) {
	t.Helper()
	var asked acpExchange
	for _, line := range strings.Split(script, "\n") {
		if text, ok := strings.CutPrefix(line, "<-- "); ok {
			s.checkAnswer(t, text, asked.method(parseJSON(t, text)))
			continue
		}
		if !strings.HasPrefix(line, "< ") {
			asked.send(line)
		}
	}
}

// An acpExchange finds out which request an answer answers.
type acpExchange struct {
	waiting []acpCall // the oldest first
	newest  bool      // the input just read is the request at the end of waiting
}

type acpCall struct {
	id     string // JSON
	method string
}

// send takes an input line, which may be a request or anything else.
func (x *acpExchange) send(line string) {
	text, _ := strings.CutPrefix(line, "--> ")
	v, _ := jsonschema.UnmarshalJSON(strings.NewReader(text))
	m, _ := v.(map[string]any)
	id, ok := m["id"]
	x.newest = ok
	if ok {
		method, _ := m["method"].(string)
		x.waiting = append(x.waiting, acpCall{id: canonicalID(id), method: method})
	}
}

// method returns the method that an answer is for, or "". An answer right
// below a request with its id is for that, others for the oldest with the id.
func (x *acpExchange) method(answer any) string {
	m, _ := answer.(map[string]any)
	id := canonicalID(m["id"])
	i := slices.IndexFunc(x.waiting, func(c acpCall) bool { return c.id == id })
	if i < 0 {
		return ""
	}
	if last := len(x.waiting) - 1; x.newest && x.waiting[last].id == id {
		i = last
		x.newest = false
	}
	method := x.waiting[i].method
	x.waiting = slices.Delete(x.waiting, i, i+1)
	return method
}

func canonicalID(id any) string {
	text, _ := json.Marshal(id)
	return string(text)
}

// checkAnswer holds an answer to a request for method against the schema: the
// envelope, and the result, or the error and our promise of a reason.
func (s *acpSchema) checkAnswer(t *testing.T, text, method string) {
	t.Helper()
	v := parseJSON(t, text)
	m, _ := v.(map[string]any)
	if asked := stringOf(m["method"]); asked != "" {
		s.checkQuestion(t, text, asked, m["params"])
		return
	}
	envelope := "ClientResponse"
	if method == acp.MethodInitialize {
		envelope = "AgentResponse"
	}
	if err := s.check(envelope, v); err != nil {
		t.Errorf("%s: %v", text, err)
	}
	if m["jsonrpc"] != "2.0" {
		t.Errorf("got %s, want jsonrpc 2.0", text)
	}
	if failure, ok := m["error"]; ok {
		if err := s.check("Error", failure); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		data, _ := failure.(map[string]any)["data"].(map[string]any)
		if reason, _ := data["reason"].(string); reason == "" {
			t.Errorf("got %s, want data.reason", text)
		}
		return
	}
	result, ok := s.result(method)
	switch {
	case ok:
		if err := s.check(result, m["result"]); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	case !strings.HasPrefix(method, "_terrarium/"):
		t.Errorf("got %s, a result for %q, want an error", text, method)
	default:
		if _, ok := m["result"].(map[string]any); !ok {
			t.Errorf("got %s, want an object", text)
		}
	}
}

// checkQuestion holds what we send without being asked against the schema.
func (s *acpSchema) checkQuestion(t *testing.T, text, method string, params any) {
	t.Helper()
	typeName := map[string]string{
		acp.MethodRequestPermission: "RequestPermissionRequest", acp.MethodCancelRequest: "CancelRequestNotification",
	}[method]
	if err := s.check(typeName, params); err != nil {
		t.Errorf("%s: %v", text, err)
	}
}
