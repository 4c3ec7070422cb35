package tests

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// publish is a verb: it publishes a package of npm with a module of that KIND on a
// server of this machine, and adds it to index.toml as the plugin NAME, tried by
// "NAME try", which must say 42. The user's npm is set to that server, which is
// REGISTRY, and WEB over https, with a certificate in ca.pem. What is at other paths
// is a file in .registry. FAULT is what the server does:
//
//	cut    sends half of it
//	hang   sends half of it, tells the FIFO begun, and waits
//	more   sends more
//	wrong  sends something else of that size
//	away   sends one elsewhere, without https
func publish(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 || len(args) > 4 || modules[args[0]] == nil {
		ts.Fatalf("usage: publish KIND NAME VERSION [FAULT]")
	}
	kind, name, version := args[0], args[1], args[2]
	root := ts.MkAbs(".registry")
	if ts.Getenv("REGISTRY") == "" {
		serveRegistry(ts, root)
	}
	packed := pack(ts, [][2]string{
		{"package/package.json", fmt.Sprintf("{%q: %q}", "version", version)},
		{"package/dist/it.wasm", string(moduleOf(kind))},
	})
	file := filepath.Join(root, "@test", name, "-", name+"-"+version+".tgz")
	ts.Check(os.MkdirAll(filepath.Dir(file), 0o777))
	sent := packed
	if len(args) == 4 {
		switch args[3] {
		case "wrong":
			sent = bytes.Clone(packed)
			sent[len(sent)/2] ^= 1
		case "more":
			sent = append(bytes.Clone(packed), 0)
		default:
			ts.Check(os.WriteFile(file+".fault", []byte(args[3]), 0o666))
		}
	}
	ts.Check(os.WriteFile(file, sent, 0o666))
	index, err := os.ReadFile(ts.MkAbs("index.toml"))
	if err != nil {
		index = []byte("format = 1\n")
	}
	sum := sha256.Sum256(packed)
	index = fmt.Appendf(index, `
[[plugin]]
name = %q
aliases = [%q]
version = %q
description = "a test of plugins"
licence = "Apache-2.0"
source = "npm:@test/%s@%s"
sha256 = %q
size = %d
module = "package/dist/it.wasm"
smoke = ["try"]
answer = "42"
`, name, name+"s", version, name, version, hex.EncodeToString(sum[:]), len(packed))
	ts.Check(os.WriteFile(ts.MkAbs("index.toml"), index, 0o666))
}

// serveRegistry serves root on two servers, which end with the script.
func serveRegistry(ts *testscript.TestScript, root string) {
	serve := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		file := filepath.Join(root, filepath.Clean(r.URL.Path))
		b, err := os.ReadFile(file)
		if err != nil {
			http.NotFound(w, r)
			return
		}
		fault, _ := os.ReadFile(file + ".fault")
		w.Header().Set("Content-Length", strconv.Itoa(len(b)))
		switch string(fault) {
		case "away":
			w.Header().Del("Content-Length")
			http.Redirect(w, r, "http://192.0.2.1/x.tgz", http.StatusFound)
		case "cut", "hang":
			w.Write(b[:len(b)/2])
			w.(http.Flusher).Flush()
			if string(fault) == "hang" {
				os.WriteFile(filepath.Join(filepath.Dir(root), "begun"), []byte("\n"), 0o666)
				<-r.Context().Done()
			}
			panic(http.ErrAbortHandler)
		default:
			w.Write(b)
		}
	})
	plain, web := httptest.NewServer(serve), httptest.NewTLSServer(serve)
	ts.Defer(plain.Close)
	ts.Defer(web.Close)
	ts.Setenv("REGISTRY", plain.URL)
	config := "; the user's\nregistry = http://192.0.2.1/\n@test:registry = \"" + plain.URL + "/\"\n"
	ts.Check(os.WriteFile(filepath.Join(ts.Getenv("HOME"), ".npmrc"), []byte(config), 0o666))
	ts.Setenv("WEB", web.URL)
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: web.Certificate().Raw})
	ts.Check(os.WriteFile(ts.MkAbs("ca.pem"), certificate, 0o666))
}

// pack returns a tar of files, each a name and a text, packed by gzip, as "npm
// pack" makes them.
func pack(ts *testscript.TestScript, files [][2]string) []byte {
	var b bytes.Buffer
	packed := gzip.NewWriter(&b)
	archive := tar.NewWriter(packed)
	for _, file := range files {
		name, text := file[0], file[1]
		ts.Check(archive.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(text))}))
		_, err := strings.NewReader(text).WriteTo(archive)
		ts.Check(err)
	}
	ts.Check(archive.Close())
	ts.Check(packed.Close())
	return b.Bytes()
}
