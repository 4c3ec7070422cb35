package hostnative

import (
	"context"
	"errors"

	"github.com/terrarium-dev/terrarium/hostnative/internal/tree"
)

// A keeping is what a Host has its commands kept by: here this program itself.
type keeping struct{ local *tree.Containment }

func newKeeping(Config) *keeping { return &keeping{tree.New(tree.Config{})} }

func (k *keeping) prepare()        {}
func (k *keeping) close()          {}
func (k *keeping) confines() error { return errors.ErrUnsupported }
func (k *keeping) limits() error   { return k.local.Limits() }

func (k *keeping) start(_ context.Context, s spec) (command, error) {
	return startHere(k.local, s)
}

func (k *keeping) report() []Mechanism {
	return append(mechanisms(k.local.Report()), Mechanism{Name: "keeper", Detail: "Linux only"})
}
