//go:build linux || darwin

package rulebook_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/rulebook"
	"github.com/terrarium-dev/terrarium/core/policy"
)

// Whoever may write a file of rules, or one of the directories that lead to it, is told of.
func TestExposed(t *testing.T) {
	for what, test := range map[string]struct {
		change func(dir string) (file string)
		layer  policy.Layer
		want   string // "" for nothing
		root   bool   // only root can make it so
	}{
		"private": {func(dir string) string { return dir + "/own/rules.toml" }, policy.User, "", false},
		"file": {func(dir string) string {
			os.Chmod(dir+"/own/rules.toml", 0o666)
			return dir + "/own/rules.toml"
		}, policy.User, "rules.toml: other users may write it (-rw-rw-rw-): chmod go-w", false},
		"directory": {func(dir string) string { return dir + "/open/rules.toml" }, policy.User,
			"its directory DIR/open: other users may write it (-rwxrwxrwx): chmod go-w", false},
		"above": {func(dir string) string { return dir + "/open/below/rules.toml" }, policy.User,
			"its directory DIR/open: other users may write it (-rwxrwxrwx): chmod go-w", false},
		"sticky": {func(dir string) string { return dir + "/sticky/rules.toml" }, policy.User, "", false},
		"link": {func(dir string) string {
			os.Symlink("../own/rules.toml", dir+"/open/link")
			return dir + "/open/link"
		}, policy.User, "its directory DIR/open: ", false},
		"link to a link": {func(dir string) string {
			os.Symlink("../own/rules.toml", dir+"/open/link")
			os.Symlink(dir+"/open/link", dir+"/own/link")
			return dir + "/own/link"
		}, policy.User, "its directory DIR/open: ", false},
		"link of a directory": {func(dir string) string {
			os.Symlink("../own", dir+"/open/to")
			return dir + "/open/to/rules.toml"
		}, policy.User, "its directory DIR/open: ", false},
		"link of a directory to a link": {func(dir string) string {
			os.Symlink(dir+"/own", dir+"/open/to")
			os.Symlink("open/to", dir+"/to")
			return dir + "/to/rules.toml"
		}, policy.User, "its directory DIR/open: ", false},
		"link that turns back": {func(dir string) string {
			os.Symlink("open/below", dir+"/below")
			os.Symlink(dir+"/below/../rules.toml", dir+"/own/back")
			return dir + "/own/back"
		}, policy.User, "its directory DIR/open: ", false},
		"link in a circle": {func(dir string) string {
			os.Symlink("circle", dir+"/own/circle")
			return dir + "/own/circle"
		}, policy.User, "circle: ", false},
		"another's": {func(dir string) string {
			os.Chown(dir+"/own/rules.toml", 1234, 1234)
			return dir + "/own/rules.toml"
		}, policy.User, "rules.toml: it belongs to another user", true},
		"in another's": {func(dir string) string {
			os.Chown(dir+"/own", 1234, 1234)
			return dir + "/own/rules.toml"
		}, policy.Managed, "its directory DIR/own: it does not belong to root", true},
		"in another's sticky": {func(dir string) string {
			os.Chown(dir+"/sticky", 1234, 1234)
			os.Chmod(dir+"/sticky", os.ModeSticky|0o777)
			return dir + "/sticky/rules.toml"
		}, policy.User, "its directory DIR/sticky: it belongs to another user", true},
		"root's": {func(dir string) string { return dir + "/own/rules.toml" }, policy.Managed, "", true},
	} {
		t.Run(what, func(t *testing.T) {
			if test.root && os.Geteuid() != 0 {
				t.Skip("NOT RUN: it takes root")
			}
			dir, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"own", "open", "open/below", "sticky"} {
				if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, name, "rules.toml"), nil, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			os.Chmod(dir+"/open", 0o777)
			os.Chmod(dir+"/sticky", os.ModeSticky|0o777)
			file := test.change(dir)
			got := ""
			if err := rulebook.Exposed(file, test.layer, nil); err != nil {
				got = err.Error()
			}
			want := strings.ReplaceAll(test.want, "DIR", dir)
			if (want == "") != (got == "") || !strings.Contains(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}
