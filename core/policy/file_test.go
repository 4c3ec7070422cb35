package policy_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/core/policy"
)

func TestParseRefuses(t *testing.T) {
	const ls = "[[rule]]\nid = 'a'\nargv = ['ls']\ndecision = 'allow'\n"
	for _, c := range []struct {
		src   string
		layer policy.Layer
		want  string // the error has it
	}{
		{"default = 'ask'\nfoo = 1\n", policy.User, `p.toml:2:1: unknown key "foo"`},
		{ls + "  bim = 'x'\n", policy.User, `p.toml:5:3: rule a: unknown key "bim": did you mean bin?`},
		{ls + ls + "decison = 'x'\n", policy.User, `p.toml:9:1: rule a: unknown key "decison": did you mean decision?`},
		{"[[rules]]\nid = 'a'\n", policy.User, `unknown key "rules": did you mean [[rule]]?`},
		{"rule = 7\n", policy.User, `rule: want [[rule]], with two brackets`},
		{"[[rule]]\nid = 'a'\nargv = 'ls -la'\n", policy.User, `rule a: argv: want a list of words: ["ls", "-la"]`},
		{ls + "match = 'ls x'\n", policy.User, `p.toml:5:9: rule a: match: want a list of lines: ["ls x"]`},
		{ls + "unknown = 'yes'\n", policy.User, `rule a: unknown: want true or false`},
		{ls + "bin = 7\n", policy.User, `rule a: bin: want text in quotes`},
		{"[[rule]]\nid = 'a'\nargv = ['git status']\ndecision = 'deny'\n", policy.User, `p.toml:3:1: rule a: argv: "git status" is one word with a blank: write "git", "status"`},
		{ls + "inside = 'sandbox'\n", policy.User, `p.toml:5:1: rule a: inside: "sandbox" is no level of sandbox: use workspace or strict`},
		{"default = 'ask'\ntrusted = 'ssh:box'\n", policy.User, `trusted: want a list of places: ["ssh:box"]`},
		{"truste = ['ssh:box']\n", policy.User, `unknown key "truste": did you mean trusted?`},
		{"trusted = ['']\n", policy.User, "p.toml:1:1: a place has 1 to 4096 bytes"},
		{"trusted = ['ssh:box']\n", policy.Project, "p.toml:1:1: a project's file can't trust a place"},
		{"trusted = [" + strings.Repeat("'a',", 257) + "]\n", policy.User, "more than 256 places"},
		{"default = \n", policy.User, "p.toml:1:11: "},
		{"default = 7\n", policy.User, "p.toml:1:11: "},
		{"default = 'maybe'\n", policy.User, `p.toml:1:1: decision "maybe"`},
		{"default = 'allow'\n", policy.Project, "only tighten"},
		{ls, policy.Project, "p.toml:4:1: rule a: a project's file can only tighten"},
		{ls + "\n" + ls, policy.User, "p.toml:7:1: rule a: another rule has this id"},
		{"[[rule]]\nargv = ['ls']\ndecision = 'allow'\n", policy.User, "p.toml:1:3: the rule has no id"},
		{"[[rule]]\nid = 'a'\ndecision = 'allow'\n", policy.User, "p.toml:1:3: rule a: the rule has no argv"},
		{"[[rule]]\nid = 'a'\nargv = [['ls', '*']]\ndecision = 'ask'\n", policy.User, "p.toml:3:1: rule a: argv"},
		{"[[rule]]\nid = 'a'\nargv = ['./ls']\ndecision = 'ask'\n", policy.User, "is a path"},
		{"[[rule]]\nid = 'a'\nargv = [[]]\ndecision = 'ask'\n", policy.User, "a list is empty"},
		{"[[rule]]\nid = 'a'\nargv = [7]\ndecision = 'ask'\n", policy.User, "7 is neither"},
		{"[[rule]]\nid = 'a'\nargv = ['ls']\n", policy.User, "decision"},
		{ls + "writes = '/'\n", policy.User, "p.toml:5:1: rule a: writes"},
		{ls + "files = ['roots', 'x']\n", policy.User, "p.toml:5:1: rule a: files"},
		{"[[rule]]\nid = 'a'\nargv = ['ls']\ndecision = 'ask'\nwrites = '/tmp'\n", policy.User, "is for rules that allow"},
		{ls + "unknown = true\n", policy.User, "p.toml:5:1: rule a: unknown is for"},
		{ls + "redirects = 'some'\n", policy.User, "p.toml:5:1: rule a: redirects"},
		{ls + "env_assign = 'some'\n", policy.User, "p.toml:5:1: rule a: env_assign"},
		{ls + "cwd = 'src'\n", policy.User, "p.toml:5:1: rule a: cwd"},
		{ls + "bin = 'ls'\n", policy.User, "p.toml:5:1: rule a: bin"},
		{ls + "bin = '/bin/../bin/ls'\n", policy.User, "p.toml:5:1: rule a: bin"},
		{ls + "inside = 'off'\n", policy.User, "p.toml:5:1: rule a: inside"},
		{ls + "match = ['ls', 'cat x']\n", policy.User, `p.toml:5:1: rule a: match: "cat x" does not fall under it, and must`},
		{ls + "match = ['ls $x']\n", policy.User, "does not fall under it"},
		{ls + "not_match = ['cat x', 'ls -l']\n", policy.User, `p.toml:5:1: rule a: not_match: "ls -l" falls under it, and must not`},
		{strings.Repeat("#", 1<<20+1), policy.User, "longer than"},
		{strings.Replace(ls, "'a'", "'"+strings.Repeat("a", 201)+"'", 1), policy.User, "the id is longer than"},
		{ls + "reason = '" + strings.Repeat("a", 1001) + "'\n", policy.User, "the reason is longer than"},
		{strings.Repeat("a", 1000) + " = 1\n", policy.User, "…"},
	} {
		_, err := policy.Parse("p.toml", []byte(c.src), c.layer)
		var at *policy.FileError
		if !errors.As(err, &at) || !strings.Contains(err.Error(), c.want) || len(err.Error()) > 700 {
			t.Errorf("%.80q: %v, want %q", c.src, err, c.want)
		}
	}
}

