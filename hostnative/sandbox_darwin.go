package hostnative

import (
	"errors"
	"fmt"

	"github.com/terrarium-dev/terrarium/core"
)

// A confiner makes the rules of commands. There are none here.
type confiner struct{ missing error }

type rules struct{}

func newConfiner(Sandbox) (*confiner, error) {
	return nil, fmt.Errorf("sandbox: Linux only: %w", errors.ErrUnsupported)
}

func (*confiner) of(core.Command) (*rules, error) { return nil, nil }
func (*rules) variables() []core.EnvVariable      { return nil }
func refuseRules(err error) error                 { return err }

// reportSandbox tells that there is none here.
func reportSandbox() Mechanism { return Mechanism{Name: "sandbox", Detail: "Linux only"} }
