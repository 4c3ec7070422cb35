package policy_test

import (
	"testing"

	"github.com/terrarium-dev/terrarium/core/policy"
)

func TestScripts(t *testing.T) {
	p := starter(t)
	for _, s := range []string{
		`sed -n '1,40p'`, `sed '1d;$d'`, `sed -n '/^func New/,/^}/p' x`, `sed -n '/a/,+3p'`, `sed '0~3!d'`, `sed 's/a/b/'`, `sed -E 's/(a)|b/\1/g;s,x,y,2p'`,
		`sed 's/[[:space:]]*$//'`, `sed 's/[^]a]//'`, `sed 's/\/a/b/'`, `sed -n -e 1p -e '/b/Ip' x y`, `sed 'y/abc/xyz/' a/*.txt`, `sed '$!N;P;D'`, `sed 's|.*/||' x`, `sed -n '0,/x/p'`,
		`awk '{print $1}'`, `awk -F: '$3>100'`, `awk -F, -v n=3 'NR>=n && NR<=9 {print; c++} END{if (c>1 || d) print c}'`, `awk '/^(a|b)$/' x`, `awk 'length > 80 {n++} END{print n}' core/*.go`,
	} {
		if v := p.Decide(line(s), policy.Context{}); v.Decision != policy.Allow {
			t.Errorf("%q: %v (%s)", s, v.Decision, v.Reason)
		}
	}
}
