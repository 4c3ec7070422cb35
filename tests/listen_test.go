package tests

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"
)

const listenToken = "a-token-that-nobody-guesses"

// listening starts "terrarium serve --listen" and returns its URL.
func listening(t *testing.T, flags ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(listenToken+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return serving(t, "terrarium: listening on ", append([]string{"serve", "--listen", "127.0.0.1:0", "--token-file", file}, flags...)...)
}

// serving starts a server until the end of the test. It returns what stands behind
// says in the first line that it writes to standard error: its URL.
func serving(t *testing.T, says string, args ...string) string {
	t.Helper()
	cmd := exec.Command("terrarium", args...)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGTERM)
		if err := cmd.Wait(); err == nil || cmd.ProcessState.ExitCode() != 128+int(syscall.SIGTERM) {
			t.Errorf("%s ended with %v, want exit status 143", args[0], err)
		}
	})
	line, err := bufio.NewReader(stderr).ReadString('\n')
	url, ok := strings.CutPrefix(strings.TrimSpace(line), says)
	if !ok {
		t.Fatalf("got %q, %v, want %sURL", line, err, says)
	}
	return url
}

// dial connects with the headers and subprotocols of o.
func dial(t *testing.T, url string, o *websocket.DialOptions) (*websocket.Conn, int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	conn, response, err := websocket.Dial(ctx, url, o)
	if err != nil {
		if response == nil {
			t.Fatal(err)
		}
		return nil, response.StatusCode
	}
	t.Cleanup(func() { conn.CloseNow() })
	return conn, response.StatusCode
}

func header(pairs ...string) http.Header {
	h := make(http.Header)
	for i := 0; i < len(pairs); i += 2 {
		h.Set(pairs[i], pairs[i+1])
	}
	return h
}

// TestListenAdmission: only who knows the token gets in, and no page that was
// not allowed; a page has no headers and tells the token as a subprotocol.
func TestListenAdmission(t *testing.T) {
	url := listening(t, "--allow-origin", "ide.example")
	bearer := "Bearer " + listenToken
	for _, tt := range []struct {
		name   string
		url    string
		header http.Header
		sub    []string
		want   int
	}{
		{name: "no token", want: 401},
		{name: "wrong token", header: header("Authorization", bearer+"x"), want: 401},
		{name: "wrong scheme", header: header("Authorization", "Basic "+listenToken), want: 401},
		{name: "token in the URL", url: url + "?token=" + listenToken, want: 401},
		{name: "wrong subprotocol", sub: []string{"acp", "bearer.x"}, want: 401},
		{name: "header", header: header("Authorization", bearer), want: 101},
		{name: "subprotocol", sub: []string{"acp", "bearer." + listenToken}, want: 101},
		{name: "subprotocol alone", sub: []string{"bearer." + listenToken}, want: 101},
		{name: "another name of this machine", header: header("Authorization", bearer, "Host", "localhost:80"), want: 101},
		{name: "rebound name", header: header("Authorization", bearer, "Host", "evil.example"), want: 403},
		{name: "rebound page", header: header("Authorization", bearer, "Host", "evil.example", "Origin", "http://evil.example"), want: 403},
		{name: "another page", header: header("Authorization", bearer, "Origin", "https://evil.example"), want: 403},
		{name: "an allowed page", header: header("Authorization", bearer, "Origin", "https://ide.example"), want: 101},
		{name: "another path", url: strings.TrimSuffix(url, "acp"), header: header("Authorization", bearer), want: 404},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.url == "" {
				tt.url = url
			}
			conn, status := dial(t, tt.url, &websocket.DialOptions{HTTPHeader: tt.header, Host: tt.header.Get("Host"), Subprotocols: tt.sub})
			if status != tt.want {
				t.Errorf("got status %d, want %d", status, tt.want)
			}
			if conn != nil && tt.sub != nil && conn.Subprotocol() != tt.sub[0] {
				t.Errorf("got subprotocol %q, want %s: a browser leaves otherwise", conn.Subprotocol(), tt.sub[0])
			}
		})
	}
}

// TestListenTellsToken: who starts it reads where it listens, the token, and how to
// send that.
func TestListenTellsToken(t *testing.T) {
	cmd := exec.Command("terrarium", "serve", "--listen", "127.0.0.1:0")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGTERM)
		cmd.Wait()
	})
	var told strings.Builder
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		told.WriteString(lines.Text() + "\n")
		if strings.Contains(lines.Text(), "new WebSocket") {
			break
		}
	}
	found := regexp.MustCompile(`(?s)listening on (ws://\S+)\n.*: token (\S+)\n.*"(Authorization): (Bearer) TOKEN".*\["(acp)", "(bearer\.)TOKEN"\]`).
		FindStringSubmatch(told.String())
	if found == nil {
		t.Fatalf("got %q", told.String())
	}
	url, token := found[1], found[2]
	if _, status := dial(t, url, &websocket.DialOptions{HTTPHeader: header(found[3], found[4]+" "+token)}); status != 101 {
		t.Errorf("with the header: got status %d", status)
	}
	if _, status := dial(t, url, &websocket.DialOptions{Subprotocols: []string{found[5], found[6] + token}}); status != 101 {
		t.Errorf("as a page: got status %d", status)
	}
}

// wsPeer asks over a WebSocket and expects the answers in order.
type wsPeer struct {
	t    *testing.T
	conn *websocket.Conn
	id   int
}

