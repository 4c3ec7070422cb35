package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A product is a program that we hand out, of which others' code is a part.
type product struct {
	name string // what users know it by
	env  []string
	pkg  string
}

// products are those that "build" makes of Go. What the demo has from npm is
// told by web/demo/vendor.mjs.
var products = []product{
	{binary, []string{"CGO_ENABLED=0"}, "./cmd/terrarium"},
	{"box.wasm", wasip1, "./plugins/box"},
	{"git.wasm", wasip1, "./plugins/git"},
	{"sandbox.wasm", js, "./cmd/sandbox"},
	{"core.wasm", wasip1, "./cmd/reactor"},
}

// licenseFile is what files are called whose text must go with a program.
var licenseFile = regexp.MustCompile(`(?i)^(([a-z]+-)?licen[cs]e|copying|notice)`)

// linkedPackages has a line for each package of others in a program: its module, and where that and
// the package are. Go's own are left out.
const linkedPackages = `{{$dir := .Dir}}{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}	{{.Dir}}	{{$dir}}
{{end}}{{end}}`

// writeLicenses writes the terms of all that our products are linked with. Those
// with the same text share it.
func writeLicenses(ctx context.Context, out io.Writer, file string) error {
	programs := map[string][]string{} // by module
	modules := map[string][]string{}  // by text
	for _, p := range products {
		texts, err := p.terms(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		for module, texts := range texts {
			programs[module] = append(programs[module], p.name)
			for _, text := range texts {
				if !slices.Contains(modules[text], module) {
					modules[text] = append(modules[text], module)
				}
			}
		}
	}
	var sections []string
	for text, of := range modules {
		slices.Sort(of)
		var s strings.Builder
		for _, module := range of {
			fmt.Fprintf(&s, "%s (in %s)\n", module, strings.Join(programs[module], ", "))
		}
		fmt.Fprintf(&s, "\n%s\n", text)
		sections = append(sections, s.String())
	}
	slices.Sort(sections)
	line := "\n" + strings.Repeat("=", 80) + "\n"
	all := "What Terrarium is built with, and on which terms.\n" + line + strings.Join(sections, line)
	fmt.Fprintf(out, "%s: %d modules, %d texts, %d bytes\n", file, len(programs), len(sections), len(all))
	return os.WriteFile(file, []byte(all), 0o666)
}

// terms returns, by module, the texts of what the product is linked with. A
// module without any is an error.
func (p product) terms(ctx context.Context) (map[string][]string, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-deps", "-f", linkedPackages, p.pkg)
	cmd.Env = append(os.Environ(), p.env...)
	lines, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%v: %w", cmd, err)
	}
	root, err := goRoot(ctx)
	if err != nil {
		return nil, err
	}
	own, err := licensesIn(root)
	if err != nil {
		return nil, err
	}
	texts := map[string][]string{"Go, with its library": own}
	seen := map[string]bool{}
	for line := range strings.Lines(string(lines)) {
		module, places, _ := strings.Cut(strings.TrimSpace(line), "\t")
		root, dir, found := strings.Cut(places, "\t")
		if !found {
			continue // between two lines of ours
		}
		if texts[module] == nil {
			texts[module] = []string{}
		}
		// A folder may be on other terms than its module.
		for ; !seen[dir]; dir = filepath.Dir(dir) {
			seen[dir] = true
			found, err := licensesIn(dir)
			if err != nil {
				return nil, err
			}
			texts[module] = append(texts[module], found...)
			if dir == root {
				break
			}
		}
	}
	for _, module := range slices.Sorted(maps.Keys(texts)) {
		if len(texts[module]) == 0 {
			return nil, fmt.Errorf("%s has no licence: look for its terms", module)
		}
	}
	return texts, nil
}

// licensesIn returns the texts that lie in a folder.
func licensesIn(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var texts []string
	for _, e := range entries {
		if e.IsDir() || !licenseFile.MatchString(e.Name()) || strings.HasSuffix(e.Name(), ".go") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		texts = append(texts, strings.TrimSpace(string(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")))))
	}
	return texts, nil
}
