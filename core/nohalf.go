//go:build reactor

package core

// Who embeds the reactor has one lock, if any: nothing is ever split.

func (*Terminal) mustBeWhole() {}

// An OutputHalf is nothing here.
type OutputHalf struct{}
