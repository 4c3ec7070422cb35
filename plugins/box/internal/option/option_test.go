package option

import (
	"fmt"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	const spec = "a,all n,lines= i,in-place? color? l,number R,r,recursive nothing"
	for _, tt := range []struct {
		spec, args, want string
	}{
		{spec, "-a x -n 3 y", "a n=3 | x y"},
		{spec, "-an3", "a n=3 |"},
		{spec, "-na", "n=a |"},
		{spec, "-i.bak -i f", "i=.bak i | f"},
		{spec, "--lines=5 --lines 6 --all", "n=5 n=6 a |"},
		{spec, "--li 5 --al", "n=5 a |"},
		{spec, "--color --color=x", "color color=x |"},
		{spec, "-r -R --recursive", "R R R |"},
		{spec, "- -- -a", "| - -a"},
		{"+ a", "-a x -a", "a | x -a"},
		{spec, "-z", "invalid option -- 'z'"},
		{spec, "-az", "invalid option -- 'z'"},
		{spec, "-n", "option requires an argument -- 'n'"},
		{spec, "--lines", "option '--lines' requires an argument"},
		{spec, "-\xe9", "invalid option -- '\xe9'"},
		{spec, "--foo=1", "unrecognized option '--foo=1'"},
		{spec, "--all=1", "option '--all' doesn't allow an argument"},
		{spec, "--n", "option '--n' is ambiguous; possibilities: '--number' '--nothing'"},
	} {
		if got := show(Parse(strings.Fields(tt.args), tt.spec)); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.args, got, tt.want)
		}
	}
}

func show(r *Result, err error) string {
	if err != nil {
		return err.Error()
	}
	s := ""
	for _, o := range r.Options {
		s += o.Name
		if o.Set {
			s += "=" + o.Arg
		}
		s += " "
	}
	return strings.TrimSpace(fmt.Sprintf("%s| %s", s, strings.Join(r.Operands, " ")))
}
