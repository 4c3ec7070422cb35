package realtools_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestClang compiles, links and runs programs of C and C++ with the clang of our index, which is
// downloaded and compiled for minutes: TERRARIUM_LONG=1 asks for it.
func TestClang(t *testing.T) {
	if os.Getenv("TERRARIUM_LONG") != "1" {
		t.Skip("takes minutes: TERRARIUM_LONG=1 runs it")
	}
	environ := append(os.Environ(), "XDG_CACHE_HOME="+cache, "XDG_DATA_HOME="+t.TempDir())
	add := exec.Command(binary, "plugins", "add", "--yes", "clang")
	add.Env = environ
	if out, err := add.CombinedOutput(); err != nil {
		t.Fatalf("add: %v\n%s", err, out)
	}
	root := t.TempDir()
	for name, text := range map[string]string{
		"p/a.c":  "#include <stdio.h>\n#include <math.h>\n#include \"b.h\"\nint main(int n, char **args) { printf(\"%d %.0f %s\\n\", B, sqrt(b()), args[n - 1]); return 3; }\n",
		"b.c":    "int b(void) { return 49; }\n",
		"i/b.h":  "#define B X\nint b(void);\n",
		"c.cc":   "#include <iostream>\n#include <vector>\nint main() { std::vector<int> v{1, 2}; for (int i : v) std::cout << i << std::endl; }\n",
		"bad.c":  "int main( { }\n",
		"half.c": "int half(void); int main() { return half(); }\n",
		"s.c":    "#include <signal.h>\n#include <time.h>\n#include <stdio.h>\nstatic void h(int s) { printf(\"%d\\n\", s); }\nint main() { signal(SIGINT, h); return raise(SIGINT) || clock() < 0; }\n",
	} {
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		line, want string
		status     int
	}{
		{"cc -DX=5 -I ../i -o x a.c ../b.c -lm && ./x y", "5 7 y\n", 3},
		{"gcc -O2 -g -Wall -DX=1 -I" + root + "/i -c " + root + "/p/a.c && cc -c ../b.c && cc a.o b.o && ./a.out", "1 7 ./a.out\n", 3},
		{"echo 'int main() { return 9; }' | clang -x c - -o z; ./z", "", 9},
		{"cc -E -P ../b.c; cc -S -o - ../b.c | grep -c 'i32.const.*49'", "int b(void) { return 49; }\n1\n", 0},
		{"g++ -o cpp ../c.cc && ./cpp", "1\n2\n", 0},
		{"cc -Wall -Werror -o s ../s.c && ./s", "2\n", 0},
		{"cc nosuch.c 2>&1", "clang: error: no such file or directory: 'nosuch.c'\n", 1},
		{"cc 2>&1", "clang: error: no input files\n", 1},
		{"cc ../bad.c ../b.c 2>/dev/null", "", 1},
		{"cc ../half.c 2>&1 | sed 's/^.*error: //' | tail -1", "linker command failed with exit code 1 (use -v to see invocation)\n", 0},
		{"ls /tmp | grep cc-; ls", "a.c\na.o\na.out\nb.o\ncpp\ns\nx\nz\n", 0},
	} {
		cmd := exec.Command(binary, "run", "--host", "wasm", "--mount", root, "--cwd", filepath.Join(root, "p"), "--", "bash", "-c", test.line)
		cmd.Env = environ
		out, err := cmd.Output()
		if cmd.ProcessState == nil {
			t.Fatal(err)
		}
		if status := cmd.ProcessState.ExitCode(); string(out) != test.want || status != test.status {
			t.Errorf("%s: got status %d, %q, want %d, %q", test.line, status, out, test.status, test.want)
		}
	}
}
