//go:build linux || darwin

package hostnative

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Signal sends a signal to every process of the command's tree. name is a
// POSIX name, or SIG and a number where there is none: "SIG34".
func (p *process) Signal(name string) error {
	sig, ok := signalNumber(name)
	if !ok {
		return fmt.Errorf("hostnative: signal %.32q: %w", name, errors.ErrUnsupported)
	}
	if p.closed() { // before mu, which Close may hold for long
		return errClosed
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed() {
		return errClosed
	}
	if err := p.signalGroup(sig); err != nil {
		return err
	}
	late := time.Now().Add(signalLimit)
	if sig == unix.SIGKILL {
		return p.tree.kill(p.leader(), false, late)
	}
	p.tree.signal(p.leader(), sig, late)
	return nil
}

// signalLimit is how long Signal looks for what a signal has to reach.
const signalLimit = time.Second

// kill sends SIGKILL to what is left of the group.
func (p *process) kill() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.signalGroup(unix.SIGKILL)
}

// signalGroup needs p.mu: it is what keeps the group's id ours.
func (p *process) signalGroup(sig unix.Signal) error {
	if p.gone {
		return nil
	}
	if p.pid <= 1 || p.pid == unix.Getpgrp() {
		panic("hostnative: signal to process group " + strconv.Itoa(p.pid))
	}
	err := unix.Kill(-p.pid, sig)
	switch {
	case err == nil, err == unix.ESRCH:
		return nil
	case err == unix.EINVAL:
		return fmt.Errorf("hostnative: signal %d: %w", sig, errors.ErrUnsupported)
	case err == unix.EPERM && p.hasExited():
		return nil // what macOS says of a group that is down to its zombie
	}
	return fmt.Errorf("hostnative: signal %d to process group %d: %w", sig, p.pid, err)
}

func (p *process) hasExited() bool {
	select {
	case <-p.exited:
		return true
	default:
		return false
	}
}

// signalNumber is the inverse of signalName. ok is false for other names, and
// for "SIG0", which is no signal.
func signalNumber(name string) (sig unix.Signal, ok bool) {
	if sig := unix.SignalNum(name); sig != 0 {
		return sig, true
	}
	digits, ok := strings.CutPrefix(name, "SIG")
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseUint(digits, 10, 7)
	return unix.Signal(n), err == nil && n > 0
}

func signalName(sig unix.Signal) string {
	if name := unix.SignalName(sig); name != "" {
		return name
	}
	return "SIG" + strconv.Itoa(int(sig))
}
