package protect

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var configSeeds = []string{
	"",
	"[core]\n\tbare = false\n",
	"\ufeff[core]\r\n\tbare\r\n",
	"[core] bare = true ; comment\n# another\n[remote \"origin\"]\n\turl = a \\\n  b\n",
	"[branch \"a\\\"b\\\\c\"]\nmerge = \"x # y\" z\\t\\n\\b\n",
	"[Branch.Main]\nReMote=.\n",
	"[a \"\"]\nb = c\n",
	"[a.b \"c\"]\nd\n",
	"[core]\nfsmonitor = \"./x\n",
	"[core]\nx = a\\q\n",
	"[core]\nx = \\",
	"[core]\nx = a  \\\n",
	"[core]\n1x = a\n",
	"[core]\nx y = a\n",
	"[core",
	"[core \"a\nb\"]\n",
	"x = y\n",
	"[core]\nx = a\x00b\n",
	"[core]\n x\r = y\n",
	"[core]\nx = a\rb \r\r\n",
	"\xef\xbb[core]\nx\n",
	"[ \"x\"]\ny = z\n",
	"[core]x=\"a\"b\"  \"  ;c\n",
	"[core]\r[user]\n\tname\t=\t\x0b\x0c\n",
}

// What we read is what git reads. git may read more: see parseConfig.
func FuzzParseConfig(f *testing.F) {
	for _, s := range configSeeds {
		f.Add([]byte(s))
	}
	git, _ := exec.LookPath("git")
	file := filepath.Join(f.TempDir(), "config")
	f.Fuzz(func(t *testing.T, data []byte) {
		entries, err := parseConfig(data)
		if err != nil {
			return
		}
		again, err := parseConfig(formatConfig(entries))
		if err != nil || !slices.Equal(again, entries) {
			t.Fatalf("%q: formatted and read again it is %v, %v; want %v", data, again, err, entries)
		}
		judgeConfig(data, data, nil)
		if git == "" {
			return
		}
		if got := listed(t, git, file, data); !bytes.Equal(blanks(got), blanks(joined(entries))) {
			t.Fatalf("%q: git reads %q, we %q", data, got, joined(entries))
		}
	})
}

// listed is what git reads.
func listed(t *testing.T, git, file string, data []byte) []byte {
	t.Helper()
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(git, "config", "--list", "-z", "--file", file).Output()
	if err != nil {
		t.Fatalf("%q: git does not read it, we do: %v", data, err)
	}
	return out
}

func joined(entries []entry) []byte {
	var out []byte
	for _, e := range entries {
		out = append(out, e.name()...)
		if !e.bare {
			out = append(append(out, '\n'), e.value...)
		}
		out = append(out, 0)
	}
	return out
}

// blanks makes all blanks within values alike: git's versions differ there.
func blanks(p []byte) []byte {
	return bytes.ReplaceAll(bytes.ReplaceAll(p, []byte("\t"), []byte(" ")), []byte("\r"), []byte(" "))
}

// What git reads, we read, but for what parseConfig says.
func TestParseConfigAll(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	file := filepath.Join(t.TempDir(), "config")
	for _, s := range configSeeds {
		_, err := parseConfig([]byte(s))
		if err := os.WriteFile(file, []byte(s), 0o600); err != nil {
			t.Fatal(err)
		}
		gitErr := exec.Command(git, "config", "--list", "--file", file).Run()
		stricter := strings.Contains(s, "\x00") || s == "x = y\n" || s == "[ \"x\"]\ny = z\n"
		if (err == nil) != (gitErr == nil) && !stricter {
			t.Errorf("%q: we say %v, git %v", s, err, gitErr)
		}
	}
}

