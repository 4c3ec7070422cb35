package tests

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// platforms is where the table is checked: a file with a suffix imports things that others never
// see.
var platforms = []platform{
	{goos: "linux", goarch: "amd64", packages: []string{"./..."}},
	{goos: "darwin", goarch: "arm64", packages: []string{"./..."}},
	{goos: "windows", goarch: "amd64", packages: []string{"./core/..."}},
	{goos: "wasip1", goarch: "wasm", packages: []string{"./core/...", "./cmd/reactor", "./plugins/..."}},
	{goos: "js", goarch: "wasm", packages: []string{"./core/...", "./hostwasm/...", "./cmd/sandbox"}},
}

type platform struct {
	goos, goarch, tags string
	packages           []string
}

func (p platform) String() string {
	if p.tags == "" {
		return p.goos
	}
	return p.goos + "," + p.tags
}

func TestDependencies(t *testing.T) {
	t.Parallel()
	watchModule(t)
	platforms := platforms
	if os.Getenv("TERRARIUM_WASMTIME") != "" { // "make test" has its module, which is large
		platforms = append(platforms, platform{goos: "linux", goarch: "amd64", tags: "wasmtime", packages: []string{"./..."}})
	}
	for _, p := range platforms {
		t.Run(p.String(), func(t *testing.T) {
			list, err := p.list()
			if err != nil {
				t.Fatal(err)
			}
			for _, bad := range violations(list) {
				t.Error(bad)
			}
		})
	}
}

// A listed is a package as "go list -json" prints it.
type listed struct {
	ImportPath   string
	Standard     bool
	Module       *struct{ Path string }
	Imports      []string
	TestImports  []string
	XTestImports []string
}

// list returns the packages of p and all that they need, dependencies first.
func (p platform) list() ([]listed, error) {
	args := []string{"list", "-deps", "-json=ImportPath,Standard,Module,Imports,TestImports,XTestImports", "-tags=" + p.tags}
	cmd := exec.Command("go", append(args, p.packages...)...)
	cmd.Dir = ".."
	cmd.Env = append(os.Environ(), "GOOS="+p.goos, "GOARCH="+p.goarch)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%v: %w\n%s", cmd, err, &stderr)
	}
	var list []listed
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var pkg listed
		if err := d.Decode(&pkg); errors.Is(err, io.EOF) {
			return list, nil
		} else if err != nil {
			return nil, err
		}
		list = append(list, pkg)
	}
}

// violations returns a message for each import in list that the table does not allow.
func violations(list []listed) []string {
	byPath := map[string]listed{}
	for _, pkg := range list {
		byPath[pkg.ImportPath] = pkg
	}
	var found []string
	for _, pkg := range list {
		name, ours := below(pkg.ImportPath)
		if !ours {
			continue
		}
		r := ruleFor(name)
		if r == nil {
			found = append(found, name+" is in no rule: add it to the table in tests/rules_test.go")
			continue
		}
		imports := pkg.Imports
		if matches("tests/...", name) { // it has nothing but tests
			imports = slices.Concat(pkg.Imports, pkg.TestImports, pkg.XTestImports)
		}
		for _, imported := range imports {
			if why := r.forbids(name, imported, byPath[imported]); why != "" {
				found = append(found, fmt.Sprintf("%s imports %s: %s", name, imported, why))
			}
		}
		for _, imported := range slices.Concat(pkg.TestImports, pkg.XTestImports) {
			if why := neverImports(name, imported); why != "" {
				found = append(found, fmt.Sprintf("a test of %s imports %s: %s", name, imported, why))
			}
		}
		found = append(found, r.deepViolations(name, byPath)...)
	}
	return found
}

// forbids returns why name, which has rule r, may not import the package, or "".
func (r *rule) forbids(name, imported string, pkg listed) string {
	if why := neverImports(name, imported); why != "" {
		return why
	}
	for _, b := range r.bans {
		if b.covers(imported) {
			return b.why
		}
	}
	target, ours := below(imported)
	switch {
	case ours && (owner(target) == owner(name) || matches(r.path, owner(target)) || matchesAny(r.ours, owner(target))):
		return ""
	case !ours && (pkg.Standard || pkg.Module == nil || matchesAny(r.others, imported) || matchesAny(r.others, pkg.Module.Path)):
		return ""
	}
	return r.why
}

// covers reports whether the package is banned.
func (b *ban) covers(imported string) bool {
	return matchesAny(b.packages, imported) && !matchesAny(b.except, imported)
}

// neverImports returns why not even a test of name may import the package, or "".
func neverImports(name, imported string) string {
	target, ours := below(imported)
	switch {
	case !ours || owner(target) == owner(name):
		return ""
	case matches("cmd/...", target), matches("tests/...", target) && !matches("tests/...", name):
		return whyTops
	case matches("hostnative/...", name) && matches("hostwasm/...", target),
		matches("hostwasm/...", name) && matches("hostnative/...", target):
		return whyHosts
	}
	return ""
}

// deepViolations follows the imports of name to all that it reaches, and names the way to what is
// banned.
func (r *rule) deepViolations(name string, byPath map[string]listed) []string {
	start := modulePath + "/" + name
	from := map[string]string{start: ""} // who imported it first
	var found []string
	for queue := []string{start}; len(queue) > 0; queue = queue[1:] {
		for _, imported := range byPath[queue[0]].Imports {
			if _, seen := from[imported]; seen {
				continue
			}
			from[imported] = queue[0]
			queue = append(queue, imported)
			for _, b := range r.bans {
				if !b.deep || !b.covers(imported) || queue[0] == start {
					continue // a direct import is reported as such
				}
				way := imported
				for p := queue[0]; p != ""; p = from[p] {
					way = p + " > " + way
				}
				found = append(found, fmt.Sprintf("%s reaches %s (%s): %s", name, imported, way, b.why))
			}
		}
	}
	return found
}

// ruleFor returns the first rule that matches name, or nil.
func ruleFor(name string) *rule {
	i := slices.IndexFunc(rules, func(r rule) bool { return matches(r.path, name) || matches(r.path, owner(name)) })
	if i < 0 {
		return nil
	}
	return &rules[i]
}

// below returns the path of a package of ours below the module.
func below(path string) (name string, ours bool) {
	return strings.CutPrefix(path, modulePath+"/")
}

// owner returns the package whose rule an internal one follows: core/vt for core/vt/internal/width.
func owner(name string) string {
	before, _, _ := strings.Cut(name+"/", "/internal/")
	return strings.TrimSuffix(before, "/")
}

// matches reports whether path is pattern or, if that ends in "...", is at or below it.
func matches(pattern, path string) bool {
	if pattern == anyModule {
		return true
	}
	if dir, ok := strings.CutSuffix(pattern, "/..."); ok {
		return path == dir || strings.HasPrefix(path, dir+"/")
	}
	return path == pattern
}

func matchesAny(patterns []string, path string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return matches(p, path) })
}
