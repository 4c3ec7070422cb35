//go:build !linux && !darwin

package hostnative

import "errors"

// A confiner makes the rules of commands. There are none here.
type confiner struct{ missing, untested, closed error }

func newConfiner(Sandbox) (*confiner, error) { return nil, errors.ErrUnsupported }

func (*confiner) close() {}

// reportSandbox tells that there is none here.
func reportSandbox() Mechanism { return Mechanism{Name: "sandbox", Detail: "Linux and macOS only"} }
