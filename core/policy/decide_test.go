package policy_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/policy"
)

func TestConditions(t *testing.T) {
	where := func(e *core.Exec, cwd string, session core.SessionID) *core.Exec {
		e.Command.Cwd, e.Command.Session = cwd, session
		return e
	}
	path := args("git", "status")
	path.Argv[0], path.Path = "/usr/bin/git", "/usr/bin/git"
	agent := line("ls")
	agent.Command.Env = []core.EnvVariable{{Name: "LD_PRELOAD", Value: "x"}}
	found := func(p string, writable bool) policy.Context {
		return policy.Context{Find: func(string) policy.Found { return policy.Found{Path: p, Writable: writable} }}
	}
	for _, c := range []struct {
		name, rule string
		e          *core.Exec
		env        policy.Context
		want       policy.Decision
	}{
		{"redirects any", rule("allow", "['echo']", "redirects = 'any'"), line("echo >x"), policy.Context{}, policy.Allow},
		{"redirects none", rule("allow", "['cat']", "redirects = 'none'"), line("cat <x"), policy.Context{}, policy.Ask},
		{"a redirect around", rule("allow", "['cat']"), line("{ cat a; cat b; } >x"), policy.Context{}, policy.Ask},
		{"env named", rule("allow", "['ls']", "env_assign = ['FOO']"), line("FOO=x ls"), policy.Context{}, policy.Allow},
		{"env of a value", rule("allow", "['ls']", "env_assign = ['FOO=a']"), line("FOO=b ls"), policy.Context{}, policy.Ask},
		{"the agent's env", rule("allow", "['ls']"), agent, policy.Context{}, policy.Ask},
		{"cwd", rule("allow", "['ls']", "cwd = '/work/app'"), line("ls"), policy.Context{}, policy.Allow},
		{"cwd with a longer name", rule("allow", "['ls']", "cwd = '/work/app'"), where(line("ls"), "/work/app2", ""), policy.Context{}, policy.Ask},
		{"cwd after cd", rule("allow", "['ls']", "cwd = '/work/app/a'") + rule("allow", "['cd']"), where(line("cd ../b && ls"), "/work/app/a", ""), policy.Context{}, policy.Ask},
		{"session", rule("allow", "['ls']", "session = ['s', 't']"), where(line("ls"), "/work/app", "t"), policy.Context{}, policy.Allow},
		{"another session", rule("allow", "['ls']", "session = 's'"), where(line("ls"), "/work/app", "t"), policy.Context{}, policy.Ask},
		{"no sandbox", rule("allow", "['ls']", "inside = 'workspace'"), line("ls"), policy.Context{}, policy.Ask},
		{"the sandbox", rule("allow", "['ls']", "inside = 'workspace'"), line("ls"), policy.Context{Sandbox: "workspace"}, policy.Allow},
		{"unknown", rule("allow", "['**']", "inside = 'workspace'", "unknown = true"), line("x=1; sort -o y $x; export z"), policy.Context{Sandbox: "workspace"}, policy.Allow},
		{"unknown, not written", rule("allow", "['**']", "inside = 'workspace'", "unknown = true"), line("ls > x"), policy.Context{Sandbox: "workspace"}, policy.Ask},
		{"unknown, but no sandbox", rule("allow", "['**']", "inside = 'workspace'", "unknown = true"), line("x=1; ls"), policy.Context{}, policy.Ask},
		{"unknown, with what is known", rule("allow", "['ls']") + rule("allow", "['**']", "inside = 'workspace'", "unknown = true"), line("x=1; ls"), policy.Context{Sandbox: "workspace"}, policy.Allow},
		{"unknown, of one command", rule("allow", "['make']", "inside = 'workspace'", "unknown = true"), line("x=1; make"), policy.Context{Sandbox: "workspace"}, policy.Allow},
		{"unknown, of another", rule("allow", "['make']", "inside = 'workspace'", "unknown = true"), line("x=1; ls"), policy.Context{Sandbox: "workspace"}, policy.Ask},
		{"the name unknown", rule("allow", "['**']", "inside = 'workspace'", "unknown = true"), line("$x y"), policy.Context{Sandbox: "workspace"}, policy.Ask},
		{"a name in the home", rule("allow", "['**']", "inside = 'workspace'", "unknown = true"), line("~/bin/x y"), policy.Context{Sandbox: "workspace"}, policy.Allow},
		{"a path in the home", rule("allow", "['x']", "bin = '~/b/x'"), line("~/b/x y"), policy.Context{}, policy.Allow},
		{"a path in a directory of that name", rule("allow", "['x']", "bin = '~/b/x'"), line("'~/b/x' y"), policy.Context{}, policy.Ask},
		{"a path in another home", rule("allow", "['x']", "bin = '~/b/x'"), line("HOME=/tmp; ~/b/x y"), policy.Context{}, policy.Ask},
		{"a name in the home is denied", "default = 'allow'\n" + rule("deny", "['rm']"), line("~/bin/rm y"), policy.Context{}, policy.Deny},
		{"a word as it stands", rule("deny", "['rm', '**', '~']"), line("rm -rf ~"), policy.Context{}, policy.Deny},
		{"a glob that can't be it", "default = 'allow'\n" + rule("deny", "['rm', '**', '/etc']"), line("rm /tmp/*"), policy.Context{}, policy.Allow},
		{"a glob that can be it", "default = 'allow'\n" + rule("deny", "['rm', '**', '/etc']"), line("rm /e*"), policy.Context{}, policy.Ask},
		{"several words that can be it", "default = 'allow'\n" + rule("deny", "['rm', '**', '/etc']"), line("rm \"/tmp/$@\""), policy.Context{}, policy.Ask},
		{"a path", rule("allow", "['git']"), path, policy.Context{}, policy.Ask},
		{"a path that is bin", rule("allow", "['git']", "bin = '/usr/bin/git'"), path, policy.Context{}, policy.Allow},
		{"a name that is not bin", rule("allow", "['git']", "bin = '/usr/bin/git'"), line("git status"), found("/opt/git", false), policy.Ask},
		{"a name that is bin", rule("allow", "['git']", "bin = '/usr/bin/git'"), line("git status"), found("/usr/bin/git", false), policy.Allow},
		{"a name it may write", rule("allow", "['git']"), line("git status"), found("/work/app/git", true), policy.Ask},
		{"a flag that is named", rule("allow", "['sort', '**']", "flags = ['-o']"), line("sort -o x y"), policy.Context{}, policy.Allow},
		{"a flag in argv", rule("allow", "['sort', '-o']"), line("sort -o x y"), policy.Context{}, policy.Allow},
		{"any word", rule("allow", "['kill', '*']"), line("kill \"$pid\""), policy.Context{}, policy.Allow},
		{"any word is one", rule("allow", "['kill', '*']"), line("kill $pid"), policy.Context{}, policy.Ask},
		{"words between", rule("deny", "['x', '**', '--yes']"), line("x a b --yes c"), policy.Context{}, policy.Deny},
		{"maybe denied", rule("allow", "['x', '**']") + rule("deny", "['x', 'push']"), line("x $what"), policy.Context{}, policy.Ask},
		{"an option before", rule("allow", "['x']") + rule("deny", "['x', 'push']"), line("x -C dir push"), policy.Context{}, policy.Ask},
		{"denied with what isn't known", rule("deny", "['x']"), line("x $y"), policy.Context{}, policy.Deny},
		{"args", rule("allow", "['ls']"), args("ls", "-l", "$x"), policy.Context{}, policy.Allow},
		{"args with a line", rule("deny", "['rm']"), args("sh", "-c", "rm x"), policy.Context{}, policy.Deny},
		{"all allowed", "default = 'allow'", line("anything at all"), policy.Context{}, policy.Allow},
		{"all allowed but what isn't known", "default = 'allow'", line("$x"), policy.Context{}, policy.Ask},
	} {
		if v := mustNew(t, mustParse(t, c.rule, policy.User)).Decide(c.e, c.env); v.Decision != c.want {
			t.Errorf("%s: %v (%s), want %v", c.name, v.Decision, v.Reason, c.want)
		}
	}
}

