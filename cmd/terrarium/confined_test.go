package main

import "testing"

func TestRefusals(t *testing.T) {
	for want, counts := range map[string]map[string]int64{
		"": {"chmod": 1, "without a name": 1}, // refused has said that
		"the sandbox has refused its workers 12 system calls: ioctl 10, chmod 1, fchmod 1": {"chmod": 1, "fchmod": 1, "ioctl": 10},
		"the sandbox has refused its workers 14 system calls: j 5, a 1, b 1, c 1, d 1, e 1, f 1, g 1, others 2": {
			"a": 1, "b": 1, "c": 1, "d": 1, "e": 1, "f": 1, "g": 1, "h": 1, "i": 1, "j": 5,
		},
	} {
		if got := refusals(counts); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if got := refusals(nil); got != "" {
		t.Errorf("got %q of none", got)
	}
}
