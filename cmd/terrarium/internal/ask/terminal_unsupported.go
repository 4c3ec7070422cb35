//go:build !linux && !darwin

package ask

import "context"

// A Terminal is a Way to the person at our terminal. On this system it leads to nobody.
type Terminal struct{ Plain bool }

var _ Way = (*Terminal)(nil)

// NewTerminal returns our terminal.
func NewTerminal(plain bool) *Terminal { return &Terminal{plain} }

// Ask implements Way.
func (*Terminal) Ask(context.Context, *Question) (Answer, error) { return Answer{}, ErrNobody }

// Choose asks for one of several options.
func (*Terminal) Choose(context.Context, string, string, []string) (int, error) { return 0, ErrNobody }
