package policy

import (
	"path"
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
	"nodejs", "pypy", "java", "jshell", "groovy", "scala", "kotlin", "tsx", "ts-node", "bunx", "uvx", "pipx", "irb", "tclsh", "expect", "julia", "Rscript", "ghci",
	"sqlite", "psql", "mysql", "mariadb", "redis-cli", "mongosh", "sqlplus",
}

// unversioned is a command's name without the version that many systems put behind it: "python" for
// "python3.11".
func unversioned(name string) string { return strings.TrimRight(name, "0123456789.-") }

// scripts run the file that is their first operand. An Always rule is for files of the session, or
// for the module that Python is told to run: whoever may write one file can write another.
var scripts = []string{"python", "python3", "node", "bash", "sh"}

// threeWords are those of whose operands the second says what they do.
var threeWords = []string{
	"npm run", "pnpm run", "yarn run", "bun run", "go run", "go tool", "uv run", "poetry run", "bundle exec", "docker compose", "cargo run",
	"gh pr", "gh issue", "gh run", "gh repo", "gh release",
}

// runAnything are those that run what their arguments say, by which they are no better known.
var runAnything = []string{
	"git config", "git bisect", "git submodule", "git filter-branch", "git difftool", "git mergetool", "git rebase", "go env", "go generate",
	"npm config", "npm exec", "npm x", "pnpm exec", "pnpm dlx", "yarn exec", "yarn dlx", "bun x", "cargo run", "deno run", "deno eval", "gh api", "gh alias",
}

// fileCommands make, copy, move or change the files that they name. An Always rule is for files of
// the session or below /tmp.
var fileCommands = []string{"mkdir", "touch", "cp", "mv", "tee", "sed", "gofmt", "goimports", "truncate"}

// places are where an Always rule lets files be written.
var places = [][]string{{"/tmp"}, {"roots"}, {"roots", "/tmp"}}

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
	bin := ""
	if strings.Contains(name, "/") {
		bin = c.path(c.words[0])
		if bin == "" || path.Clean(bin) != bin || !c.words[0].home && !c.below(bin, places[2], env) {
			return nil
		}
		name = path.Base(bin)
	}
	if slices.Contains([]string{"*", "**"}, name) {
		return nil
	}
	r := &Rule{ID: "always-" + name, Argv: [][]string{{name}}, Bin: bin, Decision: Allow, Redirects: "read", layer: User}
	if c.writes() {
		i := slices.IndexFunc(places, func(dirs []string) bool { r.Writes = dirs; return r.conditions(c, env) })
		if i < 0 {
			return nil
		}
		r.ID += "-writes-" + strings.Trim(strings.Join(r.Writes, "-"), "/")
	}
	switch {
	case bin != "":
		if _, launches := launchers[name]; launches || name == "env" || name == "find" || name == "git" || !r.narrow(c) {
			return nil
		}
	case len(r.Writes) > 0 && p.allowsUnwritten(c, env):
		if slices.Contains(subcommands, name) && !r.narrow(c) {
			return nil
		}
	case slices.Contains(fileCommands, name) || name == "rm":
		if !r.ofFiles(c, env) {
			return nil
		}
	case slices.Contains(scripts, name):
		if !r.ofScript(c, env) {
			return nil
		}
	case slices.Contains(neverAlways, name), slices.Contains(neverAlways, unversioned(name)):
		return nil
	default:
		if _, shell := shells[name]; shell || !r.narrow(c) {
			return nil
		}
	}
	for _, word := range append(slices.Concat(r.Argv...), bin) {
		if !utf8.ValidString(word) || word != bin && len(parts(word)) > 1 {
			return nil // a file can't hold it
		}
	}
	if r.fits(c, env, false) != fits {
		return nil // it would be asked about again
	}
	return r
}

// writes reports whether the shell writes a file for c.
func (c *Command) writes() bool {
	return slices.ContainsFunc(c.Redirects, func(to Redirect) bool { return to.Write })
}

// allowsUnwritten reports whether c would be allowed if it were redirected to no file.
func (p *Policy) allowsUnwritten(c *Command, env *Context) bool {
	bare, found := *c, false
	bare.Redirects = slices.DeleteFunc(slices.Clone(c.Redirects), func(to Redirect) bool { return to.Write })
	p.each(c, func(r *Rule) { found = found || r.Decision == Allow && r.fits(&bare, env, false) == fits })
	return found
}

// narrow adds the subcommand to r, if there is one, and reports whether that says enough.
func (r *Rule) narrow(c *Command) bool {
	second := len(c.words) > 1 && looksLikeSubcommand(c.words[1])
	switch {
	case len(c.words) == 1:
		return true
	case !second && slices.ContainsFunc(c.words[1:], looksLikeSubcommand):
		return false
	case !second && !slices.Contains(subcommands, c.words[0].text):
		return true
	}
	said := c.words[0].text
	for _, w := range c.words[1:] {
		if w.dynamic || w.isOption() || w.text == "" || w.text == "*" || w.text == "**" {
			return false
		}
		r.ID += "-" + w.text
		r.Argv = append(r.Argv, []string{w.text})
		said += " " + w.text
		if !slices.Contains(threeWords, said) {
			break
		}
	}
	_, shell := shells[r.Argv[len(r.Argv)-1][0]]
	return !slices.Contains(threeWords, said) && !slices.Contains(runAnything, said) && !shell &&
		(len(r.Argv) < 3 || !slices.Contains(neverAlways, r.Argv[2][0]))
}

// ofFiles makes r one for files of the session. What rm removes nobody gets back, but below /tmp.
func (r *Rule) ofFiles(c *Command, env *Context) bool {
	names, _ := flagsOf(c.words)
	for _, flag := range names {
		if flag != "-i" && flag != "--in-place" && flag != "-w" {
			return false
		}
		r.Flags = append(r.Flags, flag)
	}
	where := places
	if c.words[0].text == "rm" {
		where = places[:1]
	}
	for _, dirs := range where {
		if c.files(dirs, env) {
			r.Files = dirs
			r.Argv = append(r.Argv, []string{"**"})
			r.ID += "-" + strings.Trim(strings.Join(dirs, "-"), "/")
			return true
		}
	}
	return false
}

// ofScript makes r one for the script, or the module, that is c's first operand.
func (r *Rule) ofScript(c *Command, env *Context) bool {
	if len(c.words) < 2 || c.words[1].dynamic {
		return false
	}
	first := c.words[1]
	if first.text == "-m" && strings.HasPrefix(c.words[0].text, "python") && len(c.words) > 2 {
		module := c.words[2]
		if module.dynamic || slices.Contains([]string{"pdb", "timeit", "cProfile", "profile", "trace", "runpy", "code", "doctest", "*", "**"}, module.text) {
			return false
		}
		r.Argv = append(r.Argv, []string{"-m"}, []string{module.text})
		r.ID += "-m-" + module.text
		return true
	}
	return !first.isOption() && r.ofFiles(c, env)
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
