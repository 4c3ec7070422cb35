package place_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/place"
)

func TestArgv(t *testing.T) {
	far := []string{"terrarium", "host", "serve", "--stdio", "--mount", "/a b:/"}
	for name, want := range map[string][]string{
		"ssh:box":                   {"ssh", "-T", "--", "box", "terrarium", "host", "serve", "--stdio", "--mount", "'/a b:/'"},
		"ssh:ada@10.0.0.7":          {"ssh", "-T", "--", "ada@10.0.0.7", "terrarium", "host", "serve", "--stdio", "--mount", "'/a b:/'"},
		"docker:web-1":              append([]string{"docker", "exec", "-i", "web-1"}, far...),
		"podman:web-1":              append([]string{"podman", "exec", "-i", "web-1"}, far...),
		"kubectl:web-0":             append([]string{"kubectl", "exec", "-i", "web-0", "--"}, far...),
		"kubectl:web-0/log":         append([]string{"kubectl", "exec", "-i", "web-0", "-c", "log", "--"}, far...),
		"exec:runc exec 'my box'":   append([]string{"sh", "-c", `exec runc exec 'my box' "$@"`, "sh"}, far...),
		"exec:nsenter -t 1 -a -- :": append([]string{"sh", "-c", `exec nsenter -t 1 -a -- : "$@"`, "sh"}, far...),
	} {
		p, err := place.Parse(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := p.Argv(far...); !slices.Equal(got, want) || p.String() != name {
			t.Errorf("%s: got %q called %s, want %q", name, got, p, want)
		}
	}
}

// What ssh puts together, a shell takes apart into the same words.
func TestQuoted(t *testing.T) {
	words := []string{"", "a", "a b", "it's", "''", "$HOME `id` \"$(id)\"", "*?[a]{b,c}", "a\nb", "~", "=ls", "-x=1", "a;b|c&d>e", "\\", "é", "#", "!x", `\!\\'!!`, `a\nb\`}
	p, err := place.Parse("ssh:box")
	if err != nil {
		t.Fatal(err)
	}
	for _, shell := range []string{"sh", "bash", "zsh", "csh", "tcsh", "fish"} {
		if _, err := exec.LookPath(shell); err != nil && shell != "sh" {
			t.Log("NOT RUN: there is no ", shell)
			continue
		}
		words := slices.Clone(words)
		if strings.HasSuffix(shell, "csh") { // no newline passes through it
			words = slices.DeleteFunc(words, func(word string) bool { return strings.Contains(word, "\n") })
		}
		line := strings.Join(p.Argv(append([]string{"printf", "%s\\0"}, words...)...)[4:], " ")
		out, err := exec.Command(shell, "-c", line).Output()
		if got := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"); err != nil || !slices.Equal(got, words) {
			t.Errorf("%s -c %s: got %q and %v, want %q", shell, line, got, err, words)
		}
	}
}

func TestNotPlaces(t *testing.T) {
	const all = "use ssh:HOST, docker:NAME, podman:NAME, kubectl:POD[/CONTAINER], exec:COMMAND, fleet:URL"
	for name, want := range map[string]string{
		"":                         "no place: " + all,
		"box":                      "no such place: " + all,
		":":                        "no such place: " + all,
		"vagrant:box":              "no such place: " + all,
		"fleet:x":                  "want fleet:nats://HOST:PORT, or fleet:tls://HOST:PORT",
		"fleet:nats://x y":         "a blank in it: want fleet:URL",
		"shs:box":                  "no such kind of place: did you mean ssh:box?",
		"SSH:box":                  "no such kind of place: did you mean ssh:box?",
		"flet:nats://me:pw@box":    "no such kind of place: did you mean fleet:…@box?",
		"doker:web":                "no such kind of place: did you mean docker:web?",
		"ssh:":                     "want ssh:HOST",
		"ssh: ":                    "want ssh:HOST",
		"ssh:-oProxyCommand=id":    "ssh would take it for an option: want ssh:HOST",
		"docker:--privileged":      "docker would take it for an option: want docker:NAME",
		"exec:-c id":               "exec would take it for an option: want exec:COMMAND",
		"ssh:box:22":               "want ssh:HOST: the port of box stands in ~/.ssh/config",
		"ssh://box":                "want ssh:HOST: the port of box stands in ~/.ssh/config",
		"exec:ssh -p 22 box":       "want ssh:HOST, with options in ~/.ssh/config: ssh takes no command as it is",
		"ssh:box id":               "a blank in it: want ssh:HOST",
		"docker:a\u00a0b":          "a blank in it: want docker:NAME",
		"ssh:box\nid":              "a place has no control characters",
		"exec:a\x1b[2J":            "a place has no control characters",
		"ssh:\xff":                 "a place has no control characters",
		"kubectl:/x":               "want kubectl:POD[/CONTAINER]",
		"kubectl:x/":               "want kubectl:POD[/CONTAINER]",
		"kubectl:x/y/z":            "want kubectl:POD[/CONTAINER]",
		"kubectl:x/-y":             "kubectl would take -y for an option: want kubectl:POD[/CONTAINER]",
		"kubectl:x /y":             "a blank in it: want kubectl:POD[/CONTAINER]",
		strings.Repeat("s", 5<<10): "longer than 4096 bytes",
	} {
		if _, err := place.Parse(name); err == nil || err.Error() != want {
			t.Errorf("%.40q: got %v, want %s", name, err, want)
		}
	}
}

func TestShown(t *testing.T) {
	for typed, want := range map[string]string{
		"ssh:ada@box":                  "ssh:ada@box",
		"fleet:nats://box:4222":        "fleet:nats://box:4222",
		"fleet:nats://me:pw@box":       "fleet:…@box",
		"fleet:nats//me:pw@box":        "fleet:…@box",
		"fleet:me:pw@box":              "fleet:…@box",
		"fleet:nats://me:p@w@a,me:x@b": "fleet:…@b",
		"nats://token@box":             "nats:…@box",
		"box":                          "box",
	} {
		if got := place.Shown(typed); got != want {
			t.Errorf("%s: got %s, want %s", typed, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, name := range []string{"ssh:box", "kubectl:a/b", "exec:a 'b", "ssh:-x"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		p, err := place.Parse(name)
		if err != nil {
			return
		}
		argv := p.Argv("x")
		_, target, _ := strings.Cut(name, ":")
		if strings.HasPrefix(target, "-") || slices.ContainsFunc(argv, func(s string) bool { return strings.ContainsAny(s, "\x00\n\x1b") }) {
			t.Errorf("got %q", argv)
		}
	})
}
