package tests

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/coder/acp-go-sdk"
)

// served runs a shell line by a server and returns its output. It must exit with 0.
func (t *sdkTest) served(r acp.CreateTerminalRequest) string {
	t.Helper()
	id := t.create(r)
	if id == "" {
		return ""
	}
	exit, err := t.conn.WaitForTerminalExit(t.ctx, acp.WaitForTerminalExitRequest{SessionId: "s", TerminalId: id})
	if err != nil {
		t.Fatal(err)
	}
	output, err := t.conn.TerminalOutput(t.ctx, acp.TerminalOutputRequest{SessionId: "s", TerminalId: id})
	if err != nil {
		t.Fatal(err)
	}
	if exit.ExitCode == nil || *exit.ExitCode != 0 {
		t.Errorf("%s: got %v, want 0\n%s", r.Command, exit, output.Output)
	}
	return output.Output
}

// secrets are what our environment has that commands should not see, by a shell's export.
const secrets = `export DEPLOY_TOKEN=by-name npm_config__authToken=by-name SOME_OTHER=by-no-name https_proxy=http://me:by-value@127.0.0.1:1; `

// TestEnvironment has served commands see what they need of our environment, and no secret.
func TestEnvironment(t *testing.T) {
	names := func(output string) (list []string) {
		for line := range strings.Lines(output) {
			for _, name := range []string{"DEPLOY_TOKEN", "npm_config__authToken", "SOME_OTHER", "https_proxy", "GOFLAGS"} {
				if strings.HasPrefix(line, name+"=") {
					list = append(list, name)
				}
			}
		}
		slices.Sort(list)
		return list
	}
	for _, test := range []struct {
		args []string
		want string
	}{
		{nil, "[GOFLAGS]"},
		{[]string{"--env", "DEPLOY_TOKEN"}, "[DEPLOY_TOKEN GOFLAGS]"},
		{[]string{"--env", "https_proxy", "--env", "SOME_OTHER"}, "[GOFLAGS SOME_OTHER https_proxy]"},
		{[]string{"--env-inherit"}, "[DEPLOY_TOKEN GOFLAGS SOME_OTHER https_proxy npm_config__authToken]"},
	} {
		t.Run(strings.Join(test.args, " "), func(t *testing.T) {
			t.Parallel()
			s := serveWith(t, secrets+`export GOFLAGS=-mod=mod; exec "$@"`, test.args...)
			output := s.served(acp.CreateTerminalRequest{Command: "env"})
			if got := fmt.Sprint(names(output)); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
			if len(test.args) == 0 && strings.Contains(output, "by-") {
				t.Errorf("got a secret:\n%s", output)
			}
		})
	}
}

