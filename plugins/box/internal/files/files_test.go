package files

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool/tooltest"
)

func TestLikeCoreutils(t *testing.T) {
	files := map[string]string{"a": "hello\n", "b": "two\n", "d/x": "1\n", "d/sub/y": "22\n"}
	tooltest.Compare(t, Commands(), files, []tooltest.Case{
		{"chmod 644 a b d/x d/sub/y", "", "", "", 0},
		{"chmod 755 d d/sub", "", "", "", 0},
		{"cp a c", "", "", "", 0},
		{"cp a", "", "", "cp: missing destination file operand after 'a'\nTry 'cp --help' for more information.\n", 1},
		{"cp", "", "", "cp: missing file operand\nTry 'cp --help' for more information.\n", 1},
		{"cp a missing/c", "", "", "cp: cannot create regular file 'missing/c': No such file or directory\n", 1},
		{"cp d e", "", "", "cp: -r not specified; omitting directory 'd'\n", 1},
		{"cp -r d e", "", "", "", 0},
		{"cp -a d e", "", "", "", 0},
		{"cp a a", "", "", "cp: 'a' and 'a' are the same file\n", 1},
		{"cp -r d d/sub", "", "", "cp: cannot copy a directory, 'd', into itself, 'd/sub/d'\n", 1},
		{"cp -n b c", "", "", "", 0},
		{"cp -v b c", "", "'b' -> 'c'\n", "", 0},
		{"cp -t d a b", "", "", "", 0},
		{"cp -u a c", "", "", "", 0},
		{"cp a b c", "", "", "cp: target 'c': Not a directory\n", 1},
		{"stat -c '%n %s %F %a %A' a c", "", "a 6 regular file 644 -rw-r--r--\nc 4 regular file 644 -rw-r--r--\n", "", 0},
		{"stat -c '%n %i' missing", "", "", "stat: cannot statx 'missing': No such file or directory\n", 1},
		{"stat -c '%N %h %%|%z%' missing", "", "", "stat: cannot statx 'missing': No such file or directory\n", 1},
		{`stat --printf '%s\t%s\n' a`, "", "6\t6\n", "", 0},
		{"stat -c %Q a", "", "?\n", "", 0},
		{"mv c f", "", "", "", 0},
		{"mv a missing/x", "", "", "mv: cannot move 'a' to 'missing/x': No such file or directory\n", 1},
		{"mv -n a b", "", "", "", 0},
		{"mv d e", "", "", "mv: cannot move 'd' to 'e/d': Directory not empty\n", 1},
		{"mv -T f g", "", "", "", 0},
		{"mv g g", "", "", "mv: 'g' and 'g' are the same file\n", 1},
		{"mv", "", "", "mv: missing file operand\nTry 'mv --help' for more information.\n", 1},
		{"ls", "", "a\nb\nd\ne\ng\n", "", 0},
		{"ls -1a", "", ".\n..\na\nb\nd\ne\ng\n", "", 0},
		{"ls -p", "", "a\nb\nd/\ne/\ng\n", "", 0},
		{"ls -R e", "", "e:\nd\nsub\nx\n\ne/d:\nsub\nx\n\ne/d/sub:\ny\n\ne/sub:\ny\n", "", 0},
		{"ls -Q a", "", "\"a\"\n", "", 0},
		{"ls missing a", "", "a\n", "ls: cannot access 'missing': No such file or directory\n", 2},
		{"ls -d e e/d", "", "e\ne/d\n", "", 0},
		{"ls -m", "", "a, b, d, e, g\n", "", 0},
		{"ls -r", "", "g\ne\nd\nb\na\n", "", 0},
		{"ls -S e/d", "", "sub\nx\n", "", 0},
		{"ls --color=always -d e", "", "e\n", "", 0},
		{"ls -w 20 e/d", "", "sub\nx\n", "", 0},
		{"ls --sort=x", "", "", "ls: invalid argument ‘x’ for ‘--sort’\nValid arguments are:\n  - ‘none’\n  - ‘time’\n  - ‘size’\n  - ‘extension’\n  - ‘version’\n  - ‘width’\nTry 'ls --help' for more information.\n", 1},
		{"ls -x -w 20", "", "a  b  d  e  g\n", "", 0},
		{"ln -s a l", "", "", "", 0},
		{"ln -s a l", "", "", "ln: failed to create symbolic link 'l': File exists\n", 1},
		{"ln -sf b l", "", "", "", 0},
		{"ln -s missing dangling", "", "", "", 0},
		{"ln a hard", "", "", "", 0},
		{"ln missing x", "", "", "ln: failed to access 'missing': No such file or directory\n", 1},
		{"ln -s", "", "", "ln: missing file operand\nTry 'ln --help' for more information.\n", 1},
		{"readlink l", "", "b\n", "", 0},
		{"readlink a", "", "", "", 1},
		{"readlink -f l/x", "", "", "", 1},
		{"readlink -n l", "", "b", "", 0},
		{"readlink -e dangling", "", "", "", 1},
		{"realpath --relative-to=e a", "", "../a\n", "", 0},
		{"realpath -m --relative-to=. no/such/../file", "", "no/file\n", "", 0},
		{"realpath missing/file", "", "", "realpath: missing/file: No such file or directory\n", 1},
		{"realpath -s --relative-to=. l", "", "l\n", "", 0},
		{"stat -c '%n %h %F' hard l", "", "hard 2 regular file\nl 1 symbolic link\n", "", 0},
		{"ls -F", "", "a\nb\nd/\ndangling@\ne/\ng\nhard\nl@\n", "", 0},
		{"mkdir n", "", "", "", 0},
		{"mkdir n", "", "", "mkdir: cannot create directory ‘n’: File exists\n", 1},
		{"mkdir -p n/o/p", "", "", "", 0},
		{"mkdir -v -p n/q/r", "", "mkdir: created directory 'n/q'\nmkdir: created directory 'n/q/r'\n", "", 0},
		{"mkdir -m 700 s", "", "", "", 0},
		{"mkdir -m x t", "", "", "mkdir: invalid mode ‘x’\n", 1},
		{"mkdir missing/x", "", "", "mkdir: cannot create directory ‘missing/x’: No such file or directory\n", 1},
		{"stat -c %a s", "", "700\n", "", 0},
		{"rmdir n", "", "", "rmdir: failed to remove 'n': Directory not empty\n", 1},
		{"rmdir -p n/o/p", "", "", "rmdir: failed to remove directory 'n': Directory not empty\n", 1},
		{"rmdir -v n/q/r n/q n/o", "", "rmdir: removing directory, 'n/q/r'\nrmdir: removing directory, 'n/q'\nrmdir: removing directory, 'n/o'\n", "rmdir: failed to remove 'n/o': No such file or directory\n", 1},
		{"rm missing", "", "", "rm: cannot remove 'missing': No such file or directory\n", 1},
		{"rm -f missing", "", "", "", 0},
		{"rm e", "", "", "rm: cannot remove 'e': Is a directory\n", 1},
		{"rm -d e", "", "", "rm: cannot remove 'e': Directory not empty\n", 1},
		{"rm -v hard", "", "removed 'hard'\n", "", 0},
		{"rm -rv s", "", "removed directory 's'\n", "", 0},
		{"rm -r .", "", "", "rm: refusing to remove '.' or '..' directory: skipping '.'\n", 1},
		{"rm", "", "", "rm: missing operand\nTry 'rm --help' for more information.\n", 1},
		{"rm -f", "", "", "", 0},
		{"touch -d '2020-01-02 03:04:05' a", "", "", "", 0},
		{"stat -c %y a", "", "2020-01-02 03:04:05.000000000 +0000\n", "", 0},
		{"touch -c nothing", "", "", "", 0},
		{"touch -r a b", "", "", "", 0},
		{"stat -c %Y b", "", "1577934245\n", "", 0},
		{"touch -t 202001020304.05 b", "", "", "", 0},
		{"touch -t x b", "", "", "touch: invalid date format ‘x’\n", 1},
		{"touch -d nonsense b", "", "", "touch: invalid date format ‘nonsense’\n", 1},
		{"touch", "", "", "touch: missing file operand\nTry 'touch --help' for more information.\n", 1},
		{"truncate -s 10 a", "", "", "", 0},
		{"truncate -s +5 a", "", "", "", 0},
		{"truncate -s -3 a", "", "", "", 0},
		{"truncate -s '%5' a", "", "", "", 0},
		{"truncate -s '/4' a", "", "", "", 0},
		{"truncate -s '>100' b", "", "", "", 0},
		{"truncate -s '<50' b", "", "", "", 0},
		{"truncate -s x a", "", "", "truncate: Invalid number: ‘x’\n", 1},
		{"truncate a", "", "", "truncate: you must specify either ‘--size’ or ‘--reference’\nTry 'truncate --help' for more information.\n", 1},
		{"truncate -s 0 -r a a", "", "", "truncate: you must specify a relative ‘--size’ with ‘--reference’\nTry 'truncate --help' for more information.\n", 1},
		{"stat -c '%n %s' a b", "", "a 12\nb 50\n", "", 0},
		{"chmod u+x,go-r a", "", "", "", 0},
		{"chmod -v 600 a", "", "mode of 'a' changed from 0700 (rwx------) to 0600 (rw-------)\n", "", 0},
		{"chmod -c 600 a", "", "", "", 0},
		{"chmod x a", "", "", "chmod: invalid mode: ‘x’\nTry 'chmod --help' for more information.\n", 1},
		{"chmod 644 missing", "", "", "chmod: cannot access 'missing': No such file or directory\n", 1},
		{"chmod", "", "", "chmod: missing operand\nTry 'chmod --help' for more information.\n", 1},
		{"chmod -R a+X e", "", "", "", 0},
		{"stat -c '%a %n' a e", "", "600 a\n755 e\n", "", 0},
		{"du --apparent-size -s -B1 e/d/x", "", "2\te/d/x\n", "", 0},
		{"du -d x e", "", "", "du: invalid maximum depth ‘x’\nTry 'du --help' for more information.\n", 1},
		{"du missing", "", "", "du: cannot access 'missing': No such file or directory\n", 1},
		{"install -m 600 a in", "", "", "", 0},
		{"install -d in1/in2", "", "", "", 0},
		{"install -D a in3/in4", "", "", "", 0},
		{"install a", "", "", "install: missing destination file operand after 'a'\nTry 'install --help' for more information.\n", 1},
		{"stat -c '%n %a' in in1/in2 in3/in4", "", "in 600\nin1/in2 755\nin3/in4 755\n", "", 0},
		{"mktemp --dry-run -p . XX", "", "", "mktemp: too few X's in template ‘XX’\n", 1},
		{"mktemp a.XXXX.b.c/d", "", "", "mktemp: invalid suffix ‘.b.c/d’, contains directory separator\n", 1},
		{"unlink l", "", "", "", 0},
		{"unlink l", "", "", "unlink: cannot unlink 'l': No such file or directory\n", 1},
		{"unlink a b", "", "", "unlink: extra operand ‘b’\nTry 'unlink --help' for more information.\n", 1},
		{"link a hard2", "", "", "", 0},
		{"link a", "", "", "link: missing operand after ‘a’\nTry 'link --help' for more information.\n", 1},
	})
}

