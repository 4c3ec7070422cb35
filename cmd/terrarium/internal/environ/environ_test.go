package environ

import (
	"slices"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/core"
)

func TestBase(t *testing.T) {
	for _, kv := range strings.Split(`PATH=/bin
HOME=/home/me
LC_ALL=C
TERM=xterm
SSH_AUTH_SOCK=/run/user/1000/keyring/ssh
SSL_CERT_FILE=/etc/ssl/cert.pem
GOPRIVATE=example.com/*
GOPROXY=https://proxy.golang.org,direct
GOFLAGS=
GIT_SSH_COMMAND=ssh -i ~/.ssh/id_work
GIT_AUTHOR_NAME=Ann Author
http_proxy=http://proxy:3128
no_proxy=localhost,127.0.0.1,::1
npm_config_registry=https://registry.npmjs.org/
npm_config_cache=/home/me/.npm
NPM_CONFIG_LOGLEVEL=warn
CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_LINKER=clang
VIRTUAL_ENV=/home/me/.venv
PIP_INDEX_URL=https://pypi.org/simple
UV_CACHE_DIR=/tmp/uv
XDG_RUNTIME_DIR=/run/user/1000
OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:4318`, "\n") {
		if base, withheld := Base([]string{kv}); !slices.Equal(base, []string{kv}) || withheld != nil {
			t.Errorf("%s: got %q, withheld %q, want it kept", kv, base, withheld)
		}
	}
	for _, kv := range strings.Split(`OPENAI_API_KEY=x
ANTHROPIC_API_KEY=x
AWS_SECRET_ACCESS_KEY=x
AWS_PROFILE=x
GITHUB_TOKEN=x
DATABASE_URL=x
MY_OWN=x
LC_TOKEN=x
LC_OURS=x
DISPLAY=:0
DBUS_SESSION_BUS_ADDRESS=x
LD_PRELOAD=x
GIT_DIR=/x
GIT_CONFIG_COUNT=1
GIT_CONFIG_VALUE_0=x
GIT_ASKPASS=x
OTEL_EXPORTER_OTLP_HEADERS=x
KUBECONFIG=x
CARGO_REGISTRY_TOKEN=x
CARGO_REGISTRIES_OURS_TOKEN=x
npm_config__authToken=x
npm_config__auth=x
npm_config__password=x
npm_config_key=x
npm_config_cert=x
npm_config_//registry.npmjs.org/:_authToken=x
NPM_CONFIG__AUTH=x
UV_PUBLISH_TOKEN=x
UV_INDEX_OURS_PASSWORD=x
PIP_PASSWORD=x
PIP_CLIENT_CERT=x
=x
PATH
`, "\n") {
		if base, withheld := Base([]string{kv}); len(base) > 0 || withheld != nil || base == nil {
			t.Errorf("%s: got %q, withheld %q, want none and no word about it", kv, base, withheld)
		}
	}
	base, withheld := Base([]string{"https_proxy=http://me:pass@proxy:3128", "PATH=/bin", "GOPROXY=https://u:p@goproxy,direct"})
	if !slices.Equal(base, []string{"PATH=/bin"}) || !slices.Equal(withheld, []string{"GOPROXY", "https_proxy"}) {
		t.Errorf("got %q, withheld %q", base, withheld)
	}
}

func TestSecretName(t *testing.T) {
	for _, name := range strings.Fields(`API_KEY APIKEY apiKey OPENAI_API_KEY GITHUB_TOKEN githubToken NPMTOKEN TOKEN tokens SECRET CLIENT_SECRET
		PASSWORD DB_PASSWD PGPASSWORD PASS SSH_PASS MYSQL_PWD AUTH XAUTH BASIC_AUTH _auth CREDENTIALS CRED PRIVATE SSH_PRIVATE_KEY PRIVATEKEY CERT CLIENT_CERT
		SSH_KEYFILE KEY KEYS KEY2 GITHUB_PAT COOKIE SENTRY_DSN Authorization PASSPHRASE KEYSTORE_FILE`) {
		if !secretName(name) {
			t.Errorf("%s: got no, want yes", name)
		}
	}
	for _, name := range strings.Fields(`KEYBOARD KEYBOARD_LAYOUT AUTHOR AUTHORS GIT_AUTHOR_NAME AUTHORITY CERTAIN PATH PWD OLDPWD COMPASS BYPASS
		PATTERN CREDO PRIVATELY registry cache userconfig user_agent`) {
		if secretName(name) {
			t.Errorf("%s: got yes, want no", name)
		}
	}
}

