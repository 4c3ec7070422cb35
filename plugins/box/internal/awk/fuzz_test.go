package awk

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// FuzzParse parses programs. None may panic or take long.
func FuzzParse(f *testing.F) {
	for _, program := range []string{
		`{print $1}`, `BEGIN{x["a"]; for (k in x) delete x[k]}`, `/re/,$2>3{s+=$NF} END{printf "%d\n",s}`,
		`function f(a,b){return a?f(a-1,b):b} BEGIN{print f(3,"x")}`, `{if(a)b;else c;while(d)e;do g;while(h)}`, `BEGIN{getline x<"f"; "c"|getline; print|"d"}`,
		`a ~ /[/]/ && !b || c in d`, `BEGIN{print -2^-3 " " 1 -1, (1,2) in a}`, `$++i--`, `{sub(/a/,"b",$(1))}`, "{a=1\n\n;b\\\n}", `print >`, `((((`, `"\`, `function`,
	} {
		f.Add(program)
	}
	f.Fuzz(func(t *testing.T, program string) {
		if len(program) > 300 {
			return
		}
		parse(program)
	})
}

// FuzzRun runs programs that can't touch anything, on fuzzed input.
func FuzzRun(f *testing.F) {
	for _, program := range []string{
		`{$3="x"; NF=2; print $1, NF}`, `{n=split($0,a,FS); for(i=n;i>0;i--) printf "%s ", a[i]}`, `{print substr($0,$1,$2), $1%$2, $1^$2}`,
		`{gsub(/[aeiou]*/,"<&>"); print toupper($0)}`, `{printf "%5.2f %d %c %s %x\n",$1,$2,$3,$1,$2}`, `BEGIN{RS=""}{print NR, $1}`,
		`BEGIN{FS=","}{print match($0,$1), RSTART, $2<$3}`, `{a[$1]+=$2} END{for(k in a) print k, a[k]}`,
	} {
		f.Add(program, "1 2 3\na,b,c\n\n-1e400 0x5 nan\n")
	}
	f.Fuzz(func(t *testing.T, program, input string) {
		// What could reach files or run commands is left out.
		if len(program) > 200 || len(input) > 200 || strings.ContainsAny(program, "|>") || strings.Contains(program, "system") {
			return
		}
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		var out, msg bytes.Buffer
		tool.Run(Commands()[0], tool.Env{Context: ctx, Stdin: strings.NewReader(input), Stdout: &out, Stderr: &msg, Dir: t.TempDir()},
			[]string{"awk", program})
	})
}
