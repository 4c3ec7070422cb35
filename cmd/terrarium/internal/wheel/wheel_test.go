package wheel_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/wheel"
)

func TestHolds(t *testing.T) {
	python, err := wheel.PythonOf("3.12.0")
	if err != nil {
		t.Fatal(err)
	}
	for marker, want := range map[string]string{
		`python_version < "3.11"`:                                  "false",
		`python_version >= '3.9'`:                                  "true", // as versions
		`"3.9" <= python_version`:                                  "true",
		`sys_platform == "win32" or os_name == "posix"`:            "true",
		`sys_platform == "win32" and os_name == "posix"`:           "false",
		`(extra == "x" or os_name=="nt") and python_version > "3"`: "false",
		`"wasi" in sys_platform`:                                   "true",
		`platform_system not in "Windows, Linux"`:                  "true",
		`implementation_name != "pypy"`:                            "true",
		`color == "red"`:                                           "error",
		`os_name < "x"`:                                            "error",
		`os_name == "posix" sudo`:                                  "error",
		`(os_name == "posix"`:                                      "error",
		``:                                                         "error",
		strings.Repeat("(", 1<<20):                                 "error", // this took 1 GB
	} {
		holds, err := python.Holds(marker)
		got := fmt.Sprint(holds)
		if err != nil {
			got = "error"
		}
		if got != want {
			t.Errorf("%.80s: got %s (%v), want %s", marker, got, err, want)
		}
	}
}

func TestParseRequirement(t *testing.T) {
	for text, want := range map[string]string{
		"Foo_Bar":                         "foo-bar",
		"a.b >=1.2, <2":                   "a-b>=1.2, <2",
		"pluggy (<2.0,>=0.12)":            "pluggy<2.0,>=0.12",
		`x~=1.0; python_version<"3"`:      "x~=1.0",
		"x[]":                             "x",
		"x[socks]":                        "error",
		"x @ https://example.com/x.whl":   "error",
		"-e .":                            "error",
		"../x":                            "error",
		"x==latest":                       "error",
		"x>=1||<2":                        "error",
		"x>=" + strings.Repeat("1", 5000): "error",
	} {
		r, err := wheel.ParseRequirement(text)
		got := r.String()
		if err != nil {
			got = "error"
		}
		if got != want {
			t.Errorf("%.80s: got %s (%v), want %s", text, got, err, want)
		}
	}
}

// A file is one of a wheel.
type file struct {
	name, text string
	mode       fs.FileMode
}

// pure is the WHEEL of a wheel with nothing but Python.
const pure = "Wheel-Version: 1.0\nRoot-Is-Purelib: true\n"

// pack returns a wheel, with the head of its METADATA and more files.
func pack(t *testing.T, name, version, head string, more ...file) []byte {
	t.Helper()
	info := name + "-" + version + ".dist-info/"
	files := append([]file{
		{name: name + ".py", text: "version = '" + version + "'\n"},
		{name: info + "METADATA", text: "Name: " + name + "\nVersion: " + version + "\n" + head + "\n\nRequires-Dist: not-a-header\n"},
		{name: info + "WHEEL", text: pure},
	}, more...)
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range files {
		header := &zip.FileHeader{Name: f.name, Method: zip.Deflate}
		header.SetMode(f.mode | 0o644)
		w, err := z.CreateHeader(header)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(f.text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// simple serves wheels, by their files' names, as a simple index. edit, if not nil,
// changes what the index says of a file.
func simple(t *testing.T, wheels map[string][]byte, edit func(map[string]any)) *wheel.Simple {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if b, ok := wheels[path.Base(r.URL.Path)]; ok {
			w.Write(b)
			return
		}
		if accept := r.Header.Get("Accept"); accept != "application/vnd.pypi.simple.v1+json" {
			t.Errorf("asked for %q", accept)
		}
		files := []map[string]any{}
		for name, b := range wheels {
			if of, _, _ := strings.Cut(name, "-"); of != path.Base(r.URL.Path) {
				continue
			}
			f := map[string]any{"filename": name, "url": "../../files/" + name, "hashes": map[string]string{"sha256": fmt.Sprintf("%x", sha256.Sum256(b))}}
			if edit != nil {
				edit(f)
			}
			files = append(files, f)
		}
		json.NewEncoder(w).Encode(map[string]any{"meta": map[string]string{"api-version": "1.1"}, "files": files})
	}))
	t.Cleanup(server.Close)
	u, err := url.Parse(server.URL + "/simple/")
	if err != nil {
		t.Fatal(err)
	}
	return &wheel.Simple{URL: u, Dir: t.TempDir()}
}

