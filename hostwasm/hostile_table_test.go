package hostwasm_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestHostileTable holds HOSTILE.md against the tests: all groups are in it, and
// what it names is there and runs where it says.
func TestHostileTable(t *testing.T) {
	dirs := map[string]string{
		"": ".", "vfs": "vfs", "wasi": "wasi", "cache": "cache", "worker": "worker", "page": "engine/page", "meter": "../core/meter", "text": "../core/text", "tests": "../tests",
	}
	sources := make(map[string]string, len(dirs))
	for name, dir := range dirs {
		files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			sources[name] += string(b)
		}
	}
	text, err := os.ReadFile("HOSTILE.md")
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`(Test|Fuzz)(\\w+)(?:/([^`]+))?`( \\*| †)?")
	list := regexp.MustCompile("(?:`[^`]+`(?:, | and )?)+ in (\\w+)")
	groups := make(map[string]bool)
	for _, row := range regexp.MustCompile(`(?m)^\| (\d+) \| .* \| (.*) \|$`).FindAllStringSubmatch(string(text), -1) {
		groups[row[1]] = true
		where := row[2]
		check := func(names, dir string) {
			for _, n := range named.FindAllStringSubmatch(names, -1) {
				kind, name, sub, mark := n[1], n[2], n[3], strings.TrimSpace(n[4])
				if !strings.Contains(sources[dir], "\nfunc "+kind+name+"(") {
					t.Errorf("group %s: there is no %s%s in %q", row[1], kind, name, dirs[dir])
				}
				if dir == "tests" && kind+name == "TestCLI" {
					if _, err := os.Stat("../tests/cli/" + sub + ".txtar"); err != nil {
						t.Errorf("group %s: %v", row[1], err)
					}
				} else if sub != "" && !strings.Contains(strings.ReplaceAll(sources[dir], " ", "_"), `"`+sub+`"`) {
					t.Errorf("group %s: there is no case %q", row[1], sub)
				}
				everywhere := strings.Contains(sources[dir], "{ everywhere(t, test"+name+") }") || name == "Hostile" || name == "Refused" && dir == ""
				each := strings.Contains(sources[dir], "{ onEachEngine(t, test"+name+") }")
				if dir == "" && (everywhere != (mark == "*") || each != (mark == "†")) {
					t.Errorf("group %s: %s runs elsewhere than %q says", row[1], name, mark)
				}
			}
		}
		for _, l := range list.FindAllStringSubmatch(where, -1) {
			check(l[0], l[1])
		}
		check(list.ReplaceAllString(where, ""), "")
	}
	if len(groups) != 17 {
		t.Errorf("got %d groups, want 17", len(groups))
	}
}