// In two parts, so that no scanner takes them for real ones.
func TestSecretValue(t *testing.T) {
	letters := strings.Repeat("aB3", 12)
	for _, value := range []string{
		"-----BEGIN OPENSSH PRIVATE" + " KEY-----\nx", "http://me:secret@proxy:3128", "HTTPS://me:p/w@proxy", "https://:x@proxy", "a,socks5h://u:p@h,b",
		"https://" + letters + "@example.com/simple", "ghp_" + letters, "gho_" + letters, "github_pat_" + letters, "glpat-" + letters,
		"AKIA" + "IOSFODNN7EXAMPLE", "AIza" + letters, "eyJ" + "hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.x", "sk_" + "live_" + letters, "rk_" + "test_" + letters,
		"xoxb-" + letters, "sk-ant-" + letters, "sk-" + letters, "npm_" + letters, "hf_" + letters, "-Dtrust.password=hunter2", "--token " + "TOKEN=abc", "Bearer " + letters,
		"pypi-" + letters, "prefix ghp_" + letters + " suffix", "hvs." + letters,
	} {
		if !secretValue(value) {
			t.Errorf("%q: got no, want yes", value)
		}
	}
	for _, value := range []string{
		"", "/usr/bin:/bin", "http://proxy:3128", "https://proxy.golang.org,direct", "ssh://git@github.com/x", "git@github.com:x/y", "http://[::1]:3128/",
		"xterm-256color", "-----", "--max-old-space-size=4096", "ssh -i /home/me/.ssh/id_rsa -o BatchMode=yes", "sk-1", "tokenizer", "/home/me/secret/path",
		"npm/10.2.3 node/v20.10.0 linux x64 workspaces/false", "Ann Author <ann@example.com>", "LS=01;34:*.key=33", "en_US.UTF-8",
	} {
		if secretValue(value) {
			t.Errorf("%q: got yes, want no", value)
		}
	}
}

func TestRefused(t *testing.T) {
	env := func(kv ...string) []core.EnvVariable { return Variables(kv) }
	for _, c := range []struct {
		sent, own []core.EnvVariable
		want      string
	}{
		{nil, nil, ""},
		{env("A=1", "PAGER=cat", "NO_COLOR=1"), nil, ""},
		{env("LD_PRELOAD=x", "A=1", "BASH_ENV=y"), nil, "LD_PRELOAD BASH_ENV"},
		{env("HOME=/home/me"), env("HOME=/home/me"), ""},                             // sent back
		{env("PYTHONPATH=src"), env("PYTHONPATH=src"), ""},                           // of --env
		{env("PYTHONPATH=src", "PYTHONPATH=x"), env("PYTHONPATH=src"), "PYTHONPATH"}, // the last
		{env("PYTHONPATH=x", "PYTHONPATH=src"), env("PYTHONPATH=src"), ""},
		{env("PYTHONPATH=a"), env("PYTHONPATH=a", "PYTHONPATH=b"), "PYTHONPATH"},
	} {
		var names []string
		for _, v := range Refused(Added(c.sent, c.own)) {
			names = append(names, v.Name)
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%v, own %v: got %q, want %q", c.sent, c.own, got, c.want)
		}
	}
	if got := Reason(env("LD_\x1b[2J\u202e=x")); !strings.Contains(got, `LD_\x1b[2J\u202e`) {
		t.Errorf("got %q, want the name without what a terminal obeys", got)
	}
	var many []core.EnvVariable
	for range 100 {
		many = append(many, core.EnvVariable{Name: "LD_" + strings.Repeat("x", 1<<16)})
	}
	if got := Reason(many); len(got) > 4096 {
		t.Errorf("got %d bytes for a person to read", len(got))
	}
}

// FuzzBase: what is kept is kept again, and holds no secret that is known as one.
func FuzzBase(f *testing.F) {
	f.Add("PATH=/bin\nHTTP_PROXY=http://a:b@c\nnpm_config__auth=x\nLC_=\n=\n")
	f.Fuzz(func(t *testing.T, text string) {
		base, withheld := Base(strings.Split(text, "\n"))
		again, more := Base(base)
		if !slices.Equal(again, base) || more != nil {
			t.Errorf("got %q, and of that %q, withheld %q", base, again, more)
		}
		for _, kv := range base {
			name, value, _ := strings.Cut(kv, "=")
			if !isAllowed(name) || secretValue(value) {
				t.Errorf("%q is kept", kv)
			}
		}
		for _, name := range withheld {
			if !isAllowed(name) {
				t.Errorf("%q is told of", name)
			}
		}
		for _, v := range Added(Variables(base), Variables(base)) {
			t.Errorf("%q is added though it changes nothing", v.Name)
		}
	})
}
