package tests

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	collectortrace "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	otlptrace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// A collector takes spans as OpenTelemetry's does: protobuf over HTTP.
type collector struct {
	*httptest.Server

	mu          sync.Mutex // guards the fields below
	connections int
	requests    []*collectortrace.ExportTraceServiceRequest
	bodies      string
	headers     []http.Header
}

func newCollector(t *testing.T) *collector {
	c := new(collector)
	c.Server = httptest.NewUnstartedServer(c)
	c.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.connections++
		}
	}
	c.Start()
	t.Cleanup(c.Close)
	return c
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	request := new(collectortrace.ExportTraceServiceRequest)
	if err == nil {
		err = proto.Unmarshal(body, request)
	}
	if err != nil || r.URL.Path != "/v1/traces" {
		http.Error(w, fmt.Sprint(r.URL, ": ", err), http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requests = append(c.requests, request)
	c.bodies += string(body)
	c.headers = append(c.headers, r.Header)
}

// collecting has a program send spans to a collector. Where a busy machine was too slow for the
// time that the program gives them at its end, both are new ones. run returns what the program has
// written to standard error.
func collecting(t *testing.T, run func(c *collector) (stderr string)) (c *collector) {
	t.Helper()
	inTime(t, 10, func() bool {
		c = newCollector(t)
		return !strings.Contains(run(c), "deadline exceeded")
	})
	return c
}

// spans returns those that have come, by what was executed.
func (c *collector) spans() map[string]*otlptrace.Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := map[string]*otlptrace.Span{}
	for _, r := range c.requests {
		for _, rs := range r.ResourceSpans {
			for _, ss := range rs.ScopeSpans {
				for _, s := range ss.Spans {
					all[strings.TrimPrefix(s.Name, "execute_tool terminal")] = s
				}
			}
		}
	}
	return all
}

// attributes returns them by name; numbers of processes are "PID".
func attributes(list []*common.KeyValue) map[string]any {
	all := map[string]any{}
	for _, kv := range list {
		switch v := kv.Value.Value.(type) {
		case *common.AnyValue_StringValue:
			all[kv.Key] = v.StringValue
		case *common.AnyValue_IntValue:
			all[kv.Key] = v.IntValue
		case *common.AnyValue_ArrayValue:
			var texts []string
			for _, item := range v.ArrayValue.Values {
				texts = append(texts, item.GetStringValue())
			}
			all[kv.Key] = texts
		default:
			all[kv.Key] = v
		}
	}
	if n, ok := all["process.pid"].(int64); ok && n > 1 {
		all["process.pid"] = "PID"
	}
	return all
}

// wantSpan compares the attributes of a span, but for those that tell where programs are.
func wantSpan(t *testing.T, s *otlptrace.Span, want map[string]any) {
	t.Helper()
	if s == nil {
		t.Fatalf("no span, want one with %v", want)
	}
	got := attributes(s.Attributes)
	if path, _ := got["process.executable.path"].(string); path != "" && !strings.HasSuffix(path, "/"+fmt.Sprint(got["process.executable.name"])) {
		t.Errorf("%s: got path %q", s.Name, path)
	}
	delete(got, "process.executable.path")
	for key, value := range map[string]any{
		"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "terminal", "gen_ai.tool.type": "function",
	} {
		want[key] = value
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: attributes (-want +got):\n%s", s.Name, diff)
	}
	if s.Kind != otlptrace.Span_SPAN_KIND_INTERNAL {
		t.Errorf("%s: got kind %v", s.Name, s.Kind)
	}
	if failed := s.Status.GetCode() == otlptrace.Status_STATUS_CODE_ERROR; failed != (want["error.type"] != nil) {
		t.Errorf("%s: got status %v", s.Name, s.Status)
	}
	if took := s.EndTimeUnixNano - s.StartTimeUnixNano; took <= 0 || took > uint64(time.Minute) {
		t.Errorf("%s: it took %v", s.Name, time.Duration(took))
	}
}