// Links that lead in circles, and out of what is copied or removed, are not followed.
func TestLinks(t *testing.T) {
	dir := tooltest.Dir(t, map[string]string{"d/f": "1\n", "kept/k": "2\n"})
	for name, target := range map[string]string{"d/up": "..", "d/self": "self", "d/out": "../kept"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		line   string
		status int
		stderr string
	}{
		{"cp -r d copy", 0, ""},
		{"cp -rL d deep", 1, "cp: cannot stat 'd/self': Too many levels of symbolic links\n"},
		{"chmod -R a+r d", 0, ""},
		{"ls -R d", 0, ""},
		{"du -s d", 0, ""},
		{"rm -r d", 0, ""},
		{"rm -r copy", 0, ""},
		{"cp missing/self x", 1, "cp: cannot stat 'missing/self': No such file or directory\n"},
	} {
		got := tooltest.Run(Commands(), dir, "", strings.Fields(c.line)...)
		if got.Status != c.status || !strings.Contains(got.Stderr, c.stderr) {
			t.Errorf("%s: got %d, %q, want %d, %q", c.line, got.Status, got.Stderr, c.status, c.stderr)
		}
		if c.line == "cp -r d copy" {
			if target, err := os.Readlink(filepath.Join(dir, "copy/up")); target != ".." {
				t.Errorf("got %q, %v, want a copy of the link", target, err)
			}
		}
	}
	if p, err := os.ReadFile(filepath.Join(dir, "kept/k")); string(p) != "2\n" {
		t.Errorf("got %q, %v of what lies behind a link, want it kept", p, err)
	}
}

