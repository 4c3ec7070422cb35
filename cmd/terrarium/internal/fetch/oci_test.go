package fetch_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/fetch"
)

// An image is what a registry of containers has of a plugin, and what is wrong with it.
type image struct {
	manifest string // what is sent, in place of the right one
	// sends the layer itself, and reports that it did
	layer func(http.ResponseWriter) bool
	ask   func(http.ResponseWriter, *http.Request) bool // likewise of any request
}

// registryOf serves an image with a layer that is download. It returns the source.
func registryOf(t *testing.T, of image) (source string) {
	t.Helper()
	manifest := fmt.Sprintf(`{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json","layers":[
{"mediaType":"text/plain","digest":"sha256:%x","size":1},
{"mediaType":"application/wasm","digest":"sha256:%x","size":%d}]}`,
		sha256.Sum256([]byte("other")), sha256.Sum256([]byte(download)), len(download))
	digest := fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(manifest)))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case of.ask != nil && of.ask(w, r):
		case r.URL.Path == "/v2/a/x/manifests/"+digest:
			w.Header().Set("Content-Type", "application/vnd.oci.image.manifest.v1+json")
			w.Header().Set("Docker-Content-Digest", digest) // also where that is a lie
			if of.manifest != "" {
				manifest = of.manifest
			}
			w.Write([]byte(manifest))
		case r.URL.Path == fmt.Sprintf("/v2/a/x/blobs/sha256:%x", sha256.Sum256([]byte(download))):
			if of.layer == nil || !of.layer(w) {
				w.Write([]byte(download))
			}
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return "oci:" + strings.TrimPrefix(server.URL, "http://") + "/a/x@" + digest
}

func TestGetImage(t *testing.T) {
	cut := func(w http.ResponseWriter) bool {
		w.Header().Set("Content-Length", fmt.Sprint(len(download)))
		w.Write([]byte(download[:5]))
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
	wrong := func(w http.ResponseWriter) bool {
		w.Write([]byte(strings.ToUpper(download)))
		return true
	}
	long := func(w http.ResponseWriter) bool {
		w.(http.Flusher).Flush() // so that no length is said
		w.Write([]byte(download + "!"))
		return true
	}
	no := func(w http.ResponseWriter, _ *http.Request) bool {
		http.Error(w, `{"errors":[{"code":"DENIED","message":"\u001b[2J"}]}`, http.StatusForbidden)
		return true
	}
	away := func(w http.ResponseWriter, r *http.Request) bool {
		http.Redirect(w, r, "http://192.0.2.1/", http.StatusTemporaryRedirect)
		return true
	}
	token := func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/token" {
			fmt.Fprint(w, `{"token":"given"}`)
			return true
		}
		if r.Header.Get("Authorization") == "Bearer given" {
			return false
		}
		w.Header().Set("WWW-Authenticate", `Bearer realm="http://`+r.Host+`/token",service="x"`)
		w.WriteHeader(http.StatusUnauthorized)
		return true
	}
	elsewhere := func(w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("WWW-Authenticate", `Bearer realm="http://192.0.2.1/token",service="x"`)
		w.WriteHeader(http.StatusUnauthorized)
		return true
	}
	for name, test := range map[string]struct {
		image
		want string // of the error
	}{
		"good":                 {image{}, ""},
		"a token for all":      {image{ask: token}, ""},
		"another manifest":     {image{manifest: `{"schemaVersion":2}`}, "not the manifest with that digest"},
		"a long manifest":      {image{manifest: strings.Repeat(" ", 2<<20)}, "manifest"},
		"cut":                  {image{layer: cut}, "cut off: 5 bytes of "},
		"wrong":                {image{layer: wrong}, "not what the index says: its sha256 is "},
		"long":                 {image{layer: long}, "more than the "},
		"refused":              {image{ask: no}, "the registry says 403 Forbidden"},
		"sent away":            {image{ask: away}, "http://: want https"},
		"a token of elsewhere": {image{ask: elsewhere}, "http://: want https"},
	} {
		t.Run(name, func(t *testing.T) {
			x, e := entry(t, "", registryOf(t, test.image), download)
			var b bytes.Buffer
			err := fetch.Get(t.Context(), x, e, &b, nil)
			if test.want == "" && (err != nil || b.String() != download) {
				t.Errorf("got %q, %v, want the layer", b.String(), err)
			}
			if test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\x1b")) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}

	// The index may want what is in no layer.
	x, e := entry(t, "", registryOf(t, image{}), "something else")
	if err := fetch.Get(t.Context(), x, e, &bytes.Buffer{}, nil); err == nil || !strings.Contains(err.Error(), "no layer of it has the sha256") {
		t.Errorf("got %v, want that it is not there", err)
	}
}