// telemetry returns our environment with variables of OpenTelemetry, no others of it, and no
// policy.
func telemetry(variables ...string) []string {
	var env []string
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "OTEL_") && !strings.HasPrefix(kv, "TRACEPARENT=") {
			env = append(env, kv)
		}
	}
	return append(append(env, "XDG_CONFIG_HOME=/nonexistent"), variables...)
}

// A talk is one with "terrarium serve --stdio", a line at a time.
type talk struct {
	*testing.T
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
	err *syncBuffer
}

func serveTalk(t *testing.T, env []string, args ...string) *talk {
	t.Helper()
	cmd := exec.CommandContext(limited(t), "terrarium", append([]string{"serve", "--stdio", "--pipe"}, args...)...)
	cmd.Env = env
	stderr := new(syncBuffer)
	cmd.Stderr = io.MultiWriter(os.Stderr, stderr)
	in, out := startPiped(t, cmd)
	return &talk{t, cmd, in, bufio.NewScanner(out), stderr}
}

// ask returns the result of a request, or its error.
func (t *talk) ask(method, params string) (result, failed map[string]any) {
	t.Helper()
	fmt.Fprintf(t.in, `{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`+"\n", method, params)
	var answer struct{ Result, Error map[string]any }
	if !t.out.Scan() {
		t.Fatalf("%s: no answer: %v", method, t.out.Err())
	}
	if err := json.Unmarshal(t.out.Bytes(), &answer); err != nil {
		t.Fatalf("%s: %v: %s", method, err, t.out.Bytes())
	}
	return answer.Result, answer.Error
}

func (t *talk) create(command, args, meta string) (terminal string) {
	t.Helper()
	result, failed := t.ask("terminal/create", fmt.Sprintf(`{"sessionId":"s1","command":%q,"args":%s,"_meta":%s}`, command, args, meta))
	if failed != nil {
		t.Fatalf("create %s: %v", command, failed)
	}
	return fmt.Sprintf(`{"sessionId":"s1","terminalId":%q}`, result["terminalId"])
}

// end closes the connection, waits, and returns what was written to standard error.
func (t *talk) end() (stderr string) {
	t.Helper()
	t.in.Close()
	if t.out.Scan() {
		t.Errorf("got a line that nobody asked for: %s", t.out.Bytes())
	}
	if err := t.cmd.Wait(); err != nil {
		t.Error(err)
	}
	return t.err.String()
}

const (
	traceID = "0af7651916cd43dd8448eb211c80319c"
	parent  = "00-" + traceID + "-b7ad6b7169203331-01"
	meta    = `{"traceparent":"` + parent + `"}`
)

