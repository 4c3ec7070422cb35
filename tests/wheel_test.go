package tests

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/testscript"
)

// publishWheel is a verb: it publishes the package NAME in version 1.0 on the server
// REGISTRY of publish, in the simple index at /simple. It has a module of that name,
// needs NEEDS, and brings the command SCRIPT, if these are not empty.
func publishWheel(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 3 {
		ts.Fatalf("usage: wheel NAME [NEEDS [SCRIPT]]")
	}
	args = append(args, "", "")
	name, needs, script := args[0], args[1], args[2]
	metadata := "Name: " + name + "\nVersion: 1.0\nLicense: MIT\n"
	if needs != "" {
		metadata += "Requires-Dist: " + needs + "\n"
	}
	info := name + "-1.0.dist-info/"
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range []struct{ name, text string }{
		{name + ".py", "# " + name + "\n"},
		{info + "METADATA", metadata},
		{info + "WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\n"},
		{info + "entry_points.txt", "[console_scripts]\n" + script + "\n"},
	} {
		w, err := z.Create(f.name)
		ts.Check(err)
		_, err = io.WriteString(w, f.text)
		ts.Check(err)
	}
	ts.Check(z.Close())
	wheel := name + "-1.0-py3-none-any.whl"
	root := ts.MkAbs(".registry")
	for file, text := range map[string]string{
		filepath.Join("wheels", wheel): b.String(),
		filepath.Join("simple", name, "index"): fmt.Sprintf(
			`{"meta": {"api-version": "1.0"}, "files": [{"filename": %q, "url": "/wheels/%[1]s", "hashes": {"sha256": "%x"}}]}`,
			wheel, sha256.Sum256(b.Bytes())),
	} {
		file = filepath.Join(root, file)
		ts.Check(os.MkdirAll(filepath.Dir(file), 0o777))
		ts.Check(os.WriteFile(file, []byte(text), 0o666))
	}
}
