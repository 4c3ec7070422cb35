package fleet

import (
	"slices"
	"testing"
)

func TestLabels(t *testing.T) {
	has, err := ParseLabels([]string{"os=linux", "gpu=a100", "zone=eu-1"})
	if err != nil {
		t.Fatal(err)
	}
	if pools := has.pools(); len(pools) != 8 || pools[0] != DefaultPool {
		t.Errorf("got pools %q, want 8 of which %s is the first", pools, DefaultPool)
	}
	for _, pool := range has.pools() {
		if err := CheckName(pool); err != nil {
			t.Error(err)
		}
	}
	for _, test := range []struct {
		wanted []string
		want   bool
	}{
		{nil, true},
		{[]string{"gpu=a100"}, true},
		{[]string{"zone=eu-1", "os=linux"}, true},
		{[]string{"gpu=h100"}, false},
		{[]string{"gpu=a100", "disk=ssd"}, false},
	} {
		wanted, err := ParseLabels(test.wanted)
		if err != nil {
			t.Fatal(err)
		}
		if got := has.satisfy(wanted); got != test.want {
			t.Errorf("%s: got %v, want %v", wanted, got, test.want)
		}
		if got := slices.Contains(has.pools(), wanted.pool()); got != test.want {
			t.Errorf("%s: got that it pulls there %v, want %v", wanted, got, test.want)
		}
	}
	for _, bad := range [][]string{{"x"}, {"=x"}, {"x="}, {"x=a b"}, {"x=*"}, {"x=a", "x=b"}, {"a=1", "b=1", "c=1", "d=1", "e=1", "f=1"}} {
		if _, err := ParseLabels(bad); err == nil {
			t.Errorf("%q: got nil, want an error", bad)
		}
	}
}