// A span tells of each command of an agent, below the agent's own, and the command finds it.
func TestTelemetryServe(t *testing.T) {
	var result, passed map[string]any
	c := collecting(t, func(c *collector) string {
		s := serveTalk(t, telemetry("OTEL_EXPORTER_OTLP_ENDPOINT="+c.URL, "OTEL_EXPORTER_OTLP_HEADERS=key=hidden", "OTEL_RESOURCE_ATTRIBUTES=team=blue"))
		s.ask("initialize", `{"protocolVersion":1}`)

		id := s.create("sh", `["-c","echo $TRACEPARENT$OTEL_EXPORTER_OTLP_HEADERS; exit 3","the-secret"]`, meta)
		s.ask("terminal/wait_for_exit", id)
		result, _ = s.ask("terminal/output", id)
		s.ask("terminal/release", id)

		killed := s.create("sleep", `["1000"]`, meta)
		s.ask("terminal/kill", killed)
		s.ask("terminal/wait_for_exit", killed)

		if _, failed := s.ask("terminal/create", `{"sessionId":"s1","command":"no-such-program","args":["x"],"_meta":`+meta+`}`); failed == nil {
			t.Error("got a terminal for no program")
		}
		s.ask("terminal/wait_for_exit", s.create("true", `["x"]`, `{"traceparent":"00-`+traceID+`-0000000000000000-01"}`))
		unsampled := s.create("printenv", `["TRACEPARENT"]`, `{"traceparent":"`+strings.TrimSuffix(parent, "1")+`0"}`)
		s.ask("terminal/wait_for_exit", unsampled)
		passed, _ = s.ask("terminal/output", unsampled)
		s.create("cat", `["/dev/zero"]`, meta)
		return s.end() // and with it what still runs
	})

	spans := c.spans()
	wantSpan(t, spans[" sh"], map[string]any{
		"gen_ai.conversation.id": "s1", "process.executable.name": "sh", "process.pid": "PID", "terrarium.decision": "allow", "terrarium.decision.by": "default", "process.exit.code": int64(3), "error.type": "3",
	})
	wantSpan(t, spans[" sleep"], map[string]any{
		"gen_ai.conversation.id": "s1", "process.executable.name": "sleep", "process.pid": "PID", "terrarium.decision": "allow", "terrarium.decision.by": "default",
		"terrarium.exit.signal": "SIGTERM", "terrarium.exit.reason": "killed", "error.type": "killed",
	})
	wantSpan(t, spans[""], map[string]any{"gen_ai.conversation.id": "s1", "error.type": "not_found"})
	wantSpan(t, spans[" true"], map[string]any{
		"gen_ai.conversation.id": "s1", "process.executable.name": "true", "process.pid": "PID", "terrarium.decision": "allow", "terrarium.decision.by": "default", "process.exit.code": int64(0),
	})
	wantSpan(t, spans[" cat"], map[string]any{
		"gen_ai.conversation.id": "s1", "process.executable.name": "cat", "process.pid": "PID", "terrarium.decision": "allow", "terrarium.decision.by": "default",
		"terrarium.exit.signal": "SIGTERM", "terrarium.exit.reason": "released", "error.type": "released",
	})
	if len(spans) != 5 {
		t.Errorf("got %d spans, want 5: the agent does not want one of them", len(spans))
	}

	for name, span := range spans {
		child := hex.EncodeToString(span.TraceId) == traceID && hex.EncodeToString(span.ParentSpanId) == "b7ad6b7169203331"
		if child != (name != " true") || len(span.TraceId) != 16 {
			t.Errorf("%s: got trace %x, parent %x", span.Name, span.TraceId, span.ParentSpanId)
		}
	}
	if want := fmt.Sprintf("00-%s-%x-01\n", traceID, spans[" sh"].SpanId); result["output"] != want {
		t.Errorf("the command got TRACEPARENT %q, want %q", result["output"], want)
	}
	if out, _ := passed["output"].(string); !strings.HasPrefix(out, "00-"+traceID+"-") || !strings.HasSuffix(out, "-00\n") {
		t.Errorf("a command that is not traced got TRACEPARENT %q", out)
	}
	var events []string
	for _, e := range spans[" sleep"].Events {
		events = append(events, fmt.Sprint(e.Name, attributes(e.Attributes)))
	}
	if diff := cmp.Diff([]string{"terrarium.kill" + fmt.Sprint(map[string]any{"terrarium.signal": "SIGTERM", "terrarium.reason": "killed"})}, events); diff != "" {
		t.Errorf("events of the kill (-want +got):\n%s", diff)
	}
	if strings.Contains(c.bodies, "the-secret") {
		t.Error("arguments were sent, and nobody asked for them")
	}
	about := attributes(c.requests[0].ResourceSpans[0].Resource.Attributes)
	if about["service.name"] != "terrarium" || about["service.version"] == "" || about["team"] != "blue" || about["process.command_args"] != nil {
		t.Errorf("got resource %v", about)
	}
	if c.headers[0].Get("key") != "hidden" {
		t.Errorf("got headers %v", c.headers[0])
	}
}