func (p *wsPeer) call(method, params string) (result, failure map[string]any) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), patience)
	defer cancel()
	p.id++
	request := `{"jsonrpc":"2.0","id":` + strconv.Itoa(p.id) + `,"method":"` + method + `","params":` + params + `}`
	if err := p.conn.Write(ctx, websocket.MessageText, []byte(request)); err != nil {
		p.t.Fatal(err)
	}
	_, b, err := p.conn.Read(ctx)
	if err != nil {
		p.t.Fatal(err)
	}
	var answer struct {
		ID            int
		Result, Error map[string]any
	}
	if err := json.Unmarshal(b, &answer); err != nil || answer.ID != p.id {
		p.t.Fatalf("got %s, %v, want the answer to %d", b, err, p.id)
	}
	return answer.Result, answer.Error
}

// connect returns a peer with the token.
func connect(t *testing.T, url string) *wsPeer {
	t.Helper()
	conn, _ := dial(t, url, &websocket.DialOptions{HTTPHeader: header("Authorization", "Bearer "+listenToken)})
	conn.SetReadLimit(1 << 20)
	return &wsPeer{t: t, conn: conn}
}

// run runs a command to its end and returns its output.
func (p *wsPeer) run(params string) any {
	p.t.Helper()
	created, failure := p.call("terminal/create", params)
	name, _ := json.Marshal(map[string]any{"sessionId": "s", "terminalId": created["terminalId"]})
	if failure != nil {
		p.t.Fatalf("create %s: %v", params, failure)
	}
	p.call("terminal/wait_for_exit", string(name))
	result, _ := p.call("terminal/output", string(name))
	return result["output"]
}

// TestListenSandbox: who says another peer's session name gets none of its files.
func TestListenSandbox(t *testing.T) {
	if raceDetector() {
		t.Skip("takes minutes to compile the box with the race detector, which sees nothing inside the sandbox")
	}
	needBox(t)
	url := listening(t, "--host", "wasm", "--cwd", t.TempDir())
	a, b := connect(t, url), connect(t, url)
	if got := a.run(`{"sessionId":"s","command":"echo mine > /tmp/f; cat /tmp/f"}`); got != "mine\n" {
		t.Errorf("got %q, want mine", got)
	}
	if got := b.run(`{"sessionId":"s","command":"cat /tmp/f"}`); got != "cat: /tmp/f: No such file or directory\n" {
		t.Errorf("another peer: got %q, want no file", got)
	}
	if got := a.run(`{"sessionId":"s","command":"cat /tmp/f"}`); got != "mine\n" {
		t.Errorf("the same session: got %q, want mine", got)
	}
}

// TestListenIndented: a message is one message, with line ends in it too.
func TestListenIndented(t *testing.T) {
	p := connect(t, listening(t))
	if got := p.run("{\n  \"sessionId\": \"s\",\n  \"command\": \"echo indented\"\n}"); got != "indented\n" {
		t.Errorf("got %q, want what the command wrote", got)
	}
}

// TestListenTogether: what the machine promises in all, it promises of all peers.
func TestListenTogether(t *testing.T) {
	url := listening(t, "--output-byte-limit", "400MiB")
	a, b := connect(t, url), connect(t, url)
	const sleep = `{"sessionId":"s","command":"sleep","args":["1000"]}`
	for range 2 {
		if _, failure := a.call("terminal/create", sleep); failure != nil {
			t.Fatal(failure)
		}
	}
	_, failure := b.call("terminal/create", sleep)
	if data, _ := failure["data"].(map[string]any); data["reason"] != "limit_output_bytes" {
		t.Errorf("got %v, want the reason limit_output_bytes", failure)
	}
	a.conn.CloseNow()
	for deadline := time.Now().Add(patience); failure != nil; { // until a's commands have ended
		if time.Now().After(deadline) {
			t.Fatalf("a peer has gone, and nothing came back: %v", failure)
		}
		_, failure = b.call("terminal/create", sleep)
	}
}

// TestListenPeers: peers are served side by side, know nothing of each other's
// terminals, and leave nothing running behind.
func TestListenPeers(t *testing.T) {
	url := listening(t)
	a, b := connect(t, url), connect(t, url)
	pipe := filepath.Join(t.TempDir(), "alive")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	// The command holds the pipe open for as long as it lives.
	params, _ := json.Marshal(map[string]any{"sessionId": "s", "command": "exec 3>" + pipe + "; echo up; sleep 1000"})
	created, _ := a.call("terminal/create", string(params))
	alive, err := os.Open(pipe)
	if err != nil {
		t.Fatal(err)
	}
	defer alive.Close()
	name, _ := json.Marshal(map[string]any{"sessionId": "s", "terminalId": created["terminalId"]})
	if _, failure := b.call("terminal/output", string(name)); failure["code"] != float64(-32602) {
		t.Errorf("another peer's terminal: got error %v, want -32602", failure)
	}
	if result, failure := a.call("terminal/output", string(name)); failure != nil || result["exitStatus"] != nil {
		t.Errorf("got %v, %v, want a running command", result, failure)
	}
	own, _ := b.call("terminal/create", `{"sessionId":"s","command":"echo hello"}`)
	params, _ = json.Marshal(map[string]any{"sessionId": "s", "terminalId": own["terminalId"]})
	if exit, _ := b.call("terminal/wait_for_exit", string(params)); exit["exitCode"] != float64(0) {
		t.Errorf("got %v, want exit code 0", exit)
	}
	if result, _ := b.call("terminal/output", string(params)); result["output"] != "hello\n" {
		t.Errorf("got %v, want hello", result)
	}

	a.conn.CloseNow()
	alive.SetReadDeadline(time.Now().Add(patience))
	if n, err := alive.Read(make([]byte, 1)); n != 0 || err == nil || os.IsTimeout(err) {
		t.Errorf("a peer has gone, and its command has not: %v", err)
	}
	if _, failure := b.call("terminal/output", string(params)); failure != nil {
		t.Errorf("the other peer: got %v", failure)
	}
}