// A tree that is deeper than a name may be long is removed and listed, with a clear error at worst.
func TestDeep(t *testing.T) {
	dir := t.TempDir()
	deep := strings.Repeat("d/", 200)
	if err := os.MkdirAll(filepath.Join(dir, deep), 0o777); err != nil {
		t.Fatal(err)
	}
	if got := tooltest.Run(Commands(), dir, "", "du", "-s", "d"); got.Status != 0 {
		t.Errorf("du: got %d, %.200q", got.Status, got.Stderr)
	}
	if got := tooltest.Run(Commands(), dir, "", "ls", "-R", "d"); strings.Count(got.Stdout, ":") != 200 {
		t.Errorf("ls: got %d, %.200q", got.Status, got.Stderr)
	}
	if got := tooltest.Run(Commands(), dir, "", "rm", "-r", "d"); got.Status != 0 {
		t.Errorf("rm: got %d, %.200q", got.Status, got.Stderr)
	}
	if _, err := os.Lstat(filepath.Join(dir, "d")); !os.IsNotExist(err) {
		t.Errorf("got %v, want it gone", err)
	}
}

// Names of any bytes are shown so that a shell and a terminal are safe from them.
func TestHostileNames(t *testing.T) {
	for _, name := range []string{"a b", "-x", "$(id)", "'", "\x1b[31m", "a\nb", "\xff"} {
		dir := tooltest.Dir(t, map[string]string{name: "x"})
		for _, line := range [][]string{{"ls", "-Q"}, {"rm", "-v", "--", name}, {"stat", "-c", "%N", "--", name}} {
			got := tooltest.Run(Commands(), dir, "", line...)
			if text := got.Stdout + got.Stderr; strings.ContainsAny(strings.TrimSuffix(text, "\n"), "\x1b\n") {
				t.Errorf("%q: got %q, which has control characters", line, text)
			}
		}
	}
}