// What was decided is told, and by which rule; not why, since that may have the command's words.
func TestTelemetryDecisions(t *testing.T) {
	rules := filepath.Join(t.TempDir(), "policy.toml")
	if err := os.WriteFile(rules, []byte(`
default = "ask"
[[rule]]
id = "no-rm"
argv = ["rm", "**"]
decision = "deny"
reason = "the-secret"
[[rule]]
id = "truth"
argv = ["true", "**"]
decision = "allow"
`), 0o600); err != nil {
		t.Fatal(err)
	}
	answer := `echo '{"answer":"once"}'`
	var record string
	c := collecting(t, func(c *collector) string {
		record = filepath.Join(t.TempDir(), "record")
		s := serveTalk(t, telemetry("OTEL_EXPORTER_OTLP_ENDPOINT="+c.URL), "--policy", rules, "--ask-command", answer, "--audit", record)
		for _, command := range []string{"rm", "true", "echo"} {
			result, failed := s.ask("terminal/create", fmt.Sprintf(`{"sessionId":"s1","command":%q,"args":["x"],"_meta":%s}`, command, meta))
			if (failed != nil) != (command == "rm") {
				t.Errorf("create %s: got %v, %v", command, result, failed)
			}
			if failed == nil {
				s.ask("terminal/wait_for_exit", fmt.Sprintf(`{"sessionId":"s1","terminalId":%q}`, result["terminalId"]))
			}
		}
		return s.end()
	})

	spans := c.spans()
	wantSpan(t, spans[" rm"], map[string]any{
		"gen_ai.conversation.id": "s1", "process.executable.name": "rm", "error.type": "denied",
		"terrarium.decision": "deny", "terrarium.decision.by": "rule", "terrarium.rule.id": "no-rm",
	})
	wantSpan(t, spans[" true"], map[string]any{
		"gen_ai.conversation.id": "s1", "process.executable.name": "true", "process.pid": "PID", "process.exit.code": int64(0),
		"terrarium.decision": "allow", "terrarium.decision.by": "rule", "terrarium.rule.id": "truth",
	})
	wantSpan(t, spans[" echo"], map[string]any{
		"gen_ai.conversation.id": "s1", "process.executable.name": "echo", "process.pid": "PID", "process.exit.code": int64(0),
		"terrarium.decision": "allow", "terrarium.decision.by": "ask-command",
	})
	if events := spans[" echo"].Events; len(events) != 1 || events[0].Name != "terrarium.ask" {
		t.Errorf("got events %v, want that somebody was asked", events)
	}
	if strings.Contains(c.bodies, "the-secret") {
		t.Error("the reason was sent")
	}

	// The record names the spans, so that both can be joined.
	lines, err := os.ReadFile(record)
	if err != nil {
		t.Fatal(err)
	}
	for name, span := range spans {
		if want := fmt.Sprintf(`"trace_id":"%x","span_id":"%x"`, span.TraceId, span.SpanId); !strings.Contains(string(lines), want) {
			t.Errorf("%s: no %s in the record", name, want)
		}
	}
}

// "run" is the child of who calls it, and prints nothing of its own.
func TestTelemetryRun(t *testing.T) {
	var out []byte
	c := collecting(t, func(c *collector) string {
		cmd := exec.Command("terrarium", "run", "--", "sh", "-c", "echo $TRACEPARENT", "a\x1b[2J\xff")
		cmd.Env = telemetry("TRACEPARENT="+parent, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT="+c.URL+"/v1/traces",
			"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true", "OTEL_SERVICE_NAME=mine")
		var err error
		if out, err = cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return string(out)
	})
	span := c.spans()[" sh"]
	wantSpan(t, span, map[string]any{
		"process.executable.name": "sh", "process.pid": "PID", "process.exit.code": int64(0),
		"process.command_args": []string{"sh", "-c", "echo $TRACEPARENT", `a\x1b[2J\xff`},
	})
	if want := fmt.Sprintf("00-%s-%x-01\n", traceID, span.GetSpanId()); string(out) != want {
		t.Errorf("got %q, want %q", out, want)
	}
	if name := attributes(c.requests[0].ResourceSpans[0].Resource.Attributes)["service.name"]; name != "mine" {
		t.Errorf("got service %q", name)
	}
}

