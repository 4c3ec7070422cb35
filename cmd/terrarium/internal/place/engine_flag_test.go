package place_test

import (
	"context"
	"errors"
	"testing"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/place"
)

// An engine's flags are --privileged, --memory, whose value it checks, and --env, whose it does
// not.
const flagScript = `
test "$1" = run || exit 9
shift
while test $# -gt 0; do
	case $1 in
	--privileged) ;;
	--help) help=1;;
	--env) shift;;
	--env=*|--memory=2g) ;;
	--memory) echo "invalid argument \"$2\" for \"-m, --memory\" flag: invalid size: '$2'" >&2; exit 125;;
	*) echo "unknown flag: $1" >&2; exit 125;;
	esac
	shift
done
test -n "$help" || { echo "docker: 'docker run' requires at least 1 argument" >&2; exit 1; }`

// A flag that lacks its value is refused before there is a container, whether the engine checks
// values or takes anything for one.
func TestCheckFlags(t *testing.T) {
	standIn(t, "docker", flagScript)
	for _, test := range []struct {
		flags []string
		want  string
	}{
		{nil, ""},
		{[]string{"--privileged", "--env=A=b", "--memory=2g", "--none=x"}, ""},
		{[]string{"--privileged", "--env"}, "--engine-flag --env: docker wants a value for it: --engine-flag --env=VALUE, in one word"},
		{[]string{"--memory"}, `--engine-flag --memory: docker image toolbox:1: invalid argument "--help" for "-m, --memory" flag: invalid size: '--help'`},
		{[]string{"--none"}, "--engine-flag --none: docker image toolbox:1: unknown flag: --none"},
	} {
		i := &place.Image{Engine: "docker", Name: "toolbox:1", Flags: test.flags}
		got := ""
		if err := i.CheckFlags(t.Context()); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%q: got %q, want %q", test.flags, got, test.want)
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("a signal")
	cancel(why)
	if err := (&place.Image{Engine: "docker", Name: "toolbox:1", Flags: []string{"--env"}}).CheckFlags(ctx); !errors.Is(err, why) {
		t.Errorf("got %v, want %v", err, why)
	}
}
