package jsonrpc_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/core/jsonrpc"
)

// show writes a message and its error in one line.
func show(m jsonrpc.Message, bad *jsonrpc.Error) string {
	kind := [...]string{"invalid", "request", "notification", "response"}[m.Kind]
	s := kind + " " + m.ID.String()
	if m.Method != "" {
		s += " " + m.Method
	}
	for _, v := range []jsonrpc.Value{m.Params, m.Result} {
		if v.Kind() != jsonrpc.Absent {
			s += " " + string(v.Raw())
		}
	}
	for _, e := range []*jsonrpc.Error{m.Error, bad} {
		if e != nil {
			s += " " + strings.TrimSuffix(string(jsonrpc.AppendError(nil, m.ID, e)), "\n")
		}
	}
	return s
}

func TestParseMessage(t *testing.T) {
	for _, tt := range []struct{ line, want string }{
		{`"id":1,"method":"m"`, `request 1 m`},
		{`"id":1,"method":"m","params":{"a":1}`, `request 1 m {"a":1}`},
		{`"id":"x","method":"m","params":[]`, `request "x" m []`},
		{`"id":1,"method":"m","params":null`, `request 1 m`},
		{`"id":null,"method":"m"`, `request null m`},
		{`"method":"m"`, `notification null m`},
		{`"method":"a\u002fb","params":{"x":[]},"extra":{"id":5}`, `notification null a/b {"x":[]}`},
		{`"method":""`, `notification null`},
		{`"id":1,"id":2,"method":"m"`, `request 2 m`},
		{`"id":1,"ID":2,"Method":"n","method":"m"`, `request 1 m`},
		{`"\u0069d":1,"method":"m"`, `request 1 m`},
		{`"id":123456789012345678901234567890,"method":"m"`, `request 123456789012345678901234567890 m`},
		{`"id":-5,"method":"m"`, `request -5 m`},
		{`"id":"","method":"m"`, `request "" m`},
		{`"id":"\u0061\/\n\u00e9","method":"m"`, `request "a/\né" m`},
		{`"id":"\ud800","method":"m"`, `request "\ud800" m`},
		{`"id":1,"result":{"a":1}`, `response 1 {"a":1}`},
		{`"id":1,"result":null`, `response 1 null`},
		{`"id":1,"result":null,"error":null`, `response 1 null`},
		{`"id":1,"result":5,"error":null`, `response 1 5`},
		{`"id":1,"error":{"code":-32601,"message":"no"}`,
			`response 1 {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}`},
		{`"id":1,"result":null,"error":{"code":1.0,"message":"","data":[null]}`,
			`response 1 {"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"","data":[null]}}`},
		{`"id":null,"error":{"code":-32700,"message":"what"}`,
			`response null {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what"}}`},

		{`"id":1.0,"method":"m"`, `invalid null id`},
		{`"id":1e3,"method":"m"`, `invalid null id`},
		{`"id":true,"method":"m"`, `invalid null id`},
		{`"id":[1],"method":"m"`, `invalid null id`},
		{`"id":{},"result":1`, `response null id`},
		{`"result":1`, `response null id`},
		{`"id":"` + strings.Repeat("x", jsonrpc.MaxID) + `","method":"m"`, `invalid null id`},
		{`"id":3`, `invalid 3 method`},
		{`"id":3,"params":{}`, `invalid 3 method`},
		{`"id":3,"method":5`, `invalid 3 method`},
		{`"id":3,"method":null`, `invalid 3 method`},
		{`"id":3,"method":"\ud800"`, `invalid 3 method`},
		{`"id":3,"method":"m","params":"bar"`, `invalid 3 params`},
		{`"method":"m","params":7`, `invalid null params`},
		{`"id":3,"method":"m","result":1`, `invalid 3 ambiguous`},
		{`"id":3,"method":"m","error":{"code":1,"message":""}`, `invalid 3 ambiguous`},
		{`"id":3,"result":1,"error":{"code":1,"message":""}`, `response 3 ambiguous`},
		{`"id":3,"error":null`, `response 3 error`},
		{`"id":3,"error":"oops"`, `response 3 error`},
		{`"id":3,"error":{"code":1}`, `response 3 error`},
		{`"id":3,"error":{"message":"m"}`, `response 3 error`},
		{`"id":3,"error":{"code":"1","message":"m"}`, `response 3 error`},
		{`"id":3,"error":{"code":1.5,"message":"m"}`, `response 3 error`},
		{`"id":3,"error":{"code":2147483648,"message":"m"}`, `response 3 error`},
		{`"jsonrpc":"1.0","id":3,"method":"m"`, `invalid 3 version`},
		{`"jsonrpc":2.0,"id":3,"method":"m"`, `invalid 3 version`},
		{`"jsonrpc":"1.0","id":3,"result":1`, `response 3 version`},
	} {
		want := tt.want
		if words := strings.Fields(want); tt.line != "" && !strings.Contains(want, "{") && isReason(words[len(words)-1]) {
			want = failed(words)
		}
		got := show(jsonrpc.ParseMessage([]byte(`{"jsonrpc":"2.0",` + tt.line + `}`)))
		if got != want {
			t.Errorf("%.60s\ngot  %s\nwant %s", tt.line, got, want)
		}
	}
}