// Without an endpoint, or where another variable forbids it, nobody is called; a parent is passed
// on.
func TestTelemetryOff(t *testing.T) {
	c := newCollector(t)
	for _, variables := range [][]string{
		{},
		{"OTEL_EXPORTER_OTLP_ENDPOINT="},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=" + c.URL, "OTEL_SDK_DISABLED=True"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=" + c.URL, "OTEL_TRACES_EXPORTER=none"},
		{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=" + c.URL, "OTEL_TRACES_EXPORTER=console, zipkin"},
	} {
		cmd := exec.Command("terrarium", "run", "--", "printenv", "TRACEPARENT")
		cmd.Env = telemetry(append(variables, "TRACEPARENT="+parent)...)
		if out, err := cmd.CombinedOutput(); err != nil || string(out) != parent+"\n" {
			t.Errorf("%q: %v: got %q, want %q", variables, err, out, parent)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.connections > 0 {
		t.Errorf("got %d connections", c.connections)
	}
}

// An endpoint that does not work costs a line on standard error and 2 s at the end, at the most.
func TestTelemetryTrouble(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { silent.Close() })
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	rude := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "\x1b[2J\r\n"+strings.Repeat("no", 1<<20), http.StatusForbidden)
	}))
	t.Cleanup(rude.Close)
	busy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "later", http.StatusServiceUnavailable)
	}))
	t.Cleanup(busy.Close)
	usual := func() time.Duration { // what such a command takes that tells nobody
		began := time.Now()
		exec.CommandContext(limited(t), "terrarium", "run", "--", "sh", "-c", "echo out; exit 3").Run()
		return time.Since(began)
	}

	for _, c := range []struct {
		name, endpoint string
		more           string
		want           string // in the warning
	}{
		{"it does not answer", "http://" + silent.Addr().String(), "", "deadline exceeded"},
		{"nobody listens", "http://" + closed.Addr().String(), "", "connection refused"},
		{"it refuses", rude.URL, "", `403 Forbidden (body: \x1b[2J`},
		{"it is busy", busy.URL, "", ""},
		{"no URL", "http://user:the-secret@[", "", "parse"},
		{"a header that is none", "http://" + closed.Addr().String(), "OTEL_EXPORTER_OTLP_HEADERS=key=the-secret%zz", "header"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var cmd *exec.Cmd
			var stdout, stderr strings.Builder
			inTime(t, 5, func() bool {
				cmd = exec.CommandContext(limited(t), "terrarium", "run", "--", "sh", "-c", "echo out; exit 3")
				cmd.Env = telemetry("OTEL_EXPORTER_OTLP_ENDPOINT="+c.endpoint, c.more)
				stdout.Reset()
				stderr.Reset()
				cmd.Stdout, cmd.Stderr = &stdout, &stderr
				began := time.Now()
				cmd.Run()
				// A machine may be so busy that any command takes as long.
				if took := time.Since(began); took > 5*time.Second && took > 5*time.Second+5*usual() {
					t.Logf("it took %v", took)
					return false
				}
				// Or that an endpoint here comes too late to answer as it would.
				text := stderr.String()
				return strings.Contains(text, c.want) || !strings.Contains(text, "deadline exceeded")
			})
			if code := cmd.ProcessState.ExitCode(); code != 3 || stdout.String() != "out\n" {
				t.Errorf("got status %d, output %q", code, stdout.String())
			}
			text := stderr.String()
			if strings.Count(text, "\n") != 1 || !strings.HasPrefix(text, "terrarium: OpenTelemetry: ") || !strings.Contains(text, c.want) || len(text) > 500 {
				t.Errorf("got warning %q, want one line with %q", text, c.want)
			}
			if strings.ContainsAny(text, "\x1b\r") || strings.Contains(text, "the-secret") {
				t.Errorf("got warning %q", text)
			}
		})
	}
}
