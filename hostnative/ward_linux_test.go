package hostnative

import "testing"

// The proxy tells of a refusal without saying whose it was. On a busy machine a command has asked
// it before its host knows its process: that one is told as well, and none that did not start.
func TestRollTellsWhatStarts(t *testing.T) {
	const why = "connect to example.com:80 is refused"
	var r roll
	var before, starting, failed refusals
	r.expect(&before)
	r.enter(1, &before)
	r.expect(&failed)
	r.giveUp(&failed)
	r.expect(&starting)
	r.all(why)
	r.enter(2, &starting)
	for _, test := range []struct {
		name string
		told *refusals
		want string
	}{
		{"which runs", &before, "terrarium: " + why + "\n"},
		{"which starts", &starting, "terrarium: " + why + "\n"},
		{"which failed to start", &failed, ""},
	} {
		if got := string(test.told.text()); got != test.want {
			t.Errorf("the command %s is told %q, want %q", test.name, got, test.want)
		}
	}
	if len(r.starting) != 0 {
		t.Errorf("%d are expected, want none", len(r.starting))
	}
}
