package hostnative

import (
	"context"

	"github.com/terrarium-dev/terrarium/hostnative/internal/tree"
)

// A keeping is what a Host has its commands kept by: here this program itself.
type keeping struct{ local *tree.Containment }

func newKeeping(c Config) *keeping { return &keeping{tree.New(tree.Config{Limits: c.Limits.ofTree()})} }

func (k *keeping) prepare(*confiner) {}
func (k *keeping) close()            {}
func (k *keeping) confines() error   { return nil } // by sandbox-exec, each command alone
func (k *keeping) limited() error    { return k.local.Limited() }

func (k *keeping) start(_ context.Context, s spec) (command, error) {
	if s.rules != nil {
		var err error
		if s, err = confined(s); err != nil {
			return nil, err
		}
	}
	return startHere(k.local, s)
}

func (k *keeping) report() []Mechanism {
	return append(mechanisms(k.local.Report()), Mechanism{Name: "keeper", Detail: "Linux only"})
}
