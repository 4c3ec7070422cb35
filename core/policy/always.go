package policy

import (
	"slices"
	"strings"
)

// subcommands are those whose first operand says what they do: an Always rule has two words of
// them.
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
func (p *Policy) always(c *Command, env *Context) *Rule {
	if len(c.words) == 0 || c.transparent || c.doubt != "" || c.Rule != nil || len(c.Through) > 0 && c.words[0].dynamic {
		return nil
	}
	name := c.words[0].text
	if strings.Contains(name, "/") || slices.Contains(neverAlways, name) || slices.Contains([]string{"*", "**"}, name) {
		return nil
	}
	if _, shell := shells[name]; shell {
		return nil
	}
	r := &Rule{ID: "always-" + name, Argv: [][]string{{name}}, Decision: Allow, Redirects: "read", layer: User}
	if slices.Contains(subcommands, name) && len(c.words) > 1 {
		sub := c.words[1]
		if sub.dynamic || sub.isOption() || sub.text == "" || sub.text == "*" || sub.text == "**" {
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