func isReason(word string) bool {
	return strings.Contains(" id version method params ambiguous error batch not_object ", " "+word+" ")
}

// failed spells out "kind id reason".
func failed(words []string) string {
	return words[0] + " " + words[1] + ` {"jsonrpc":"2.0","id":` + words[1] +
		`,"error":{"code":-32600,"message":"Invalid Request","data":{"reason":"` + words[2] + `"}}}`
}

func TestParseMessageRefusesWhatIsNoObject(t *testing.T) {
	for _, tt := range []struct{ line, want string }{
		{`[]`, `-32600 "batch"`},
		{`[{"jsonrpc":"2.0","id":1,"method":"m"}]`, `-32600 "batch"`},
		{`1`, `-32600 "not_object"`},
		{`"x"`, `-32600 "not_object"`},
		{`null`, `-32600 "not_object"`},
		{`{}`, `-32600 "version"`},
		{`{"id":1,"method":"m"}`, `-32600 "version"`},
		{``, `-32700 "invalid_json"`},
		{`{"jsonrpc":"2.0","id":1,"method":"m"`, `-32700 "invalid_json"`},
		{`{"jsonrpc":"2.0","id":1,"method":"m"}{}`, `-32700 "invalid_json"`},
		{"{\"jsonrpc\":\"2.0\",\"method\":\"\xff\"}", `-32700 "invalid_utf8"`},
		{`{"jsonrpc":"2.0","method":"m","params":` + strings.Repeat("[", 600), `-32700 "too_deep"`},
	} {
		m, bad := jsonrpc.ParseMessage([]byte(tt.line))
		if bad == nil || m.Kind != jsonrpc.Invalid {
			t.Errorf("%.60s: got kind %v and error %v, want an error", tt.line, m.Kind, bad)
			continue
		}
		reason, _ := parse(t, string(bad.Data)).Get("reason")
		if got := jsonrpc.IntID(int64(bad.Code)).String() + " " + string(reason.Raw()); got != tt.want {
			t.Errorf("%.60s: got %s, want %s", tt.line, got, tt.want)
		}
	}
}