// resolve returns what would be added, as one text, or the error.
func resolve(t *testing.T, from *wheel.Simple, have []wheel.Package, want ...string) (string, []*wheel.Chosen) {
	t.Helper()
	python, err := wheel.PythonOf("3.12.0")
	if err != nil {
		t.Fatal(err)
	}
	var all []wheel.Requirement
	for _, text := range want {
		r, err := wheel.ParseRequirement(text)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	chosen, err := wheel.Resolve(t.Context(), from, python, have, all)
	if err != nil {
		return err.Error(), nil
	}
	var names []string
	for _, c := range chosen {
		names = append(names, c.Wheel.Name+" "+c.Wheel.Version)
	}
	return strings.Join(names, ", "), chosen
}

func TestResolve(t *testing.T) {
	wheels := map[string][]byte{
		"a-1.0-py3-none-any.whl":      pack(t, "a", "1.0", "Requires-Dist: b>=1\nRequires-Dist: c; extra == 'more'\nRequires-Dist: b<3; python_version >= '3'"),
		"b-2.0-py2.py3-none-any.whl":  pack(t, "b", "2.0", "Requires-Dist: a"),
		"b-3.0-py3-none-any.whl":      pack(t, "b", "3.0", ""),
		"b-10.0rc1-py3-none-any.whl":  pack(t, "b", "10.0rc1", ""),
		"d-1-py3-none-any.whl":        pack(t, "d", "1", "Requires-Dist: b>2"),
		"m-1-cp312-cp312-linux.whl":   nil,
		"m-1.tar.gz":                  nil,
		"e-1-py3-none-any.whl":        pack(t, "e", "1", "Requires-Dist: a[x]"),
		"f-1-py3-none-any.whl":        pack(t, "f", "1", "Requires-Dist: a; colour == 'red'"),
		"g-1-py3-none-any.whl":        pack(t, "other", "1", ""),
		"first-1-py3-none-any.whl":    pack(t, "first", "1", "Requires-Dist: b\nRequires-Dist: second"),
		"second-1-py3-none-any.whl":   pack(t, "second", "1", "Requires-Dist: b<3"),
		"notazip-1-py3-none-any.whl":  []byte("no zip"),
		"prebuilt-1-py3-none-any.whl": prebuilt(t),
	}
	from := simple(t, wheels, nil)
	for want, have := range map[string]string{
		"a":        "a 1.0, b 2.0",
		"b":        "b 3.0", // a release, though there is a newer one before one
		"b>3":      "b 10.0rc1",
		"first":    "a 1.0, b 2.0, first 1, second 1", // b is chosen again when more is known
		"b==4":     "b: no pure wheel for Python 3.12 is what all want: b==4",
		"nothing":  "nothing: the index has no file of it",
		"m":        "m: no pure wheel of it (py3-none-any) is in the index: code for a machine does not run in the sandbox, and nothing is built here",
		"e":        "e-1-py3-none-any.whl: a[x]: extras are not known here: name the packages that they stand for",
		"f":        "f-1-py3-none-any.whl: marker colour == 'red': colour is not known",
		"g":        "g-1-py3-none-any.whl: it is other 1, by its METADATA",
		"notazip":  "notazip-1-py3-none-any.whl: not a wheel: zip: not a valid zip file",
		"prebuilt": "prebuilt-1-py3-none-any.whl: its WHEEL does not say Root-Is-Purelib: true: it has code for a machine",
	} {
		if got, _ := resolve(t, from, nil, want); strings.TrimSpace(got) != have {
			t.Errorf("%s: got %q, want %q", want, got, have)
		}
	}
	if got, _ := resolve(t, from, nil, "a", "d"); !strings.Contains(got, "a 1.0 needs b<3") || !strings.Contains(got, "d 1 needs b>2") {
		t.Errorf("a and d: got %q, want who wants what", got)
	}
	have := []wheel.Package{{Name: "b", Version: "2.0", Requires: []string{"a"}}}
	if got, _ := resolve(t, from, have, "a"); got != "a 1.0" {
		t.Errorf("beside b 2.0: got %q, want a alone", got)
	}
}

// prebuilt returns a wheel that has code for a machine, whatever its name says.
func prebuilt(t *testing.T) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, text := range map[string]string{
		"prebuilt-1.dist-info/METADATA": "Name: prebuilt\nVersion: 1\n",
		"prebuilt-1.dist-info/WHEEL":    "Wheel-Version: 1.0\nRoot-Is-Purelib: false\n",
	} {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		w.Write([]byte(text))
	}
	z.Close()
	return b.Bytes()
}

