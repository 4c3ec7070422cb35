package hostnative

import "github.com/terrarium-dev/terrarium/core"

// A ward is what the confined commands of a session have in common: nothing here.
type ward struct{}

func (*ward) variables() []core.EnvVariable { return nil }

// enter has the private directory of a command count as used.
func (*keeping) enter(_ *confiner, _ core.SessionID, r *rules) (*ward, error) {
	used, err := usePrivate(r.Private)
	if err == nil {
		leavePrivate(used)
	}
	return nil, err
}

func (*keeping) leave(*ward) {}
