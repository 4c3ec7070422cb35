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
	ts := tree.Spec{Path: s.path, Argv: s.argv, Env: s.env, Ctty: s.ctty}
	for i, f := range s.files {
		ts.Files[i] = f.Fd()
	}
	if s.cwd != nil {
		ts.Dir = s.cwd.path
	}
	return k.local.Start(ts)
}

func (k *keeping) report() []Mechanism {
	return append(mechanisms(k.local.Report()), Mechanism{Name: "keeper", Detail: "Linux only"})
}
