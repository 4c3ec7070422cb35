package confine

import (
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// secrets are the files of a person that no command gets to see, below Home.
// What is kept under other names by other programs is not known here. Not among
// them are .m2/settings.xml, .gradle/gradle.properties, .bundle/config and the
// like, which may have passwords: what reads them fails when it can't.
var secrets = namesIn(`
	.ssh .gnupg .aws .azure .kube .docker .netrc .authinfo .authinfo.gpg .pgpass .my.cnf .mylogin.cnf .s3cfg .boto .vault-token
	.git-credentials .config/git/credentials .config/gh .config/hub .config/glab-cli .config/gcloud .config/doctl .config/rclone
	.config/sops .config/age .config/op .config/containers/auth.json .config/helm .config/heroku .config/netlify .config/fly .fly
	.oci .ibmcloud .terraform.d/credentials.tfrc.json .password-store .local/share/gopass .local/share/pass
	.npmrc .yarnrc.yml .pypirc .gem/credentials .cargo/credentials .cargo/credentials.toml .m2/settings-security.xml
	.composer/auth.json .config/composer/auth.json .config/pypoetry/auth.toml .config/configstore
	.local/share/keyrings .local/share/kwalletd .kde/share/apps/kwallet .pki .Xauthority .ICEauthority .cert
	.config/Bitwarden .config/1Password .config/KeePassXC .config/keepassxc .cache/keepassxc
	.mozilla .thunderbird .config/google-chrome .config/google-chrome-beta .config/google-chrome-unstable .config/chromium
	.config/BraveSoftware .config/microsoft-edge .config/vivaldi .config/opera .config/librewolf .librewolf .floorp .zen
	.cache/mozilla .cache/google-chrome .cache/chromium .cache/BraveSoftware .cache/microsoft-edge .cache/thunderbird
	.var/app snap .config/Signal .config/Slack .config/discord .local/share/TelegramDesktop .config/Element
	.bash_history .zsh_history .zhistory .history .sh_history .local/share/fish/fish_history .python_history .node_repl_history
	.psql_history .mysql_history .sqlite_history .rediscli_history .lesshst .viminfo .local/state/nvim .local/share/atuin
	.claude/.credentials.json .claude.json .codex/auth.json .gemini/oauth_creds.json .config/github-copilot .config/Code
	.config/Cursor .config/VSCodium .config/zed/credentials .config/anthropic .config/openai .config/goose/secrets.yaml`)

// ownNames are where our own files are, below Home: rules, what is compiled, plugins.
var ownNames = namesIn(".config/terrarium .cache/terrarium .local/share/terrarium .local/state/terrarium")

// secretFiles are those of the system. /dev is among them since a device is not
// read as a file is: what commands need of it is granted by name. Nothing in /proc
// may be: what is granted entry by entry lacks the processes that come later.
var secretFiles = namesIn(`
	/dev /run/secrets /run/credentials /run/user /.snapshots /sys/kernel/debug /sys/kernel/tracing /sys/firmware/efi/efivars
	/etc/shadow /etc/shadow- /etc/gshadow /etc/gshadow- /etc/.pwd.lock /etc/security/opasswd /etc/sudoers /etc/sudoers.d
	/etc/ssl/private /etc/pki/private /etc/pki/tls/private /etc/letsencrypt /etc/krb5.keytab /etc/kubernetes /etc/rancher
	/etc/NetworkManager/system-connections /etc/wireguard /etc/openvpn /etc/ipsec.secrets /etc/ppp/chap-secrets /etc/ppp/pap-secrets
	/etc/ssh/ssh_host_rsa_key /etc/ssh/ssh_host_ecdsa_key /etc/ssh/ssh_host_ed25519_key /etc/ssh/ssh_host_dsa_key
	/var/run/secrets /var/lib/kubelet /var/lib/docker /var/lib/containerd /var/lib/sss/secrets /var/lib/NetworkManager
	/var/spool/cron /var/lib/systemd/coredump /var/crash /var/backups`)

// lists are what is hidden on a system.
type lists struct {
	secrets, own []string // below a person's directory
	files        []string
	homes        string // a pattern of the directories of all persons
}

var linuxLists = lists{secrets, ownNames, secretFiles, "/home/*"}

// here are the lists of the system that this program is for.
var here = map[bool]lists{false: linuxLists, true: macLists}[runtime.GOOS == "darwin"]

func namesIn(list string) []string { return strings.Fields(list) }

// A hiding is a set of paths without links, which need not exist.
type hiding []hiddenPath

type hiddenPath struct {
	path   string
	own    bool // one of our own files
	exists bool
}

// hidden returns what the rules hide.
func (r Rules) hidden() hiding {
	var h hiding
	dirs := resolver{}
	for _, p := range r.named(homes(r.Home), here) {
		path := filepath.Clean(p.path)
		dir := dirs.resolve(filepath.Dir(path))
		path = filepath.Join(dir.path, filepath.Base(path))
		if !dir.exists {
			h = append(h, hiddenPath{path, p.own, false})
			continue
		}
		h = h.add(path, p.own)
	}
	for _, dir := range r.Show {
		h = slices.DeleteFunc(h, func(p hiddenPath) bool { return !p.own && (p.path == dir || isBelow(p.path, dir)) })
	}
	return h
}

// A resolver has directories without links: most of what is hidden is in few.
type resolver map[string]resolved

type resolved struct {
	path   string
	exists bool // else nothing in it does
}

// resolve is Resolve, and looks at each directory once.
func (m resolver) resolve(dir string) resolved {
	if r, ok := m[dir]; ok {
		return r
	}
	r := resolved{dir, true}
	if parent := filepath.Dir(dir); parent != dir {
		above := m.resolve(parent)
		r = resolved{path: filepath.Join(above.path, filepath.Base(dir))}
		if above.exists {
			info, err := os.Lstat(r.path)
			r.exists = err == nil
			if err == nil && info.Mode()&os.ModeSymlink != 0 {
				r.path = Resolve(r.path)
			}
		}
	}
	m[dir] = r
	return r
}

// named returns what the rules and lists hide, whatever links lead there.
func (r Rules) named(homes []string, l lists) []hiddenPath {
	var all []hiddenPath
	for _, home := range homes {
		for _, name := range l.secrets {
			all = append(all, hiddenPath{path: filepath.Join(home, name)})
		}
		for _, name := range l.own {
			all = append(all, hiddenPath{path: filepath.Join(home, name), own: true})
		}
	}
	for _, path := range slices.Concat(l.files, r.Hide) {
		all = append(all, hiddenPath{path: path})
	}
	for _, path := range r.Own {
		all = append(all, hiddenPath{path: path, own: true})
	}
	return all
}

// homes are the directories that secrets are looked for in. A service may run
// with another HOME than its user has, and root can read those of all others.
func homes(home string) []string {
	var all []string
	if home != "" {
		all = append(all, home)
	}
	uid := os.Getuid()
	if u, err := user.LookupId(strconv.Itoa(uid)); err == nil && filepath.IsAbs(u.HomeDir) && filepath.Clean(u.HomeDir) != "/" {
		all = append(all, u.HomeDir)
	}
	if uid == 0 {
		others, _ := filepath.Glob(here.homes)
		all = append(all, others...)
	}
	for i, home := range all {
		all[i] = Resolve(home)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// add adds a path, and what it leads to if it is a link.
func (h hiding) add(path string, own bool) hiding {
	info, err := os.Lstat(path)
	h = append(h, hiddenPath{path, own, err == nil})
	if err == nil && info.Mode()&os.ModeSymlink != 0 {
		real := Resolve(path)
		_, err := os.Lstat(real)
		h = append(h, hiddenPath{real, own, err == nil})
	}
	return h
}

// Resolve returns path without links, as far as it exists.
func Resolve(path string) string {
	path = filepath.Clean(path)
	rest := ""
	for p := path; ; p = filepath.Dir(p) {
		if real, err := filepath.EvalSymlinks(p); err == nil {
			return filepath.Join(real, rest)
		}
		if p == "/" || p == "." {
			return path
		}
		rest = filepath.Join(filepath.Base(p), rest)
	}
}

// above returns the hidden path that path is, or is below, one of ours first.
func (h hiding) above(path string) (above string, own bool) {
	for _, p := range h {
		if path == p.path || isBelow(path, p.path) {
			if p.own {
				return p.path, true
			}
			above = p.path
		}
	}
	return above, false
}

// below tells whether something hidden is below path. What does not exist counts
// if absent says so, and if it is ours: whoever can write path could make it.
func (h hiding) below(path string, absent bool) bool {
	return slices.ContainsFunc(h, func(p hiddenPath) bool {
		return (absent || p.exists || p.own) && isBelow(p.path, path)
	})
}

// is tells whether path itself is hidden.
func (h hiding) is(path string) bool {
	return slices.ContainsFunc(h, func(p hiddenPath) bool { return p.path == path })
}

// isBelow tells whether a path is below a directory, both without links. It is asked some 100,000
// times for a keeper's rules, and so makes no string.
func isBelow(path, dir string) bool {
	if dir == "/" {
		return len(path) > 1 && path[0] == '/'
	}
	return len(path) > len(dir) && path[len(dir)] == '/' && path[:len(dir)] == dir
}
