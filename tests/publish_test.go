package tests

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"io"
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
// is a file in .registry, called index for a path that ends in /. FAULT is what the server does:
//
//	cut    sends half of it
//	hang   sends half of it, tells the FIFO begun, and waits
//	more   sends more
//	wrong  sends something else of that size
//	away   sends one elsewhere, without https
//	files  nothing wrong: the plugin has a file share/it/hello at /usr, and sets IT
//	link   as files, but it is a symbolic link
//	out    as files, but its name leads out of where it belongs
//	oci    nothing wrong: it is in a registry of containers
func publish(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 || len(args) > 4 || modules[args[0]] == nil {
		ts.Fatalf("usage: publish KIND NAME VERSION [FAULT]")
	}
	kind, name, version := args[0], args[1], args[2]
	root := ts.MkAbs(".registry")
	if ts.Getenv("REGISTRY") == "" {
		serveRegistry(ts, root)
	}
	fault := ""
	if len(args) == 4 {
		fault = args[3]
	}
	members := []tar.Header{{Name: "package/package.json"}, {Name: "package/dist/it.wasm"}}
	texts := []string{fmt.Sprintf("{%q: %q}", "version", version), string(moduleOf(kind))}
	more := ""
	if library, ok := libraries[fault]; ok {
		members, texts = append(members, tar.Header{Name: "package/library.tar"}), append(texts, tarOf(ts, []tar.Header{library}, "hello\n"))
		more = "files = \"package/library.tar\"\nat = \"/usr\"\nenv = [\"IT=there\"]\n"
	}
	packed := pack(ts, tarOf(ts, members, texts...))
	file := filepath.Join(root, "@test", name, "-", name+"-"+version+".tgz")
	ts.Check(os.MkdirAll(filepath.Dir(file), 0o777))
	sent := packed
	source := "npm:@test/" + name + "@" + version
	if fault == "oci" {
		source = publishImage(ts, root, name, packed)
		fault = ""
	}
	if fault != "" && more == "" {
		switch fault {
		case "wrong":
			sent = bytes.Clone(packed)
			sent[len(sent)/2] ^= 1
		case "more":
			sent = append(bytes.Clone(packed), 0)
		default:
			ts.Check(os.WriteFile(file+".fault", []byte(fault), 0o666))
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
source = %q
sha256 = %q
size = %d
module = "package/dist/it.wasm"
smoke = ["try"]
answer = "42"
%s`, name, name+"s", version, source, hex.EncodeToString(sum[:]), len(packed), more)
	ts.Check(os.WriteFile(ts.MkAbs("index.toml"), index, 0o666))
}

// serveRegistry serves root on two servers, which end with the script.
func serveRegistry(ts *testscript.TestScript, root string) {
	serve := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		file := filepath.Join(root, filepath.Clean(r.URL.Path))
		if strings.HasSuffix(r.URL.Path, "/") {
			file = filepath.Join(file, "index")
		}
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

// publishImage serves a layer as test/NAME of a registry of containers, and returns
// what an index calls it.
func publishImage(ts *testscript.TestScript, root, name string, layer []byte) (source string) {
	manifest := fmt.Appendf(nil, `{"schemaVersion":2,"layers":[{"mediaType":"application/vnd.oci.image.layer.v1.tar+gzip","digest":"sha256:%x","size":%d}]}`,
		sha256.Sum256(layer), len(layer))
	repository := filepath.Join(root, "v2", "test", name)
	for kind, b := range map[string][]byte{"manifests": manifest, "blobs": layer} {
		file := filepath.Join(repository, kind, fmt.Sprintf("sha256:%x", sha256.Sum256(b)))
		ts.Check(os.MkdirAll(filepath.Dir(file), 0o777))
		ts.Check(os.WriteFile(file, b, 0o666))
	}
	host := strings.TrimPrefix(ts.Getenv("REGISTRY"), "http://")
	return fmt.Sprintf("oci:%s/test/%s@sha256:%x", host, name, sha256.Sum256(manifest))
}

// libraries are the files of plugins, by FAULT.
var libraries = map[string]tar.Header{
	"files": {Name: "share/it/hello"},
	"link":  {Name: "share/it/hello", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"},
	"out":   {Name: "../hello"},
}

// tarOf returns a tar of files with these texts.
func tarOf(ts *testscript.TestScript, members []tar.Header, texts ...string) string {
	var b bytes.Buffer
	archive := tar.NewWriter(&b)
	for i, member := range members {
		text := texts[i]
		if member.Linkname != "" {
			text = ""
		}
		member.Mode, member.Size = 0o644, int64(len(text))
		ts.Check(archive.WriteHeader(&member))
		_, err := io.WriteString(archive, text)
		ts.Check(err)
	}
	ts.Check(archive.Close())
	return b.String()
}

// pack returns a text packed by gzip, as "npm pack" packs a tar.
func pack(ts *testscript.TestScript, text string) []byte {
	var b bytes.Buffer
	packed := gzip.NewWriter(&b)
	_, err := io.WriteString(packed, text)
	ts.Check(err)
	ts.Check(packed.Close())
	return b.Bytes()
}