func TestJudgeConfig(t *testing.T) {
	const base = "[core]\n\tbare = false\n\tpager = less\n[remote \"origin\"]\n\turl = https://a.example/x\n"
	tests := []struct {
		name, now string
		keep      bool
		told      bool
		why       string
	}{
		{"remote added", base + "[remote \"b\"]\n\turl = git@b.example:x\n\tfetch = +refs/heads/*:refs/remotes/b/*\n", true, false, ""},
		{"remote moved", strings.Replace(base, "a.example", "evil.example", 1), true, true, "remote.origin.url"},
		{"branch", base + "[branch \"main\"]\n\tremote = origin\n\tmerge = refs/heads/main\n", true, false, ""},
		{"comment", base + "# core.pager = x\n", true, false, ""},
		{"order of harmless ones", "[remote \"origin\"]\n\turl = https://a.example/x\n[core]\n\tpager = less\n\tbare = false\n", true, false, ""},
		{"pager changed", strings.Replace(base, "less", "evil", 1), false, false, "core.pager"},
		{"pager removed", strings.Replace(base, "\tpager = less\n", "", 1), false, false, "core.pager"},
		{"upper case", base + "[CORE]\n\tFSMonitor = ./x\n", false, false, "core.fsmonitor"},
		{"on one line", base + "[core] sshcommand=x\n", false, false, "core.sshcommand"},
		{"after a comment that ends not", base + "# \\\n[alias]\nst = !x\n", false, false, "alias.st"},
		{"in a value that goes on", base + "[user]\nname = \\\n[alias]\\\nst = x\n", true, false, ""},
		{"unknown", base + "[hook \"x\"]\n\tcommand = y\n", false, false, "hook.x.command"},
		{"include", base + "[include]\n\tpath = x\n", false, false, "include.path"},
		{"includeif", base + "[includeIf \"gitdir:/\"]\n\tpath = x\n", false, false, "includeif.gitdir:/.path"},
		{"instead of", base + "[url \"ext::x\"]\n\tinsteadOf = https://\n", false, false, "url.ext::x.insteadof"},
		{"transport", base + "[remote \"b\"]\n\turl = ext::sh -c x\n", false, false, "remote.b.url"},
		{"transport of a branch", base + "[branch \"b\"]\n\tremote = ext::sh -c x\n", false, false, "branch.b.remote"},
		{"strategy", base + "[branch \"b\"]\n\tmergeoptions = -s x\n", false, false, "branch.b.mergeoptions"},
		{"upload pack", base + "[remote \"b\"]\n\tuploadpack = x\n", false, false, "remote.b.uploadpack"},
		{"submodule", base + "[submodule \"b\"]\n\turl = ../b\n\tactive = true\n", true, false, ""},
		{"submodule's command", base + "[submodule \"b\"]\n\tupdate = !x\n", false, false, "submodule.b.update"},
		{"filter", base + "[filter \"b\"]\n\tclean = x\n", false, false, "filter.b.clean"},
		{"not to be read", base + "[core\n", false, false, "it can't be read as git does"},
		{"a control character", base + "[a \"\x1b[2J\"]\n\tb = x\n", false, false, `a.\x1b[2J.b`},
		{"a second pager", base + "[core]\n\tpager = less\n", false, false, "core.pager"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			v := judgeConfig([]byte(base), []byte(test.now), nil)
			if v.keep != test.keep || v.told != test.told || v.why != test.why {
				t.Errorf("got %+v", v)
			}
		})
	}
}

// What a new configuration loses is what is dangerous, and nothing else.
func TestJudgeNewConfig(t *testing.T) {
	const now = "[core]\n\tbare = false\n\thooksPath = .husky\n[remote \"o \\\"\"]\n\turl = \"a # b\"\n\tpromisor\n"
	v := judgeNewConfig([]byte(now), nil)
	const want = "[core]\n\tbare = \"false\"\n[remote \"o \\\"\"]\n\turl = \"a # b\"\n\tpromisor\n"
	if string(v.harmless) != want || v.why != "core.hookspath" || v.keep {
		t.Errorf("got %q because of %q, want %q", v.harmless, v.why, want)
	}
	if v := judgeNewConfig(v.harmless, nil); !v.keep || v.told {
		t.Errorf("what is left of it is not harmless: %+v", v)
	}
}