func TestCommands(t *testing.T) {
	v := starter(t).Decide(line(`FOO=1 make all >out; sudo sh -c 'ls "$x"'`), policy.Context{})
	var got []string
	for _, c := range v.Commands {
		s := strings.Join(append(append(slices.Clone(c.Through), c.Assigns...), c.Argv...), " ")
		for _, r := range c.Redirects {
			s += " " + r.Op + r.Target
		}
		got = append(got, s+": "+c.Decision.String())
	}
	want := []string{
		"FOO make all >out: ask", `sudo sh -c ls "$x": ask`, `sudo sh -c ls "$x": allow`, `sudo sh ls "$x": allow`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestAlways(t *testing.T) {
	p := starter(t)
	for _, c := range []struct{ line, want string }{
		{"make site && git fetch origin; ls", "make site, git fetch"},
		{"make -n", ""}, {"rm x", ""}, {"$x", ""}, {"sudo make all", ""}, {"nohup make all", "make all"}, {"python3 -c 1; make site", ""}, {"git push --force; make site", ""}, {"make site; make \"a b\"", ""}, {"make all > out", "make all >roots"}, {"make all > /tmp/out", "make all >/tmp"}, {"make all > ../out", ""}, {"make all > .envrc", ""},
		{"cat > x.py <<E\nE", "cat >roots"}, {"echo x >> a/Makefile", ""}, {"cp a /tmp/b", "cp ** @roots,/tmp"}, {"cp a /etc/b", ""}, {"cp a/*.go b", "cp ** @roots"}, {"cp *.go b", ""},
		{"sed -i s/a/b/ x.go", "sed ** @roots"}, {"sed -i 's/a/b/w y' x.go", ""}, {"rm -rf /tmp/x", "rm ** @/tmp"}, {"python3 x.py a", "python3 ** @roots"}, {"python3 - <<E\nE", ""},
		{"python3 x.py /etc", ""}, {"python3 -m http.server", "python3 -m http.server"}, {"python3 -m pdb x", ""}, {"bash a/x.sh", "bash ** @roots"}, {"npm run site", "npm run site"}, {"npm run", ""},
		{"uv run bash x", ""}, {"go run ./cmd/x", "go run ./cmd/x"}, {"git config x y", ""}, {"./a/run x", "run x =/work/app/a/run"}, {"/opt/x", ""}, {"~/.x/tool use a", "tool use =~/.x/tool"}, {"'~/.x/tool' use a", ""}, {"~/../x", ""}, {"./timeout 5 ls", ""}, {"awk '{print}' a > b", "awk >roots"}, {"awk '{print>$1}' a > b", ""},
		{"python3 -c 1", ""}, {"(make all; make all)", "make all"}, {"PATH=x make all", ""}, {"terraform plan \"$x\"", ""},
		{"python3.11 x.py", ""}, {"node-20 x.js", ""}, {"java -jar x", ""}, {"sqlite3 a.db", ""}, {"tsx x.ts", ""},
		{"ls", ""}, {"git push --force", ""}, {"mytool deploy --prod", "mytool deploy"},
		{"mytool -v x.txt 3", "mytool"}, {"mytool --prod deploy", ""}, {"mytool", "mytool"}, {"mytool ./x deploy", ""}, {"mytool \"$x\"", ""}, {"make ./x", "make ./x"},
	} {
		var got []string
		for _, r := range p.Decide(line(c.line), policy.Context{}).Always {
			var words []string
			for _, w := range r.Argv {
				words = append(words, strings.Join(w, "|"))
			}
			for mark, extra := range map[string][]string{">": r.Writes, "@": r.Files, "=": {r.Bin}} {
				if s := strings.Join(extra, ","); s != "" {
					words = append(words, mark+s)
				}
			}
			got = append(got, strings.Join(words, " "))
		}
		if s := strings.Join(got, ", "); s != c.want {
			t.Errorf("%q: %q, want %q", c.line, s, c.want)
		}
	}
}
