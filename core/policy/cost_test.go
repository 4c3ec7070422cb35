package policy_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/policy"
)

// TestCostOfHostileLines: a line of 64 KiB takes some memory for each of its bytes and no more,
// whatever it repeats. Bytes are counted and not time, which a busy machine stretches: what is
// nested without end, or looked at again for each part of it, allocates hundreds of megabytes.
func TestCostOfHostileLines(t *testing.T) {
	const most = 64 << 20 // bytes; a line of words takes 8 MB
	p := starter(t)
	check := func(name string, e *core.Exec) {
		t.Helper()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		v := p.Decide(e, policy.Context{})
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > most {
			t.Errorf("%s: %d MB", name, n>>20)
		}
		if v.Decision == policy.Allow {
			t.Errorf("%s: allowed", name)
		}
	}
	for _, part := range []string{
		"if ", "while ", "until ", "for i in a; do ", "case x in x) ", "{ ", "( ", "$(", "\"$(", "<(", "`", "time ", "coproc ", "f() ", "if a; then b; elif ", "while a; do ",
		"${a:-", "${a[", "$((", "((a+", "a=(", "@(a|", "! ", "[[ ! ", "[[ a && ",
		"a;", "a\n", "a|", "a&&", "a&", "(a);", ">a ", "<a ", "a=b ", "<<a ", "a<<a\na\n", "$a ", "a$(b)<(c) ", "bash -c a;", "eval a;", "cd a;", "env ", "nohup ", "git -c a ", "find -exec a ; ", "sed -e w ",
	} {
		check(part, line(strings.Repeat(part, 1<<16/len(part))))
	}
	inner := "bash -c '" + strings.Repeat("a;", 250) + "' "
	check("redirects of many", line(inner+strings.Repeat(">f ", 20_000)))
	check("redirects of a block", line("{ "+strings.Repeat("a;", 250)+"} "+strings.Repeat(">f ", 20_000)))
	check("assignments", line(strings.Repeat("a=1 ", 16_000)+inner))
	check("directories", line(strings.Repeat("cd a;cd b;cd c;", 30)+"a"))
	given := line("a; b; c")
	given.Command.Env = make([]core.EnvVariable, 100_000)
	check("variables", given)
	check("variables of env", args(append(append([]string{"env"}, slices.Repeat([]string{"A=1"}, 10000)...), "bash", "-c", strings.Repeat("a;", 250))...))
	check("awk", args("awk", "{print;};"+strings.Repeat(">", 1<<16-100)))
}

// TestDepth: what is nested is asked about, and what only looks so is not.
func TestDepth(t *testing.T) {
	p := starter(t)
	deep := strings.Repeat("if ls; then ", 2000) + "ls" + strings.Repeat("; fi", 2000)
	if v := p.Decide(line(deep), policy.Context{}); v.Decision != policy.Ask || !strings.Contains(v.Reason, "nested too deeply") || len(v.Commands) > 0 {
		t.Errorf("%v (%s), %d commands", v.Decision, v.Reason, len(v.Commands))
	}
	flat := "cat <<'EOF'\n" + strings.Repeat("if x while y {\n", 4000) + "EOF\n" + "echo '" + strings.Repeat("if x\n", 1000) + "'\n"
	if v := p.Decide(line(flat), policy.Context{}); v.Decision != policy.Allow {
		t.Errorf("%v (%s)", v.Decision, v.Reason)
	}
	many := strings.Repeat("ls; ", 256)
	if v := p.Decide(line(many), policy.Context{}); v.Decision != policy.Allow || len(v.Commands) != 256 {
		t.Errorf("256 commands: %v (%s), %d", v.Decision, v.Reason, len(v.Commands))
	}
	if v := p.Decide(line(many+"rm x"), policy.Context{}); v.Decision != policy.Ask || !strings.Contains(v.Reason, "too many commands") {
		t.Errorf("257 commands: %v (%s)", v.Decision, v.Reason)
	}
}

// TestCostOfRules: a project's rules may be such that to compare them takes long. Then it is asked.
func TestCostOfRules(t *testing.T) {
	var file strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&file, "[[rule]]\nid = '%d'\ndecision = 'ask'\nargv = ['**', 'a', '**', 'b', '**', 'c', '**', 'd', '**', 'e']\n", i)
	}
	f, err := policy.Parse("p", []byte(file.String()), policy.Project)
	if err != nil {
		t.Fatal(err)
	}
	own, err := policy.Parse("u", []byte("default = 'allow'"), policy.User)
	if err != nil {
		t.Fatal(err)
	}
	p, err := policy.New(f, own)
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("ls"+strings.Repeat(" x", 80)+"; ", 250)
	if v := p.Decide(line(long), policy.Context{}); v.Decision != policy.Ask || !strings.Contains(v.Reason, "too many rules") {
		t.Errorf("%v (%s)", v.Decision, v.Reason)
	}
}
