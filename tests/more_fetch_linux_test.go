package tests

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
)

// TestMoreFetch: a command of the sandbox fetches from where a person says that it may, and no
// other command does.
func TestMoreFetch(t *testing.T) {
	needBox(t)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "hello") }))
	defer s.Close()
	to := s.Listener.Addr().String()
	m := &moreTest{permitting: permittingServer(t, "--host", "wasm", "--net", "10.1.2.3:80")}
	m.agree()
	os.WriteFile(m.policy, []byte("default = \"allow\"\n"), 0o600)

	line := "curl -s " + s.URL
	id, q := m.asked(line, fmt.Sprintf(`{"net":["10.1.2.3:80",%q,%q]}`, to, to), "connecting to "+to)
	m.say(q, chosen("once"))
	m.ran(id)
	m.ran(m.call("terminal/create", fmt.Sprintf(`{"sessionId":"s","command":%q}`, "! "+line)))
	id, q = m.asked(line, fmt.Sprintf(`{"net":[%q]}`, to), "connecting to "+to)
	m.say(q, chosen("no"))
	m.refused(id, "")
	// All commands have that.
	m.ran(m.call("terminal/create", `{"sessionId":"s","command":"true","_meta":{"terrarium":{"net":["10.1.2.3:80"]}}}`))
	m.invalid(`{"net":["https://example.org/"]}`, "not_a_host: \"https://example.org/\": it is a URL: write example.org:443")
	m.invalid(`{"sandbox":"off"}`, "sandbox asks for what this host can't give to one command: off")
}
