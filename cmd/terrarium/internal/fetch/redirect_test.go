package fetch

import (
	"net/http"
	"net/url"
	"testing"
)

// TestRedirectsHere proves that a server elsewhere can't have us ask one of this
// machine, and that one of this machine can.
func TestRedirectsHere(t *testing.T) {
	request := func(text string) *http.Request {
		u, err := url.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		return &http.Request{URL: u}
	}
	for _, test := range []struct {
		from, to string
		ok       bool
	}{
		{"https://example.com/x", "https://cdn.example.com/x", true},
		{"http://localhost:4873/x", "http://127.0.0.1:80/x", true},
		{"http://127.0.0.1/x", "https://example.com/x", true},
		{"https://example.com/x", "http://localhost:80/x", false},
		{"https://example.com/x", "http://127.0.0.2/x", false},
		{"https://example.com/x", "https://[::1]/x", false},
		{"https://example.com/x", "http://example.com/x", false},
		{"http://localhost/x", "http://example.com/x", false},
	} {
		err := checkRedirect(request(test.to), []*http.Request{request(test.from)})
		if (err == nil) != test.ok {
			t.Errorf("from %s to %s: got %v, want that it is followed: %v", test.from, test.to, err, test.ok)
		}
	}
}

// TestGuard proves that a registry elsewhere can't have us get a token from this
// machine, or one over http.
func TestGuard(t *testing.T) {
	for _, to := range []string{"https://localhost/token", "http://127.0.0.1/token", "http://example.com/token"} {
		r, err := http.NewRequest(http.MethodGet, to, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := (guard{}).RoundTrip(r); err == nil {
			t.Errorf("%s: got nil, want an error", to)
		}
	}
}