// TestRefusedVariables: an agent can't change what programs do by variables beside its command, but
// what a person has set it may send as well.
func TestRefusedVariables(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(dir, "script")
	if err := os.WriteFile(script, []byte("echo hijacked\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	variables := func(kv ...string) (list []acp.EnvVariable) {
		for _, v := range kv {
			name, value, _ := strings.Cut(v, "=")
			list = append(list, acp.EnvVariable{Name: name, Value: value})
		}
		return list
	}
	s := serveWith(t, `export GOFLAGS=-overlay=x; exec "$@"`, "--env", "PYTHONPATH=ours")
	for _, v := range []string{"BASH_ENV=" + script, "LD_PRELOAD=" + script, "NODE_OPTIONS=--require=" + script, "PYTHONPATH=theirs", "GOFLAGS=-overlay=y", "HOME=" + dir} {
		_, err := s.conn.CreateTerminal(s.ctx, acp.CreateTerminalRequest{SessionId: "s", Command: "true", Env: variables("A=1", v)})
		s.wantError(err, -32603, "denied")
		name, _, _ := strings.Cut(v, "=")
		if err == nil || !strings.Contains(err.Error(), "env: "+name+": ") || !strings.Contains(err.Error(), "--env "+name+"=VALUE") {
			t.Errorf("%s: got %v, want its name and what can be done", v, err)
		}
	}
	output := s.served(acp.CreateTerminalRequest{
		Command: `echo "$PAGER $EDITOR $PYTHONPATH $GOFLAGS $A"`,
		Env:     variables("PAGER=cat", "EDITOR=true", "PYTHONPATH=ours", "GOFLAGS=-overlay=x", "A=1", "LD_PRELOAD="),
	})
	if want := "cat true ours -overlay=x 1\n"; output != want {
		t.Errorf("got %q, want %q", output, want)
	}

	// A rule can allow one by its name. What a person has given is no agent's, so it does not keep
	// other rules from holding.
	rules := filepath.Join(dir, "policy.toml")
	const text = "default = \"deny\"\n[[rule]]\nid = \"echo\"\nargv = [\"echo\", \"**\"]\ndecision = \"allow\"\nenv_assign = [\"PYTHONPATH\"]\n" +
		"[[rule]]\nid = \"true\"\nargv = [\"true\"]\ndecision = \"allow\"\n"
	if err := os.WriteFile(rules, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	ruled := serveWith(t, `exec "$@"`, "--policy", rules, "--env", "PERL5LIB=ours")
	output = ruled.served(acp.CreateTerminalRequest{Command: `echo "$PYTHONPATH $PERL5LIB"`, Env: variables("PYTHONPATH=theirs")})
	if want := "theirs ours\n"; output != want {
		t.Errorf("with a rule that names it: got %q, want %q", output, want)
	}
	for _, v := range []string{"PERL5LIB=theirs", "PYTHONHOME=theirs"} {
		_, err := ruled.conn.CreateTerminal(ruled.ctx, acp.CreateTerminalRequest{SessionId: "s", Command: "true", Env: variables(v)})
		ruled.wantError(err, -32603, "denied")
	}

	inherit := serveWith(t, `exec "$@"`, "--env-inherit")
	output = inherit.served(acp.CreateTerminalRequest{Command: "true; :", Env: variables("BASH_ENV=" + script)})
	if exec.Command("bash", "-c", "").Run() == nil && output != "hijacked\n" {
		t.Errorf("--env-inherit: got %q, want what BASH_ENV does", output)
	}
}

// TestEnvironmentTools has the tools that docs/environment.md names work with what commands see of
// our environment.
func TestEnvironmentTools(t *testing.T) {
	root := t.TempDir()
	const fakeSSH = "#!/bin/sh\n" + `[ "$SSH_AUTH_SOCK" = /no/such/socket ] || { echo "no agent" >&2; exit 1; }` + "\n" + `eval "exec $2"` + "\n"
	for name, text := range map[string]string{
		"go/go.mod":           "module example.com/x\n",
		"go/x_test.go":        "package x\n\nimport \"testing\"\n\nfunc Test(t *testing.T) {}\n",
		"npm/package.json":    `{"name": "x", "version": "1.0.0", "scripts": {"hello": "echo cache is $npm_config_cache"}, "dependencies": {"y": "file:../y"}}`,
		"y/package.json":      `{"name": "y", "version": "1.0.0"}`,
		"cargo/Cargo.toml":    "[package]\nname = \"x\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
		"cargo/src/main.rs":   "fn main() { println!(\"from cargo\") }\n",
		"bin/ssh-of-the-user": fakeSSH,
		"py/empty":            "",
		"git/empty":           "",
	} {
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		dir   string
		tools []string
		setup string // of the environment, by its person's shell
		line  string
		want  string // in the output
	}{
		{"go", []string{"go"}, "export GOFLAGS=-mod=mod GOTOOLCHAIN=local GOPROXY=off GOPRIVATE=example.com", "go test ./... && go env GOFLAGS GOPRIVATE",
			"-mod=mod\nexample.com\n"},
		{"npm", []string{"npm", "node"}, "export npm_config_cache=" + root + "/cache npm_config_offline=true npm_config_fund=false",
			"npm install && npm run hello", "cache is " + root + "/cache\n"},
		{"cargo", []string{"cargo", "rustc", "cc"}, "export CARGO_NET_OFFLINE=true CARGO_TARGET_DIR=" + root + "/target", "cargo run -q && ls " + root + "/target", "from cargo\n"},
		{"py", []string{"python3"}, "true", "python3 -m venv --without-pip .venv && . .venv/bin/activate && python -c 'import sys; print(sys.prefix)'",
			"/py/.venv\n"},
		{"py", []string{"python3"}, "python3 -m venv --without-pip active && . active/bin/activate", `python -c 'import sys; print(sys.prefix)' && echo "$VIRTUAL_ENV"`, "/py/active\n"},
		{"git", []string{"git"}, "export SSH_AUTH_SOCK=/no/such/socket GIT_SSH_COMMAND=" + root + "/bin/ssh-of-the-user GIT_AUTHOR_NAME=Ann GIT_AUTHOR_EMAIL=ann@example.com GIT_COMMITTER_NAME=Ann GIT_COMMITTER_EMAIL=ann@example.com",
			"git init -q a && git -C a commit -q --allow-empty -m one && git clone -q --no-local ssh://host" + root + "/git/a b && git -C b log --format=%an-%s", "Ann-one\n"},
	} {
		t.Run(strings.Join(test.tools, " "), func(t *testing.T) {
			t.Parallel()
			for _, tool := range test.tools {
				if out, err := exec.Command(tool, versionFlag(tool)).CombinedOutput(); err != nil {
					t.Skipf("NOT RUN: no %s here: %v %s", tool, err, out)
				}
			}
			dir := filepath.Join(root, test.dir)
			s := serveWith(t, "cd "+dir+" && "+test.setup+"; "+secrets+`unset https_proxy; exec "$@"`)
			output := s.served(acp.CreateTerminalRequest{Command: test.line, Cwd: &dir})
			if !strings.Contains(output, test.want) {
				t.Errorf("%s: got %q, want %q in it", test.line, output, test.want)
			}
		})
	}
}

func versionFlag(tool string) string {
	if tool == "go" {
		return "version"
	}
	return "--version"
}

// TestEnvironmentHidden: what a command is not given it does not find in /proc either, in what we
// are and have started, but for who has started us. Root may read all.
func TestEnvironmentHidden(t *testing.T) {
	if _, err := os.Stat("/proc/self/environ"); err != nil {
		t.Skip(err)
	}
	line, _ := asNobody(t)
	s := serveWith(t, secrets+`shift; set -- terrarium "$@"; `+line)
	output := s.served(acp.CreateTerminalRequest{Command: `pid=$PPID; for i in keeper terrarium; do
		cat /proc/$pid/comm; tr '\0' '\n' </proc/$pid/environ | grep -c DEPLOY_TOKEN; pid=$(sed -n 's/^PPid:[^0-9]*//p' /proc/$pid/status)
	done`})
	if got := strings.Count(output, "\n0\n"); !strings.Contains(output, "terrarium-keep\n") || !strings.Contains(output, "terrarium\n") || got != 2 {
		t.Errorf("got %q, want nothing of our environment", output)
	}
}

// asNobody returns a shell's line that runs its arguments as a user who is not root, with a
// terrarium in PATH, and a directory of that user.
func asNobody(t *testing.T) (line, dir string) {
	t.Helper()
	dir = t.TempDir()
	if os.Getuid() != 0 {
		return `exec "$@"`, dir
	}
	if err := exec.Command("setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "true").Run(); err != nil {
		t.Skipf("NOT RUN: no setpriv: %v", err)
	}
	for _, d := range []string{filepath.Dir(dir), dir} {
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chown(dir, 65534, 65534); err != nil {
		t.Fatal(err)
	}
	return "cd " + dir + ` && cp "$(command -v terrarium)" terrarium && HOME=$PWD PATH=$PWD:$PATH exec setpriv --reuid 65534 --regid 65534 --clear-groups "$@"`, dir
}
