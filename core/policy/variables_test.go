package policy

import (
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/core"
)

func TestChangesPrograms(t *testing.T) {
	for _, v := range strings.Split(`LD_PRELOAD=./x.so
LD_LIBRARY_PATH=/tmp
LD_AUDIT=x
LD_ANY_OTHER=x
DYLD_INSERT_LIBRARIES=x
BASH_ENV=./x
ENV=./x
SHELLOPTS=xtrace
BASHOPTS=extdebug
PS4=$(id)
PS1=\044(id)
PROMPT_COMMAND=id
BASH_FUNC_ls%%=() { id; }
IFS=/
IFS=
PATH=.:/usr/bin
PATH=
PATH=/usr/bin:
PATH=bin
HOME=/tmp/x
HOME=
XDG_CONFIG_HOME=/tmp/x
SHELL=./sh
GIT_SSH_COMMAND=./x
GIT_SSH=./x
GIT_EXTERNAL_DIFF=./x
GIT_PAGER=./x
PAGER=./x
PAGER=cat x
GIT_EDITOR=./x
EDITOR=vim
VISUAL=./x
GIT_CONFIG_COUNT=1
GIT_CONFIG_KEY_0=core.fsmonitor
GIT_CONFIG_PARAMETERS='core.pager=x'
GIT_CONFIG_GLOBAL=./x
GIT_CONFIG=x
GIT_TRACE=/home/x/.profile
GIT_ASKPASS=./x
GIT_DIR=/tmp/x
GIT_TEMPLATE_DIR=/tmp/x
SSH_ASKPASS=./x
NODE_OPTIONS=--require ./x.js
NODE_OPTIONS=--max-old-space-size=4096 --import=./x.mjs
NODE_PATH=/tmp
PYTHONSTARTUP=./x
PYTHONPATH=src
PYTHONHOME=/tmp
PYTHONWARNINGS=all:0:antigravity.x:0:0
PERL5OPT=-Mx
PERL5LIB=/tmp
RUBYOPT=-r./x
RUBYLIB=/tmp
JAVA_TOOL_OPTIONS=-javaagent:x.jar
_JAVA_OPTIONS=x
GOFLAGS=-toolexec=./x
GOFLAGS=-mod=mod -exec ./x
GOFLAGS='-toolexec=./x'
GOFLAGS=-overlay=x
GOTOOLCHAIN=/tmp/go
RUSTC_WRAPPER=./x
CARGO_BUILD_RUSTC_WRAPPER=./x
CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER=./x
CARGO_HOME=/tmp/x
RUSTUP_TOOLCHAIN=/tmp/x
MAKEFLAGS=--eval=x
MAKEFLAGS=-j4 -f x
CC=./x
CC=gcc -wrapper x
npm_config_script_shell=./x
npm_config_script-shell=./x
NPM_CONFIG_NODE_OPTIONS=x
LESSOPEN=|id
LESS=+!id
http_proxy=http://127.0.0.1:1
SSL_CERT_FILE=./x
NODE_TLS_REJECT_UNAUTHORIZED=0`, "\n") {
		if name, value, _ := strings.Cut(v, "="); !ChangesPrograms(name, value) {
			t.Errorf("%s: got no, want yes", v)
		}
	}
	for _, v := range strings.Split(`PAGER=cat
GIT_PAGER=cat
PAGER=
EDITOR=true
GIT_EDITOR=:
VISUAL=cat
GIT_SEQUENCE_EDITOR=true
GIT_CONFIG_NOSYSTEM=1
GIT_CONFIG_GLOBAL=/dev/null
GIT_TRACE=1
GIT_TERMINAL_PROMPT=0
GIT_AUTHOR_NAME=x
GIT_INDEX_FILE=/tmp/x
PATH=/usr/bin:/home/me/project/.venv/bin
LD_PRELOAD=
NODE_ENV=test
NODE_OPTIONS=--max-old-space-size=4096
GOFLAGS=-mod=vendor -count=1
GOOS=linux
GOTOOLCHAIN=local
GOCACHE=/tmp/go
CGO_ENABLED=0
CARGO_TERM_COLOR=never
CARGO_TARGET_DIR=/tmp/target
RUSTUP_TOOLCHAIN=1.80.0
MAKEFLAGS=-j4
MAKEFLAGS=j
CC=clang-18
npm_config_yes=true
npm_config_update-notifier=false
NO_COLOR=1
LC_ALL=C
CI=1
TZ=UTC
SHELL=/bin/bash
MY_OWN=x
KEYBOARD=x
LD=`, "\n") {
		if name, value, _ := strings.Cut(v, "="); ChangesPrograms(name, value) {
			t.Errorf("%s: got yes, want no", v)
		}
	}
}

// TestPermits has rules allow commands with a variable that they name, and no other.
func TestPermits(t *testing.T) {
	f, err := Parse("file", []byte(`
default = "allow"
[[rule]]
id = "tests"
argv = ["go", "test", "**"]
decision = "allow"
env_assign = ["GOFLAGS=-mod=mod", "PYTHONPATH"]
[[rule]]
id = "anything"
argv = ["make", "**"]
decision = "allow"
env_assign = "any"
`), User)
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(f)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		line, name, value string
		want              bool
	}{
		{"go test ./...", "PYTHONPATH", "src", true},
		{"timeout 5 go test ./...", "PYTHONPATH", "src", true},
		{"go test ./...", "GOFLAGS", "-mod=mod", true},
		{"go test ./...", "GOFLAGS", "-exec=x", false},
		{"go test ./...", "LD_PRELOAD", "x", false},
		{"go test ./...; ls", "PYTHONPATH", "src", false}, // ls is allowed by default
		{"make", "PYTHONPATH", "src", false},
		{"", "PYTHONPATH", "src", false},
	} {
		v := p.Decide(&core.Exec{Via: core.ViaShell, Command: core.Command{
			Command: c.line, Cwd: "/", Env: []core.EnvVariable{{Name: c.name, Value: c.value}},
		}}, Context{})
		if got := v.Permits(c.name, c.value); got != c.want {
			t.Errorf("%s, %s=%s: got %v, want %v", c.line, c.name, c.value, got, c.want)
		}
	}
}
