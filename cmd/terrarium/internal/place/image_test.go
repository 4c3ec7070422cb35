package place_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/place"
)

func toolbox(engine string) *place.Image {
	return &place.Image{
		Engine: engine, Name: "toolbox:1", Flags: []string{"--network=none", "--rm=false"}, Env: []string{"A=b c", "TOKEN"},
		Program: "/opt/a,b/terrarium", Owner: "one.key", Worker: "1-2",
	}
}

// A person's flags come before those that make a container end with its session.
func TestContainerArgv(t *testing.T) {
	for engine, own := range map[string][]string{"docker": nil, "podman": {"--detach-keys="}} {
		want := slices.Concat([]string{
			engine, "run", "--log-driver=none", "--env=A=b c", "--env=TOKEN", "--network=none", "--rm=false",
			"--rm", "--interactive", "--tty=false", "--detach=false", "--pull=never", "--name=box", "--label=io.github.terrarium-dev.owner=one.key", "--label=io.github.terrarium-dev.worker=1-2",
			`--mount=type=bind,"source=/opt/a,b/terrarium",target=/.terrarium,readonly`,
		}, own, []string{"--entrypoint=/.terrarium", "toolbox:1", "host", "serve"})
		if got := toolbox(engine).Container("box").Argv("host", "serve"); !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestImageCheck(t *testing.T) {
	for want, i := range map[string]place.Image{
		"--engine runc: no such engine: use docker or podman":                                                  {Engine: "runc", Name: "x"},
		"--engine docker needs --image IMAGE":                                                                  {Engine: "docker"},
		"--image --privileged: podman would take it for an option":                                             {Engine: "podman", Name: "--privileged"},
		"--image: no image is called so":                                                                       {Engine: "podman", Name: "a b"},
		"--engine-flag none: docker would take it for the image: want --engine-flag --NAME=VALUE, in one word": {Engine: "docker", Name: "x", Flags: []string{"--network", "none"}},
		"--engine-flag --: docker would take it for the image: want --engine-flag --NAME=VALUE, in one word":   {Engine: "docker", Name: "x", Flags: []string{"--"}},
	} {
		if err := i.Check(); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if err := toolbox("podman").Check(); err != nil {
		t.Error(err)
	}
}

// Why an engine can't start a container becomes one line that quotes it.
func TestPrepare(t *testing.T) {
	here := "linux/" + runtime.GOARCH
	for _, test := range []struct {
		engine, script string
		want           string // the error, behind the image's name
		pulls          bool
	}{
		{"docker", "echo " + here, "", false},
		{"podman", "echo " + here, "", false},
		{"docker", `test -e "$0.has" && { echo ` + here + `; exit; }; test $1 = pull && { : >"$0.has"; exit; }; echo 'Error response from daemon: No such image: toolbox:1' >&2; exit 1`, "", true},
		{"podman", `test -e "$0.has" && { echo ` + here + `; exit; }; test $1 = pull && { : >"$0.has"; exit; }; echo 'Error: toolbox:1: image not known' >&2; exit 125`, "", true},
		{"docker", `test $1 = pull && { echo 'Error response from daemon: pull access denied for toolbox' >&2; exit 1; }; echo 'Error: No such image: toolbox:1' >&2; exit 1`,
			"Error response from daemon: pull access denied for toolbox", true},
		{"docker", "echo linux/sparc", `it is for "linux/sparc", and this program for ` + here + ": docker pull --platform=" + here + " toolbox:1 gets another one", false},
		{"docker", "echo 'Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?' >&2; exit 1",
			"there is no daemon: is it up? see DOCKER_HOST (Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?)", false},
		{"docker", "echo 'permission denied while trying to connect to the Docker daemon socket at unix:///var/run/docker.sock' >&2; exit 1",
			"the daemon does not let you in: see the group docker, or DOCKER_HOST (permission denied while trying to connect to the Docker daemon socket at unix:///var/run/docker.sock)", false},
		{"podman", "echo 'Cannot connect to Podman. Please verify your connection to the Linux system' >&2; exit 125",
			"there is no service: see podman system connection (Cannot connect to Podman. Please verify your connection to the Linux system)", false},
		{"docker", "exit 3", "docker has ended without a word, with exit status 3", false},
	} {
		standIn(t, test.engine, test.script)
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		pulled := false
		i := toolbox(test.engine)
		err := i.Prepare(ctx, func() { pulled = true })
		cancel()
		got := ""
		if err != nil {
			got = strings.TrimPrefix(err.Error(), test.engine+" image toolbox:1: ")
		}
		if !strings.HasPrefix(got, test.want) || test.want == "" && got != "" || pulled != test.pulls {
			t.Errorf("%s: got %q and %v, want %q and %v", test.script, got, pulled, test.want, test.pulls)
		}
	}
}

// An engine that does not answer is given up.
func TestPrepareHangs(t *testing.T) {
	standIn(t, "docker", "trap '' TERM; while :; do sleep 1; done")
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("a signal")
	cancel(why)
	if err := toolbox("docker").Prepare(ctx, func() {}); !errors.Is(err, why) {
		t.Errorf("got %v, want %v", err, why)
	}
}

func TestNoEngine(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	err := toolbox("podman").Prepare(t.Context(), func() {})
	if want := "podman image toolbox:1: there is no podman in PATH: install it"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestRemoveAll(t *testing.T) {
	for _, test := range []struct {
		ps, rm string
		n      int
		want   string // of the error, or of the arguments
	}{
		{"", "exit 1", 0, "ps --all --quiet --no-trunc --filter=label=io.github.terrarium-dev.owner=one.key"},
		{"echo 0a1b; echo 2c3d", "", 2, "rm --force 2c3d"},
		// A list that is cut: the second is found when the first is not there any more.
		{`test -e "$0.ps" || printf '%065534d\n' 0; echo 2c3d4e; : >"$0.ps"`, "", 2, "rm --force 2c3d4e"},
		// One that is longer than a pipe.
		{`test -e "$0.ps" || printf '%065534d\n%02000000d\n' 0 0; : >"$0.ps"`, "", 1, "ps --all"},
		{`echo x >>"$0.ps"; printf '%x%065530d\n%09d' $(wc -l <"$0.ps") 0 0`, "", 20, "docker ps prints more containers of ours than we remove at once: 20 are gone, start again"},
		{"echo 0a1b; echo 2c3d", "echo 'Error response from daemon: No such container: x' >&2; exit 1", 2, "rm --force 2c3d"},
		{"echo 0a1b", "echo 'Error response from daemon: removal of container 0a1b is already in progress' >&2; exit 1", 1, "rm --force 0a1b"},
		{"echo 0a1b; echo 2c3d", "echo 'Error response from daemon: device or resource busy' >&2; exit 1", 0, "device or resource busy"},
		{"echo 0a; echo 1e", "", 1, place.ErrInUse.Error()},
		{"echo 2e", "", 1, "rm --force 2e"},
		{"echo 3e", "", 0, "Error: denied"},
		{"echo --all", "", 0, `docker ps prints "--all" in place of containers`},
	} {
		const labels = "case $4 in 1e) echo runs;; 2e) echo 'Error: No such container: 2e' >&2; exit 1;; 3e) echo 'Error: denied' >&2; exit 1;; esac"
		args := standIn(t, "docker", "case $1 in ps) "+test.ps+";; rm) "+test.rm+";; container) "+labels+";; esac")
		n, err := toolbox("docker").RemoveAll(t.Context(), func(worker string) bool { return worker == "runs" })
		b, _ := os.ReadFile(args)
		got := strings.ReplaceAll(strings.TrimSpace(string(b)), "\n", " ")
		if err != nil {
			got = err.Error()
		}
		if n != test.n || !strings.Contains(got, test.want) {
			t.Errorf("%s: got %d and %q, want %d and %q", test.rm, n, got, test.n, test.want)
		}
	}
}

// A container that can't be started says why, and one that is there carries bytes as they are.
func TestContainer(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(relayVariable, serve(t, dir))
	for script, want := range map[string]string{
		"exec '" + os.Args[0] + "'": "",
		"echo 'docker: Error response from daemon: No such image: toolbox:1' >&2; exit 125":                                                                          "there is no such image (docker: Error response from daemon: No such image: toolbox:1)",
		"printf \"docker: Error response from daemon: no space left on device\\n\\nRun 'docker run --help' for more information\\n\" >&2; exit 125":                  "docker: Error response from daemon: no space left on device",
		"echo 'WARNING: a warning' >&2; echo 'docker: Error response from daemon: No such network: x.' >&2; echo \"See 'docker run --help'.\" >&2; exit 125":         "docker: Error response from daemon: No such network: x.",
		"echo 'exec /.terrarium: no such file or directory' >&2; exit 255":                                                                                           "this program needs a C library that the image does not have: CGO_ENABLED=0 builds one that needs none (exec /.terrarium: no such file or directory)",
		"echo 'terrarium: --cwd /x: no such file or directory' >&2; exit 1":                                                                                          "--cwd /x: no such file or directory",
		"printf \"unknown flag: --x\\n\\nUsage:  docker run [OPTIONS] IMAGE [COMMAND] [ARG...]\\n\\nRun 'docker run --help' for more information\\n\" >&2; exit 125": "unknown flag: --x",
		`printf 'SIGABRT: abort\nPC=0x4797a1 m=0\n\ngoroutine 0 gp=0xcb9f00 [idle]:\nrax 0x0\ngs     0x0\n' >&2; exit 2`:                                             `docker or its container was killed ("SIGABRT: abort")`,
		"exit 137": "its container has ended without a word, with exit status 137",
	} {
		standIn(t, "docker", script)
		d := &place.Dialer{Place: toolbox("docker").Container("box"), Far: []string{"host", "serve", "--stdio"}}
		err := connect(t, d)
		d.Close()
		got := ""
		if err != nil {
			got = strings.TrimPrefix(err.Error(), "docker image toolbox:1: ")
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", filepath.Base(script), got, want)
		}
	}
}
