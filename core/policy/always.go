package policy

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// subcommands are those whose first operand says what they do: an Always rule has two words of
// them, whatever the second looks like.
var subcommands = []string{
	"git", "go", "npm", "pnpm", "yarn", "bun", "cargo", "rustup", "pip", "pip3", "uv", "poetry", "docker", "podman", "kubectl", "helm", "gh", "glab",
	"terraform", "brew", "apt", "apt-get", "dnf", "systemctl", "make", "just", "dotnet", "mvn", "gradle", "bundle", "rake", "composer", "deno", "npx",
}

// neverAlways are those whose arguments are all that matters, or are programs.
var neverAlways = []string{
	"rm", "rmdir", "unlink", "shred", "dd", "mkfs", "mount", "umount", "chmod", "chown", "kill", "pkill", "killall", "reboot", "shutdown",
	"curl", "wget", "ssh", "scp", "rsync", "nc", "ncat", "socat", "telnet", "ftp", "find", "fd", "awk", "gawk", "mawk", "sed", "ed", "ex", "vi", "vim", "nvim", "emacs",
	"python", "python2", "python3", "node", "perl", "ruby", "php", "lua", "osascript", "gdb", "crontab", "at", "su", "tee", "install", "ln", "mv", "cp",
	"docker", "podman", "kubectl", "npx", "env", "source", ".", "exec", "eval", "trap", "alias", "export",
}

// always returns the rule that would allow c from now on, or nil if there is none worth writing.
//
// Of a command that nobody here knows, the rule has the first word too if that looks like a
// subcommand: who says yes to "mytool deploy --prod" has not said yes to "mytool destroy". Where
// one stands behind options the rule would be for any, so there is none. "mytool -v x.txt" has no
// such word, and its rule is for "mytool".
func (p *Policy) always(c *Command, env *Context) *Rule {
	if len(c.words) == 0 || c.transparent || c.doubt != "" || c.Rule != nil || len(c.Through) > 0 && c.words[0].dynamic {
		return nil
	}
	name := c.words[0].text
	if strings.Contains(name, "/") || !utf8.ValidString(name) || slices.Contains(neverAlways, name) || slices.Contains([]string{"*", "**"}, name) {
		return nil
	}
	if _, shell := shells[name]; shell {
		return nil
	}
	second := len(c.words) > 1 && looksLikeSubcommand(c.words[1])
	if !second && slices.ContainsFunc(c.words[1:], looksLikeSubcommand) {
		return nil
	}
	r := &Rule{ID: "always-" + name, Argv: [][]string{{name}}, Decision: Allow, Redirects: "read", layer: User}
	if second || slices.Contains(subcommands, name) && len(c.words) > 1 {
		sub := c.words[1]
		if !second && (sub.dynamic || sub.isOption() || sub.text == "" || sub.text == "*" || sub.text == "**" || !utf8.ValidString(sub.text)) {
			return nil
		}
		r.ID += "-" + sub.text
		r.Argv = append(r.Argv, []string{sub.text})
	}
	if r.fits(c, env, false) != fits {
		return nil // it would be asked about again
	}
	return r
}

// looksLikeSubcommand reports whether w is a bare word, and no option, path, file name or number.
func looksLikeSubcommand(w word) bool {
	if w.dynamic || w.text == "" || !isLetter(w.text[0]) {
		return false
	}
	for i := range len(w.text) {
		if c := w.text[i]; !isLetter(c) && (c < '0' || c > '9') && strings.IndexByte("-_:", c) < 0 {
			return false
		}
	}
	return true
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
