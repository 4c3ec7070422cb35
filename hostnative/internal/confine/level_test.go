package confine

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLevels(t *testing.T) {
	for _, want := range []Level{Off, Workspace, Strict} {
		if got, err := ParseLevel(want.String()); got != want || err != nil {
			t.Errorf("got %v, %v, want %v", got, err, want)
		}
	}
	_, err := ParseLevel("Strict")
	for _, want := range []string{`"Strict"`, "off", "workspace", "strict"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s in it", err, want)
		}
	}
	if got := Level(7).String(); got != "Level(7)" {
		t.Errorf("got %q", got)
	}
}

// Bad rules are told by the path.
func TestCheck(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"root", "home/.ssh/in", "home/.cache/terrarium/in", "home/.config/terrarium", "else/own"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(dir+"/file", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{"link": "root", "root/inner": "else", "late": "root/inner/own", "secret": "home/.ssh/in", "owned": "home/.config/terrarium"} {
		if err := os.Symlink(filepath.Join(dir, target), filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/", dir+"/all"); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name  string
		rules Rules
		want  string // in the error, D for dir; empty for none
	}{
		{"nothing", Rules{}, ""},
		{"off does not look", Rules{Level: Off, Roots: []string{"x"}}, ""},
		{"level", Rules{Level: 3}, "level Level(3): want off, workspace or strict"},
		{"negative level", Rules{Level: -1}, "Level(-1)"},
		{"good", Rules{Roots: []string{"D/root"}, Write: []string{"D/link"}, Private: "D/root"}, ""},
		{"relative root", Rules{Roots: []string{"root"}}, `root "root": not an absolute path`},
		{"empty root", Rules{Roots: []string{""}}, `root "": not an absolute path`},
		{"missing root", Rules{Roots: []string{"D/root", "D/none"}}, `root "D/none": no such file or directory`},
		{"root is a file", Rules{Roots: []string{"D/file"}}, `root "D/file": not a directory`},
		{"below a file", Rules{Roots: []string{"D/file/x"}}, `root "D/file/x": not a directory`},
		{"zero byte", Rules{Roots: []string{"D/\x00"}}, `zero byte`},
		{"missing write", Rules{Write: []string{"D/none"}}, `writable directory "D/none": no such file`},
		{"relative private", Rules{Private: "p"}, `private directory "p": not an absolute path`},
		{"relative home", Rules{Home: "h"}, `"h": not an absolute path`},
		{"relative hide", Rules{Hide: []string{"h"}}, `"h": not an absolute path`},
		{"relative own", Rules{Own: []string{"h"}}, `"h": not an absolute path`},
		{"relative read", Rules{Read: []string{"h"}}, `"h": not an absolute path`},
		{"root in a hidden one", Rules{Roots: []string{"D/home/.ssh/in"}}, ""},
		{"root is a hidden one", Rules{Roots: []string{"D/home/.ssh"}}, ""},
		{"link to a hidden one", Rules{Roots: []string{"D/secret"}}, `root "D/secret": it leads to "D/home/.ssh/in", which is hidden`},
		{"a link that a command may have made", Rules{Roots: []string{"D/root"}, Write: []string{"D/root/inner"}}, `writable directory "D/root/inner": "D/root/inner" is a link in a directory that commands can write: name "D/else" itself`},
		{"a link to such a link", Rules{Roots: []string{"D/late", "D/link"}}, `root "D/late": "D/root/inner" is a link`},
		{"a link that no command of these rules has made", Rules{Roots: []string{"D/late"}}, ""},
		{"what a link leads to", Rules{Roots: []string{"D/root", "D/else"}}, ""},
		{"our own", Rules{Roots: []string{"D/home/.config/terrarium"}}, `root "D/home/.config/terrarium": it is among Terrarium's own files`},
		{"in our own", Rules{Write: []string{"D/home/.cache/terrarium/in"}}, `own files`},
		{"link to our own", Rules{Roots: []string{"D/owned"}}, `own files`},
		{"our own elsewhere", Rules{Roots: []string{"D/else/own"}, Own: []string{"D/else"}}, `own files`},
		{"private in our own", Rules{Private: "D/home/.cache/terrarium/in"}, ""},
		{"above our own", Rules{Roots: []string{"D/home"}}, ""},
		{"everything", Rules{Roots: []string{"/"}}, `root "/": it is the root directory`},
		{"everything by a link", Rules{Write: []string{"D/all"}}, `writable directory "D/all": it is the root directory`},
		{"everything by another name", Rules{Roots: []string{"/proc/self/root"}}, `it is the root directory`},
		{"the kernel's", Rules{Roots: []string{"/proc/self"}}, `what is in /proc is the kernel's`},
		{"private in the kernel's", Rules{Private: "/sys"}, `what is in /sys is the kernel's`},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := test.rules
			in := func(paths []string) {
				for i, p := range paths {
					paths[i] = strings.ReplaceAll(p, "D/", dir+"/")
				}
			}
			in(r.Roots)
			in(r.Write)
			in(r.Own)
			r.Private = strings.ReplaceAll(r.Private, "D/", dir+"/")
			if r.Home == "" {
				r.Home = dir + "/home"
			}
			if r.Level == Off && !strings.Contains(test.name, "off") && test.name != "nothing" {
				r.Level = Workspace
			}
			err := r.Check()
			want := strings.ReplaceAll(test.want, "D/", dir+"/")
			if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Errorf("got %v, want %q", err, want)
			}
		})
	}
}

// Programs are found with what is around them, and no variable hands over everything.
func TestToolchains(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"links", "go1/bin", "home/bin", "home/.local/bin", "home/.node/bin"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"go1/bin/go", "home/bin/go", "home/.local/bin/go", "home/.node/bin/node"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(dir+"/go1/bin/go", dir+"/links/go"); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{
		"HOME": dir + "/home", "GOROOT": "/go", "PYENV_ROOT": "relative", "GOPATH": "/g:/h",
		"PATH": "D/links:D/home:.:/:" + "D:D/home/:D/home/bin:D/home/.local/bin:D/home/.node/bin",
	}
	env["PATH"] = strings.ReplaceAll(env["PATH"], "D", dir)
	got := strings.ReplaceAll(strings.Join(Toolchains(func(name string) string { return env[name] }), " "), dir, "D")
	if want := "/go D/links D/go1 D/home/bin D/home/.local/bin D/home/.node/bin D/home/.node /g/pkg/mod"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
