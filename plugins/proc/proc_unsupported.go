//go:build !wasip1

package proc

import (
	"errors"
	"os"
)

func supported() bool { return false }

func newPipe() (r, w *os.File, err error) { return nil, nil, errors.ErrUnsupported }

func interrupts() (*os.File, error) { return nil, errors.ErrUnsupported }

func waiting(*os.File) (*os.File, error) { return nil, errors.ErrUnsupported }

func terminalOf(*os.File) (Terminal, error) { return Terminal{}, errors.ErrUnsupported }

func setTerminal(*os.File, uint32, Terminal) error { return errors.ErrUnsupported }

func resizes(*os.File) (*os.File, error) { return nil, errors.ErrUnsupported }

func self() (int, error) { return 0, errors.ErrUnsupported }

func list() ([]Process, error) { return nil, errors.ErrUnsupported }

func reserve() (int, error) { return 0, errors.ErrUnsupported }

func sendSignal(int, int) error { return errors.ErrUnsupported }

// process is what a Cmd has become: here, nothing.
type process struct{}

func (*process) start(*Cmd) error      { return errors.ErrUnsupported }
func (*process) wait() (Status, error) { return Status{}, errors.ErrUnsupported }
func (*process) kill() error           { return errors.ErrUnsupported }