func rule(decision, argv string, more ...string) string {
	return "[[rule]]\nid = '" + decision + "-" + strings.NewReplacer("'", "", "[", "", "]", "").Replace(argv) +
		"'\ndecision = '" + decision + "'\nargv = " + argv + "\n" + strings.Join(more, "\n") + "\n"
}

func TestLayers(t *testing.T) {
	parse := func(l policy.Layer, src string) *policy.File { return mustParse(t, src, l) }
	for _, c := range []struct {
		name  string
		files []*policy.File
		line  string
		want  policy.Decision
	}{
		{"nothing", nil, "ls", policy.Ask},
		{"default", []*policy.File{parse(policy.User, "default = 'deny'")}, "ls", policy.Deny},
		{"the strictest default", []*policy.File{parse(policy.User, "default = 'allow'"), parse(policy.Managed, "default = 'deny'")}, "ls", policy.Deny},
		{"deny over allow", []*policy.File{parse(policy.User, rule("allow", "['ls']")), parse(policy.Managed, rule("deny", "['ls', '-R']"))}, "ls -R", policy.Deny},
		{"ask over allow", []*policy.File{parse(policy.Managed, rule("allow", "['ls']")), parse(policy.User, rule("ask", "['ls', '-R']"))}, "ls -R", policy.Ask},
		{"allow over a default", []*policy.File{parse(policy.User, "default = 'deny'\n"+rule("allow", "['ls']"))}, "ls", policy.Allow},
		{"a project tightens", []*policy.File{parse(policy.User, rule("allow", "['ls']")), parse(policy.Project, rule("deny", "['ls']"))}, "ls", policy.Deny},
		{"a project loosens no default", []*policy.File{parse(policy.User, "default = 'deny'"), parse(policy.Project, rule("ask", "['ls']"))}, "ls", policy.Deny},
	} {
		if v := mustNew(t, c.files...).Decide(line(c.line), policy.Context{}); v.Decision != c.want {
			t.Errorf("%s: %v, want %v", c.name, v.Decision, c.want)
		}
	}
	if _, err := policy.New(nil); err == nil {
		t.Error("a nil file makes a policy")
	}
}

func TestWhereALineIsWrong(t *testing.T) {
	for src, want := range map[string]string{
		"ls &&":                              "the line can't be parsed: column 4: ",
		"ls\necho 'x":                        "the line can't be parsed: line 2, column 6: ",
		"cat <<" + strings.Repeat("x", 4000): "the line can't be parsed: column ",
	} {
		v := starter(t).Decide(line(src), policy.Context{})
		if !strings.HasPrefix(v.Reason, want) || len(v.Reason) > 200 {
			t.Errorf("%.20q: %q, want %q", src, v.Reason, want)
		}
	}
}
