package tests

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

// maxWebConns is how many connections "terrarium web" takes at once.
const maxWebConns = 128

// TestWeb loads what the page loads from "terrarium web".
func TestWeb(t *testing.T) {
	t.Parallel()
	if raceDetector() {
		t.Skip("compresses modules, and nothing runs beside that")
	}
	for _, built := range []string{"../web/dist/index.js", "../web/demo/index.html", "../plugins/dist/box.wasm"} {
		if _, err := os.Stat(built); err != nil {
			t.Skipf("%s is not there: make build", built)
		}
	}
	url := serving(t, "terrarium: the page is at ", "web", "--listen", "127.0.0.1:0")
	client := &http.Client{Timeout: patience}
	get := func(path string) []byte {
		t.Helper()
		r, err := client.Get(url + path)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		body, err := io.ReadAll(r.Body)
		if err != nil || r.StatusCode != http.StatusOK {
			t.Fatalf("%s: got %s, %v", path, r.Status, err)
		}
		return body
	}
	// As many as there may be say nothing; those that come then have their turn when one has gone.
	var silent []net.Conn
	for range maxWebConns {
		conn, err := net.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(url, "http://"), "/"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		silent = append(silent, conn)
	}
	hasty := &http.Client{Timeout: time.Second, Transport: &http.Transport{}}
	if r, err := hasty.Get(url); err == nil {
		r.Body.Close()
		t.Errorf("got %s beside %d connections, want to wait", r.Status, maxWebConns)
	}
	for _, conn := range silent {
		conn.Close()
	}
	if page := get(""); !strings.Contains(string(page), "<title>") {
		t.Errorf("got %.200q, want a page", page)
	}
	var index struct {
		By      string
		Plugins []struct{ Name, Sum string }
	}
	if err := json.Unmarshal(get("plugins/index.json"), &index); err != nil || index.By == "" || len(index.Plugins) == 0 {
		t.Fatalf("got %+v, %v, want plugins and what they were metered by", index, err)
	}
	for _, p := range index.Plugins {
		packed := string(get("plugins/" + p.Name + ".wasm.gz"))
		r, err := gzip.NewReader(strings.NewReader(packed))
		if err != nil {
			t.Fatal(err)
		}
		wasm, err := io.ReadAll(r)
		if err != nil || !strings.HasPrefix(string(wasm), "\x00asm") || !strings.Contains(string(wasm), "terrarium_meter") {
			t.Errorf("%s: got %d bytes, %v, want a metered module", p.Name, len(wasm), err)
		}
		t.Logf("%s: %d bytes, %d packed", p.Name, len(wasm), len(packed))
	}
}