// What an index says is not believed: it has to have sums, and they are compared.
func TestIndexIsWrong(t *testing.T) {
	wheels := map[string][]byte{"a-1-py3-none-any.whl": pack(t, "a", "1", "")}
	for name, test := range map[string]struct {
		key   string
		value any
		want  string
	}{
		"no sum":       {"hashes", map[string]string{"md5": "00"}, "has no sha256, and is not believed without"},
		"another sum":  {"hashes", map[string]string{"sha256": strings.Repeat("0", 64)}, "its sha256 is "},
		"another name": {"filename", "b-1-py3-none-any.whl", "no pure wheel of it"},
		"a path":       {"filename", "../a-1-py3-none-any.whl", "no pure wheel of it"},
		"withdrawn":    {"yanked", "broken", "no pure wheel of it"},
		"python":       {"requires-python", ">=3.13", "no pure wheel for Python 3.12 is what all want: a"},
		"over http":    {"url", "http://192.0.2.1/a-1-py3-none-any.whl", "http://: want https"},
		"a file":       {"url", "file:///etc/passwd", "not a URL with a host"},
	} {
		from := simple(t, wheels, func(f map[string]any) { f[test.key] = test.value })
		if got, _ := resolve(t, from, nil, "a"); !strings.Contains(got, test.want) {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
		if left, _ := filepath.Glob(filepath.Join(from.Dir, "*.whl")); len(left) > 0 {
			t.Errorf("%s: %q is there", name, left)
		}
	}
}

// A site has what was added, or what it had before.
func TestSite(t *testing.T) {
	dir := t.TempDir()
	site := wheel.SiteOf(dir)
	add := func(want string, wheels map[string][]byte) string {
		from := simple(t, wheels, nil)
		text, chosen := resolve(t, from, nil, want)
		if chosen == nil {
			return text
		}
		if err := site.Add(from, chosen, "3.12"); err != nil {
			return err.Error()
		}
		return ""
	}
	tool := file{name: "a-1.dist-info/entry_points.txt", text: "[console_scripts]\nat = a.sub:main\n../x = a:main\ny = a:os.system('x')\n[other]\nz = a:main\n"}
	data := file{name: "a-1.data/purelib/a_more.py"}
	if got := add("a", map[string][]byte{"a-1-py3-none-any.whl": pack(t, "a", "1", "", tool, data, file{name: "a-1.data/scripts/rm"})}); got != "" {
		t.Fatal(got)
	}
	before := tree(t, site.Dir())
	for _, want := range []string{
		"packages/a-1-*/a.py", "packages/a-1-*/a_more.py", "bin/at", "packages.json",
		"lib/python3.12/site-packages/terrarium.pth", "lib/python3.12/site-packages/usercustomize.py",
	} {
		if found, _ := filepath.Glob(filepath.Join(site.Dir(), want)); len(found) != 1 {
			t.Errorf("no %s in\n%s", want, before)
		}
	}
	if strings.Contains(before, "rm") || strings.Contains(before, "bin/y") || strings.Contains(before, "bin/z") {
		t.Errorf("got more than that:\n%s", before)
	}

	big := strings.Repeat("0", 257<<20)
	for name, more := range map[string]file{
		"out":       {name: "../out.py"},
		"absolute":  {name: "/out.py"},
		"backslash": {name: `..\out.py`},
		"control":   {name: "a\x1b[2J.py"},
		"link":      {name: "link", text: "/etc/passwd", mode: fs.ModeSymlink},
		"twice":     {name: "b.py"},
		"huge":      {name: "huge", text: big},
		"long":      {name: strings.Repeat("d/", 32<<10-2) + "x"},
	} {
		got := add("b", map[string][]byte{"b-1-py3-none-any.whl": pack(t, "b", "1", "", more)})
		if got == "" || strings.Contains(got, "\x1b") {
			t.Errorf("%s: got %q, want an error", name, got)
		}
		if after := tree(t, site.Dir()); after != before {
			t.Errorf("%s: got\n%swant\n%s", name, after, before)
		}
	}

	var deep []file // 20,400 directories in 51 files
	for i := range 51 {
		deep = append(deep, file{name: fmt.Sprintf("%d/%sx", i, strings.Repeat("d/", 400))})
	}
	if got := add("b", map[string][]byte{"b-1-py3-none-any.whl": pack(t, "b", "1", "", deep...)}); !strings.Contains(got, "more than 20000 directories") {
		t.Errorf("directories: got %q, want an error", got)
	}

	if got := add("a", map[string][]byte{"a-2-py3-none-any.whl": pack(t, "a", "2", "")}); got != "" {
		t.Fatal(got)
	}
	if after := tree(t, site.Dir()); strings.Contains(after, "a-1") || strings.Contains(after, "bin/at") || !strings.Contains(after, "packages/a-2-") {
		t.Errorf("a newer one: got\n%s", after)
	}
	if _, err := site.Remove([]string{"b"}, "3.12"); err == nil {
		t.Error("remove b: got nil, want that there is none")
	}
	if removed, err := site.Remove([]string{"a"}, "3.12"); err != nil || len(removed) != 1 || strings.Contains(tree(t, site.Dir()), "packages/a") {
		t.Errorf("remove a: got %v, %v, and left\n%s", removed, err, tree(t, site.Dir()))
	}
}

// tree lists what is in a directory.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		below, _ := filepath.Rel(dir, name)
		if err == nil && d.Type().IsRegular() {
			fmt.Fprintln(&b, filepath.ToSlash(below))
		}
		return err
	})
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return b.String()
}
