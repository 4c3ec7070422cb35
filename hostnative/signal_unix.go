//go:build linux || darwin

package hostnative

import (
	"errors"
	"fmt"

	"github.com/terrarium-dev/terrarium/hostnative/internal/tree"
)

// Signal sends a signal to every process of the command's tree. name is a
// POSIX name, or SIG and a number where there is none: "SIG34".
func (p *process) Signal(name string) error {
	sig, ok := tree.SignalNumber(name)
	if !ok {
		return fmt.Errorf("hostnative: signal %.32q: %w", name, errors.ErrUnsupported)
	}
	if p.closed() {
		return errClosed
	}
	err := p.command.Signal(sig)
	switch {
	case p.closed():
		return errClosed
	case err != nil:
		return fmt.Errorf("hostnative: %w", err)
	}
	return nil
}
