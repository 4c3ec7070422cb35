package tests

import (
	"path"
	"slices"
	"strings"
	"testing"
)

// TestDependenciesCatches plants one wrong import at a time in a list that is otherwise right.
func TestDependenciesCatches(t *testing.T) {
	for _, c := range []struct {
		importer, imported string
		want               []string // parts of the message; nil where the import is allowed
	}{
		{"core", "core/ring", nil},
		{"core", "core/acp", []string{"core imports ", whyCore}},
		{"core", "errors", nil},
		{"core", "fmt", []string{"core imports fmt: ", lean.why}},
		{"core/vt", "os/exec", []string{"core/vt imports os/exec: ", pure.why}},
		{"core/vt", "unsafe", []string{safe.why}},
		{"core/vt/internal/width", "sync", []string{pure.why}},
		{"core/vt", "core/vt/internal/width", nil},
		{"core", "core/vt/internal/width", nil}, // the compiler forbids it where it must
		{"core/jsonrpc", "github.com/google/go-cmp/cmp", []string{whyCore}},
		{"core/egress", "net/netip", nil},
		{"core/egress", "net", []string{pure.why}},
		{"core/egress", "net/url", []string{pure.why}},
		{"core/egress", "core", []string{whyCore}},
		{"core/policy", "mvdan.cc/sh/v3/syntax", nil},
		{"core/policy", "mvdan.cc/sh/v3/interp", []string{whyCore}},
		{"core/driver", "sync", nil},
		{"core/driver", "core/acp", []string{whyDriver}},
		{"core/driver/acpconn", "core/acp", nil},
		{"core/driver/acpconn", "net/http", []string{offline.why}},
		{"hostnative", "github.com/creack/pty", nil},
		{"hostnative", "hostwasm", []string{whyHosts}},
		{"hostwasm/engine/wazero", "github.com/tetratelabs/wazero/api", nil},
		{"hostwasm/engine/wazero", "github.com/bytecodealliance/wasmtime-go/v39", []string{whyHosts}},
		{"hostwasm/engine/wasmtime", "github.com/bytecodealliance/wasmtime-go/v39", nil},
		{"hostwasm/engine/wasmtime", "hostnative", []string{whyHosts}},
		{"plugins/box", "core/keys", []string{whyPlugins}},
		{"cmd/reactor", "core/policy", []string{"no policy"}},
		{"cmd/reactor", "unsafe", nil},
		{"cmd/terrarium", "cmd/terrarium/internal/proxy", nil},
		{"cmd/terrarium", "cmd/dev/internal/demo", []string{whyTops}},
		{"hostnative", "cmd/terrarium", []string{whyTops}},
		{"cmd/dev", "cmd/dev/internal/replay", nil},
		{"cmd/dev", "github.com/google/go-cmp/cmp", []string{whyDev}},
		{"tests/bench", "tests", nil},
		{"core", "tests", []string{whyTops}},
		{"core/brand-new", "errors", []string{"core/brand-new is in no rule: add it to the table"}},
	} {
		importer := fakePackage(c.importer)
		importer.Imports = []string{fakePackage(c.imported).ImportPath}
		got := violations([]listed{fakePackage(c.imported), importer})
		wantViolations(t, c.importer+" imports "+c.imported, got, c.want)
	}
}

func TestDependenciesCatchesDeepOnes(t *testing.T) {
	exec, library, mine := fakePackage("os/exec"), fakePackage("strings"), fakePackage("core/keys")
	library.Imports = []string{exec.ImportPath}
	mine.Imports = []string{library.ImportPath}
	wantViolations(t, "core/keys > strings > os/exec", violations([]listed{exec, library, mine}),
		[]string{"core/keys reaches os/exec (", "/core/keys > strings > os/exec): " + offline.why})

	netip, url, driver := fakePackage("net/netip"), fakePackage("net/url"), fakePackage("core/driver")
	library.Imports = []string{netip.ImportPath, url.ImportPath}
	driver.Imports = []string{library.ImportPath}
	wantViolations(t, "core/driver > strings > net/url", violations([]listed{netip, url, library, driver}), []string{"core/driver reaches net/url ("})
	library.Imports = []string{netip.ImportPath}
	wantViolations(t, "core/driver > strings > net/netip", violations([]listed{netip, library, driver}), nil)

	reflect, reactor := fakePackage("reflect"), fakePackage("cmd/reactor")
	library.Imports = []string{reflect.ImportPath}
	reactor.Imports = []string{library.ImportPath}
	wantViolations(t, "cmd/reactor > strings > reflect", violations([]listed{reflect, library, reactor}),
		[]string{"cmd/reactor reaches reflect (", lean.why})
}

func TestDependenciesCatchesTests(t *testing.T) {
	for _, c := range []struct {
		importer, imported string
		want               []string
	}{
		{"core/vt", "core/coretest", nil},
		{"core/vt", "github.com/google/go-cmp/cmp", nil},
		{"core/vt", "cmd/dev", []string{"a test of core/vt imports ", whyTops}},
		{"hostwasm", "hostnative", []string{"a test of hostwasm imports ", whyHosts}},
	} {
		importer := fakePackage(c.importer)
		importer.XTestImports = []string{fakePackage(c.imported).ImportPath}
		wantViolations(t, "a test of "+c.importer+" imports "+c.imported, violations([]listed{importer}), c.want)
	}
}

func wantViolations(t *testing.T, name string, got, want []string) {
	t.Helper()
	all := strings.Join(got, "\n")
	if want == nil && all != "" {
		t.Errorf("%s: got %q, want it allowed", name, all)
	}
	for _, part := range want {
		if !strings.Contains(all, part) {
			t.Errorf("%s: got %q, want %q in it", name, all, part)
		}
	}
}

// fakePackage returns a package of ours, of a library or of the standard library, whichever p looks
// like.
func fakePackage(p string) listed {
	type module = struct{ Path string }
	top, _, _ := strings.Cut(p, "/")
	switch {
	case strings.Contains(top, "."):
		return listed{ImportPath: p, Module: &module{path.Dir(p)}}
	case slices.Contains([]string{"core", "hostnative", "hostwasm", "plugins", "cmd", "tests"}, top):
		return listed{ImportPath: modulePath + "/" + p, Module: &module{modulePath}}
	}
	return listed{ImportPath: p, Standard: true}
}