func TestParseErrorSaysWhere(t *testing.T) {
	_, bad := jsonrpc.ParseMessage([]byte(`{"a":}`))
	const want = `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error","data":{"reason":"invalid_json","detail":"expected a value at byte 5"}}}` + "\n"
	if got := jsonrpc.AppendError(nil, jsonrpc.ID{}, bad); string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestMessageOutlivesItsLine(t *testing.T) {
	line := []byte(`{"jsonrpc":"2.0","id":"abc","method":"m/n"}`)
	m, _ := jsonrpc.ParseMessage(line)
	clear(line)
	if m.Method != "m/n" || m.ID != jsonrpc.StringID("abc") {
		t.Errorf("got %s %s after the line was overwritten", m.ID, m.Method)
	}
}

func TestSend(t *testing.T) {
	seven := jsonrpc.IntID(7)
	for _, tt := range []struct {
		got  []byte
		want string
	}{
		{jsonrpc.AppendRequest(nil, seven, "a/b", []byte(`{"x":1}`)), `{"jsonrpc":"2.0","id":7,"method":"a/b","params":{"x":1}}`},
		{jsonrpc.AppendRequest(nil, jsonrpc.StringID("\n\""), "m", nil), `{"jsonrpc":"2.0","id":"\n\"","method":"m"}`},
		{jsonrpc.AppendNotification(nil, "m\n", []byte("[\n1,\r\n2]")), `{"jsonrpc":"2.0","method":"m\n","params":[ 1,  2]}`},
		{jsonrpc.AppendNotification(nil, "m", nil), `{"jsonrpc":"2.0","method":"m"}`},
		{jsonrpc.AppendResponse(nil, jsonrpc.ID{}, []byte("{}")), `{"jsonrpc":"2.0","id":null,"result":{}}`},
		{jsonrpc.AppendResponse(nil, seven, nil), `{"jsonrpc":"2.0","id":7,"result":null}`},
		{jsonrpc.AppendError(nil, seven, &jsonrpc.Error{Code: -1, Message: "a\nb"}), `{"jsonrpc":"2.0","id":7,"error":{"code":-1,"message":"a\nb"}}`},
		{jsonrpc.AppendError(nil, seven, jsonrpc.NewError(jsonrpc.CodeInvalidParams, "unknown_terminal").With("terminalId", "t\"1")),
			`{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"Invalid params","data":{"reason":"unknown_terminal","terminalId":"t\"1"}}}`},
		{jsonrpc.AppendTail(append(jsonrpc.AppendResponseHead(nil, seven), "true"...)), `{"jsonrpc":"2.0","id":7,"result":true}`},
		{jsonrpc.AppendTail(append(jsonrpc.AppendRequestHead(nil, seven, "m"), "[]"...)), `{"jsonrpc":"2.0","id":7,"method":"m","params":[]}`},
		{jsonrpc.AppendTail(append(jsonrpc.AppendNotificationHead(nil, "m"), "[]"...)), `{"jsonrpc":"2.0","method":"m","params":[]}`},
	} {
		if string(tt.got) != tt.want+"\n" {
			t.Errorf("got %q, want %q", tt.got, tt.want+"\n")
		}
	}
}

func TestID(t *testing.T) {
	pending := map[jsonrpc.ID]string{
		jsonrpc.IntID(1): "int", jsonrpc.StringID("1"): "string", {}: "null", jsonrpc.StringID("null"): "string null",
	}
	for text, want := range map[string]string{"1": "int", `"1"`: "string", `"\u0031"`: "string", "null": "null", `"null"`: "string null", "2": "", "-1": ""} {
		id, ok := jsonrpc.ParseID(parse(t, text))
		if got := pending[id]; !ok || got != want {
			t.Errorf("id %s: got %q, %v, want %q", text, got, ok, want)
		}
	}
	if _, ok := jsonrpc.ParseID(jsonrpc.Value{}); ok {
		t.Error("an absent id was accepted")
	}
	if !(jsonrpc.ID{}).IsNull() || jsonrpc.StringID("").IsNull() || jsonrpc.IntID(0).IsNull() {
		t.Error("IsNull is true of something else than null")
	}
}

func TestErrorMessages(t *testing.T) {
	for code, want := range map[int32]string{
		jsonrpc.CodeParseError: "Parse error", jsonrpc.CodeInvalidRequest: "Invalid Request",
		jsonrpc.CodeMethodNotFound: "Method not found", jsonrpc.CodeInvalidParams: "Invalid params",
		jsonrpc.CodeInternalError: "Internal error", jsonrpc.CodeRequestCancelled: "Request cancelled",
		jsonrpc.CodeAuthRequired: "Authentication required", jsonrpc.CodeResourceNotFound: "Resource not found",
	} {
		if got := jsonrpc.NewError(code, "r").Message; got != want {
			t.Errorf("message of %d: got %q, want %q", code, got, want)
		}
	}
}

func TestParseMessageAllocatesOnlyNames(t *testing.T) {
	line := []byte(createRequest)
	n := testing.AllocsPerRun(100, func() {
		if _, bad := jsonrpc.ParseMessage(line); bad != nil {
			t.Fatal(string(bad.Data))
		}
	})
	if n > 2 { // ID and Method
		t.Errorf("got %v allocations, want at most 2", n)
	}
}

// send writes a valid message again.
func send(m jsonrpc.Message) []byte {
	switch {
	case m.Kind == jsonrpc.Request:
		return jsonrpc.AppendRequest(nil, m.ID, m.Method, m.Params.Raw())
	case m.Kind == jsonrpc.Notification:
		return jsonrpc.AppendNotification(nil, m.Method, m.Params.Raw())
	case m.Error != nil:
		return jsonrpc.AppendError(nil, m.ID, m.Error)
	}
	return jsonrpc.AppendResponse(nil, m.ID, m.Result.Raw())
}

func FuzzMessage(f *testing.F) {
	for _, seed := range []string{
		createRequest, `[]`, `{}`, `{"jsonrpc":"2.0","method":"m","params":[1,` + "\n" + `2]}`,
		`{"jsonrpc":"2.0","id":"\u0061","result":{"a":"\ud800"}}`, `{"jsonrpc":"2.0","id":1,"result":1,"method":"m"}`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"\ud800","data":{"a":` + "\r\n" + `null}}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		m, bad := jsonrpc.ParseMessage(line)
		if bad != nil {
			answer := jsonrpc.AppendError(nil, m.ID, bad)
			got, worse := jsonrpc.ParseMessage(checkLine(t, answer))
			if worse != nil || got.ID != m.ID || got.Error == nil || got.Error.Code != bad.Code {
				t.Fatalf("got %s for the answer %s", show(got, worse), answer)
			}
			return
		}
		sent := send(m)
		again, bad := jsonrpc.ParseMessage(checkLine(t, sent))
		if bad != nil || !bytes.Equal(send(again), sent) || again.ID != m.ID || again.Kind != m.Kind || again.Method != m.Method {
			t.Fatalf("ParseMessage(%q): got %s, then %s", line, show(m, nil), show(again, bad))
		}
	})
}

// checkLine returns line without its end, the only line break in it.
func checkLine(t *testing.T, line []byte) []byte {
	t.Helper()
	body, ended := bytes.CutSuffix(line, []byte("\n"))
	if !ended || bytes.ContainsAny(body, "\n\r") || !json.Valid(body) {
		t.Fatalf("got %q, want one line of JSON", line)
	}
	return body
}
