package tests

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// mapRow is a row of the map in ARCHITECTURE.md: folders, and what they are for.
var mapRow = regexp.MustCompile("^\\| (`[^|]+`) \\| [^|]+ \\|$")

// TestMap has each folder of Go code in the map of ARCHITECTURE.md, with a line that fits.
func TestMap(t *testing.T) {
	watchModule(t)
	text, err := os.ReadFile("../ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	_, list, found := strings.Cut(string(text), "\n## The map\n")
	if !found {
		t.Fatal("ARCHITECTURE.md has no map")
	}
	var listed []string // "x/…" is all below x
	for line := range strings.Lines(list) {
		line = strings.TrimSuffix(line, "\n")
		row := mapRow.FindStringSubmatch(line)
		if row == nil {
			continue
		}
		if utf8.RuneCountInString(line) > 100 {
			t.Errorf("what a folder is for must fit a line of 100 columns:\n%s", line)
		}
		for _, name := range strings.Split(row[1], ", ") {
			listed = append(listed, strings.Trim(name, "`"))
		}
	}
	for _, name := range listed {
		if info, err := os.Stat(filepath.Join("..", strings.TrimSuffix(name, "/…"))); err != nil || !info.IsDir() {
			t.Errorf("ARCHITECTURE.md lists %s, which is no folder", name)
		}
	}
	for _, dir := range goFolders(t) {
		if !slices.ContainsFunc(listed, func(name string) bool {
			above, all := strings.CutSuffix(name, "…")
			return name == dir || all && strings.HasPrefix(dir+"/", above)
		}) {
			t.Errorf("ARCHITECTURE.md does not say what %s is for", dir)
		}
	}
}

// goFolders returns the folders of the module with Go code, but for testdata.
func goFolders(t *testing.T) []string {
	var found []string
	err := fs.WalkDir(os.DirFS(".."), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := d.Name()
		if d.IsDir() && name != "." &&
			(strings.HasPrefix(base, ".") || slices.Contains([]string{"testdata", "node_modules", "dist"}, base)) {
			return fs.SkipDir
		}
		if dir := filepath.ToSlash(filepath.Dir(name)); strings.HasSuffix(name, ".go") && !slices.Contains(found, dir) {
			found = append(found, dir)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// layers are the areas of the module, from the ground up. What stands in one line side by side
// knows nothing of each other.
var layers = [][]string{
	{"core"},
	{"core/driver", "core/coretest"},
	{"hostnative", "hostwasm", "plugins", "web"},
	{"cmd"},
	{"tests"},
}

// layerOf returns which layer a path of the table is in, and the area.
func layerOf(path string) (layer int, area string) {
	layer = -1
	for i, areas := range layers {
		for _, a := range areas {
			if (path == a || strings.HasPrefix(path, a+"/")) && len(a) > len(area) {
				layer, area = i, a
			}
		}
	}
	return layer, area
}

// TestRulesGoDown has the table allow no import that goes up, and none to the side but within an
// area and from coretest to the driver. With Go's own ban on circles between packages, there is
// none between areas either.
func TestRulesGoDown(t *testing.T) {
	for _, r := range rules {
		from, area := layerOf(r.path)
		if from < 0 {
			t.Errorf("%s is in no layer", r.path)
		}
		for _, ours := range r.ours {
			to, other := layerOf(ours)
			side := to == from && other != area && !(area == "core/coretest" && other == "core/driver")
			if to < 0 || to > from || side {
				t.Errorf("%s may import %s, which is not below it", r.path, ours)
			}
		}
	}
}
