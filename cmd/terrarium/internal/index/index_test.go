package index_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/index"
	"github.com/terrarium-dev/terrarium/plugins/absent"
)

const sum = "4dd16bb7749748d5cf712828e2ea999eff33e254cecf9f1b7a153cbdf9cd9628"

// good is an entry without a fault. In text it begins on line 3.
var good = []string{
	`name = "x"`,
	`version = "1"`,
	`description = "a test"`,
	`licence = "MIT"`,
	`source = "npm:@a/b@1.0"`,
	`sha256 = "` + sum + `"`,
	`size = 100`,
	`module = "package/x.wasm"`,
	`smoke = ["--version"]`,
	`answer = "1"`,
}

// text returns an index with one entry, in which lines stand for those of good
// that set the same key, or behind them.
func text(lines ...string) string {
	entry := append([]string{}, good...)
next:
	for _, line := range lines {
		key, _, _ := strings.Cut(line, " =")
		for i := range entry {
			if strings.HasPrefix(entry[i], key+" =") {
				entry[i] = line
				continue next
			}
		}
		entry = append(entry, line)
	}
	return "format = 1\n\n[[plugin]]\n" + strings.Join(entry, "\n") + "\n"
}

func TestOwn(t *testing.T) {
	x, err := index.Own()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"python", "python3", "ruby", "php", "esbuild", "sqlite3", "clang", "cc"} {
		if x.Find(name) == nil {
			t.Errorf("got no %s, want one", name)
		}
	}
}

// TestOwnAdvice has the sandbox's shell name each plugin of our index to who lacks it.
func TestOwnAdvice(t *testing.T) {
	x, err := index.Own()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range x.Search("") {
		advice, _ := absent.Advice(e.Name)
		if want := "terrarium plugins add " + e.Name; !strings.Contains(advice, want) {
			t.Errorf("%s: got the advice %q, want it to say %q", e.Name, advice, want)
		}
	}
}

func TestParse(t *testing.T) {
	x, err := index.Parse("i", []byte(text(`aliases = ["y"]`, `env = ["A_1=b c"]`, `memory = 1073741824`)), "")
	if err != nil {
		t.Fatal(err)
	}
	if e := x.Find("y"); e == nil || e != x.Find("x") || e.Manifest().Download != sum || !e.From().IsArchive() {
		t.Errorf("got %+v, want x with its alias", e)
	}
	if got := len(x.Search("TEST")); got != 1 {
		t.Errorf("search: got %d, want 1", got)
	}
}

// A layer of an image is a module, or an archive if the entry says which file of it is one.
func TestParseImage(t *testing.T) {
	for _, module := range []string{`module = ""`, `module = "x.wasm"`} {
		x, err := index.Parse("i", []byte(text(`source = "oci:example.com/a/x@sha256:`+sum+`"`, module)), "")
		if err != nil {
			t.Fatal(err)
		}
		if image := x.Find("x").From().Image; image.Host() != "example.com" || image.Repository != "a/x" || image.Reference != "sha256:"+sum {
			t.Errorf("%s: got %+v", module, image)
		}
	}
}

