//go:build !linux && !darwin

package hostnative

import "errors"

// A confiner makes the rules of commands. There are none here.
type confiner struct{}

func newConfiner(Sandbox) (*confiner, error) { return nil, errors.ErrUnsupported }
