package fetch_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/fetch"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/index"
)

// entry returns an index, whose directory is dir, and its entry.
func entry(t *testing.T, dir, source, download string) (*index.Index, *index.Entry) {
	t.Helper()
	sum := sha256.Sum256([]byte(download))
	module := ""
	if strings.HasPrefix(source, "npm:") {
		module = `module = "x"`
	}
	x, err := index.Parse("i", fmt.Appendf(nil, `format = 1
[[plugin]]
name = "x"
version = "1"
description = "x"
licence = "MIT"
source = %q
sha256 = %q
size = %d
smoke = ["x"]
answer = "x"
%s
`, source, hex.EncodeToString(sum[:]), len(download), module), dir)
	if err != nil {
		t.Fatal(err)
	}
	return x, x.Find("x")
}

const download = "what is downloaded"

func TestGetFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "x.wasm"), []byte(download), 0o666); err != nil {
		t.Fatal(err)
	}
	x, e := entry(t, dir, "file:x.wasm", download)
	var b strings.Builder
	var last int64
	if err := fetch.Get(t.Context(), x, e, &b, func(n int64) { last = n }); err != nil || b.String() != download || last != e.Size {
		t.Errorf("got %q, %v, progress %d, want all of it", b.String(), err, last)
	}

	// A disk that is full is told as what it is.
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no /dev/full here")
	}
	defer full.Close()
	if err := fetch.Get(t.Context(), x, e, full, nil); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("to a full disk: got %v, want ENOSPC", err)
	}
}

// TestToken proves that a token goes to the registry that it is for, and not to
// where that sends us.
func TestToken(t *testing.T) {
	var asked []string
	note := func(r *http.Request) {
		asked = append(asked, fmt.Sprint(r.URL.Path, " ", r.Header.Get("Authorization")))
	}
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		note(r)
		io.WriteString(w, download)
	}))
	defer other.Close()
	elsewhere := strings.Replace(other.URL, "127.0.0.1", "localhost", 1) + "/elsewhere"
	registry := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		note(r)
		http.Redirect(w, r, elsewhere, http.StatusFound)
	}))
	defer registry.Close()

	config := filepath.Join(t.TempDir(), "npmrc")
	host := strings.TrimPrefix(registry.URL, "http:")
	text := "; a comment\n@a:registry=" + registry.URL + "/npm\n" + host + "/npm/:_authToken = ${TOKEN}\n"
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("NPM_CONFIG_USERCONFIG", config)
	t.Setenv("TOKEN", "secret")
	x, e := entry(t, "", "npm:@a/b@1.0", download)
	if err := fetch.Get(t.Context(), x, e, io.Discard, nil); err != nil {
		t.Fatal(err)
	}
	want := []string{"/npm/@a/b/-/b-1.0.tgz Bearer secret", "/elsewhere "}
	if fmt.Sprint(asked) != fmt.Sprint(want) {
		t.Errorf("got %q, want %q", asked, want)
	}
}

func TestInterrupted(t *testing.T) {
	begun := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush()
		close(begun)
		<-r.Context().Done()
	}))
	defer server.Close()
	x, e := entry(t, "", server.URL+"/x.wasm", download)
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("why")
	go func() { // ends when the server was asked
		<-begun
		cancel(why)
	}()
	if err := fetch.Get(ctx, x, e, io.Discard, nil); !errors.Is(err, why) {
		t.Errorf("got %v, want the cause", err)
	}
}

// TestRedirects proves that a server can't send us in circles.
func TestRedirects(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, r.URL.Path+"x", http.StatusFound)
	}))
	defer server.Close()
	u, err := index.ParseURL(server.URL + "/")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fetch.Text(t.Context(), u, 100); err == nil || !strings.Contains(err.Error(), "more than 5 redirects") {
		t.Errorf("got %v, want an end to it", err)
	}
}