func TestParseWrong(t *testing.T) {
	many := make([]string, 17)
	for i := range many {
		many[i] = fmt.Sprintf("%q", fmt.Sprint("a", i))
	}
	list := strings.Join(many, ", ")
	for _, test := range []struct{ text, want string }{
		{"", "i: format 0: want format = 1"},
		{"format = 2\n", "i:1: format 2: want format = 1"},
		{"format = 1\n[plugin]\nname = \"x\"\n", "i:2: plugin x: version: missing"},
		{"format = 1\nplugin = 1\n", "i:2: plugin: want [[plugin]], with two brackets on each side"},
		{text(`name = "../x"`), `i:4: plugin ../x: name: "../x": want letters, digits and . _ + -, a letter or digit first`},
		{text(`name = 1`), "i:4: name: want text in quotes"},
		{text(`aliases = ["x"]`), "i:14: plugin x: aliases: x: another plugin answers to it"},
		{text(`box = ["grep"]`), "i:3: plugin x: box grep: the box has no such command for a plugin"},
		{text(`name = "y"`, `box = ["cc"]`) + text(`box = ["cc"]`)[len("format = 1\n"):], "i:27: plugin x: box: cc: another plugin answers to it"},
		{text(`aliases = "x"`), "i:14: aliases: want a list of texts in quotes"},
		{text(`aliases = [` + list + `]`), "i:3: plugin x: more than 16 aliases or needs"},
		{text(`version = ""`), "i:5: plugin x: version: missing"},
		{text(`description = "a\u001b[2J"`), "i:3: plugin x: description: has a character that can't be shown"},
		{text(`licence = "a\u202eb"`), "i:7: plugin x: licence: has a character that can't be shown"},
		{text(`source = "npm:b"`), "i:8: plugin x: source: want npm:NAME@VERSION, with an exact version"},
		{text(`source = "npm:../b@1"`), "i:8: plugin x: source: want npm:NAME@VERSION, with an exact version"},
		{text(`source = "npm:@a/../b@1"`), "i:8: plugin x: source: want npm:NAME@VERSION, with an exact version"},
		{text(`source = "npm:b@latest"`), "i:8: plugin x: source: want npm:NAME@VERSION, with an exact version"},
		{text(`source = "http://example.com/x.tgz"`), "i:8: plugin x: source: http://: want https, or anybody on the way could read and change it"},
		{text(`source = "https://me:secret@example.com/x.tgz"`), "i:8: plugin x: source: a URL with a password in it"},
		{text(`source = "ftp://example.com/x.tgz"`), "i:8: plugin x: source: want npm:NAME@VERSION, https://…, oci:… or file:PATH"},
		{text(`source = "oci:example.com/x:latest"`), "i:8: plugin x: source: want oci:REGISTRY/NAME@sha256:DIGEST, without a tag"},
		{text(`source = "oci:example.com/x:1@sha256:` + sum + `"`), "i:8: plugin x: source: want oci:REGISTRY/NAME@sha256:DIGEST, without a tag"},
		{text(`source = "oci:example.com/x@sha512:` + sum + sum + `"`), "i:8: plugin x: source: want oci:REGISTRY/NAME@sha256:DIGEST, without a tag"},
		{text(`source = "oci:example.com/../x@sha256:` + sum + `"`), "i:8: plugin x: source: want oci:REGISTRY/NAME@sha256:DIGEST, without a tag"},
		{text(`source = "oci:me:secret@example.com/x@sha256:` + sum + `"`), "i:8: plugin x: source: want oci:REGISTRY/NAME@sha256:DIGEST, without a tag"},
		{text(`source = "file:x.tgz"`), "i:8: plugin x: source: only an index that is a file here may name files"},
		{text(`source = "https://example.com/x.wasm"`), "i:11: plugin x: module: what is downloaded is no archive: it is the module"},
		{text(`sha256 = "` + strings.ToUpper(sum) + `"`), "i:9: plugin x: sha256: want the sum of what is downloaded, in 64 hexadecimal digits, small ones"},
		{text(`sha256 = ""`), "i:9: plugin x: sha256: want the sum of what is downloaded, in 64 hexadecimal digits, small ones"},
		{text(`size = 0`), "i:10: plugin x: size: 0: out of range: want 8 to 268435456 bytes"},
		{text(`size = 268435457`), "i:10: plugin x: size: 268435457: out of range: want 8 to 268435456 bytes"},
		{text(`size = "1"`), "i:10: size: want a whole number"},
		{text(`module = ""`), "i:11: plugin x: module: missing: which file of the archive is it?"},
		{text(`module = "../x"`), "i:11: plugin x: module: want the file's name as the archive has it, with no . or .. in it"},
		{text(`smoke = []`), "i:12: plugin x: smoke: 0 arguments: want 1 to 16, which show that it works"},
		{text(`smoke = [` + list + `]`), "i:12: plugin x: smoke: 17 arguments: want 1 to 16, which show that it works"},
		{text(`answer = ""`), "i:13: plugin x: answer: missing"},
		{text(`memory = 4294967296`), "i:3: plugin x: memory 4294967296: out of range: at most 4294901760 bytes"},
		{text(`env = ["PATH=/x"]`), "i:3: plugin x: env: PATH is the sandbox's own"},
		{text(`env = ["A B=x"]`), "i:3: plugin x: env: A B=x: want NAME=value"},
		{text(`env = ["A"]`), "i:3: plugin x: env: A: want NAME=value"},
		{text(`files = "package/x.tar"`), "i:14: plugin x: files: files without at, or at without files"},
		{text(`files = "package/x"`, `at = "/usr"`), "i:14: plugin x: files: want a .tar in the archive"},
		{text(`files = "package/x.tar"`, `at = "/home/me"`), "i:14: plugin x: files: at /home/me: want a path at or below /usr, /opt, /lib, /share"},
		{text(`files = "package/x.tar"`, `at = "/usr/../bin"`), "i:14: plugin x: files: at /usr/../bin: want a path at or below /usr, /opt, /lib, /share"},
		{text(`hooks = ["rm"]`), "i:14: unknown key hooks"},
		{text() + text()[len("format = 1\n"):], "i:16: plugin x: name: x: another plugin answers to it"},
		{"format = 1\n" + strings.Repeat("[[plugin]]\n", 1001), "i: more than 1000 plugins"},
		{strings.Repeat(" ", index.MaxBytes+1), "i: longer than 1048576 bytes"},
		{"format = ", "i:1: expected value, not end of input"},
	} {
		_, err := index.Parse("i", []byte(test.text), "")
		if err == nil || err.Error() != test.want {
			t.Errorf("%.300s\ngot  %v\nwant %s", test.text, err, test.want)
		}
	}
}
