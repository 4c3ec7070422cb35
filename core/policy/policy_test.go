package policy_test

import (
	"testing"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/policy"
)

func mustParse(t testing.TB, src string, layer policy.Layer) *policy.File {
	t.Helper()
	f, err := policy.Parse("policy.toml", []byte(src), layer)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func mustNew(t testing.TB, files ...*policy.File) *policy.Policy {
	t.Helper()
	p, err := policy.New(files...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func starter(t testing.TB) *policy.Policy {
	t.Helper()
	return mustNew(t, mustParse(t, string(policy.Starter), policy.User))
}

// line is a shell line as the native host resolves it.
func line(s string) *core.Exec {
	return &core.Exec{
		Command: core.Command{Command: s, Cwd: "/work/app", Roots: []string{"/work/app"}},
		Path:    "/bin/bash", Argv: []string{"/bin/bash", "-c", s}, Via: core.ViaShell,
	}
}

func args(argv ...string) *core.Exec {
	return &core.Exec{
		Command: core.Command{Command: argv[0], Args: argv[1:], Cwd: "/work/app", Roots: []string{"/work/app"}},
		Path:    "/usr/bin/" + argv[0], Argv: argv, Via: core.ViaArgs,
	}
}

func TestStarterAllows(t *testing.T) {
	p := starter(t)
	for _, s := range []string{
		"ls -la", "cd core && git status -sb", "git log --oneline -20 | head -5", "go test ./... 2>&1 | tail -20",
		"grep -rn foo . | wc -l", "cat a.txt b.txt | sort | uniq -c | sort -rn | head", "echo hello > /dev/null",
		"git diff HEAD~1 -- core/registry.go", "for f in a b c; do cat $f; done", "if git diff --quiet; then echo clean; fi",
		"timeout 60 go build ./...", "bash -c 'git status && ls'", "env LANG=C ls", "cat <<'EOF'\nrm -rf /\nEOF",
		"cat <<EOF | wc -l\nmkfs /dev/sda is text\nEOF", "find . -name '*.go' | xargs wc -l", "git show HEAD@{1}:go.mod",
		"LC_ALL=C GIT_PAGER=cat git log -1", "echo $((1 + 2))", "sed -n '1,20p;30q' x", "nohup nice -n 5 ls", "time ls",
		"(cd web && ls) ; ls", "echo \"it's $(git rev-parse HEAD)\"", "git -C core log -1", "ls ~/src", "awk -F: '{print $1}' x",
		"while read -r f; do wc -l \"$f\"; done < list", "find . -type f -exec grep -l x {} +", "cat a | tee", "echo a{b,c}",
	} {
		want := policy.Allow
		if s == "cat a | tee" {
			want = policy.Ask // it may write
		}
		if v := p.Decide(line(s), policy.Context{}); v.Decision != want {
			t.Errorf("%q: %v (%s), want %v", s, v.Decision, v.Reason, want)
		}
	}
}
