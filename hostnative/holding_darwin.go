package hostnative

import (
	"errors"
	"fmt"
	"strings"

	"github.com/terrarium-dev/terrarium/hostnative/internal/confine"
)

// This file has been compiled and vetted, but not run.

// sandboxExec applies a profile of Seatbelt to itself, and executes a program then. It is
// named by its path: one in a PATH might be anybody's.
const sandboxExec = "/usr/bin/sandbox-exec"

var errUntested = fmt.Errorf("the sandbox of macOS, Seatbelt, is untested: nobody has tried what commands can do in it: %w", errors.ErrUnsupported)

// findHolding fails where there is no sandbox-exec.
func findHolding() (holding, error) {
	if err := checkExecutable(sandboxExec); err != nil {
		return holding{}, fmt.Errorf("sandbox: %s: %w: %w", sandboxExec, errors.ErrUnsupported, err)
	}
	return holding{untested: errUntested}, nil
}

// confined returns what has sandbox-exec start s, which has rules.
//
// The command's argv[0] becomes its path: sandbox-exec passes on no other. Resolve makes
// names that end as the path does, so a program that goes by what it is called does the
// same; one that prints its name prints more. Of a shell between the two, which could
// set it, we would not know what it does to the rest.
//
// What fails in sandbox-exec can't be told from a command that fails: it exits with 65
// for a profile that it can't read, and with 71 where the program can't be executed, and
// says so on standard error. So what can be seen here is looked at before. A script
// without #! runs by /bin/sh, as execvp(3) does it, and variables that begin with DYLD_
// don't reach the command: the system takes them away from its own programs.
func confined(s spec) (spec, error) {
	if err := checkExecutable(s.path); err != nil {
		return s, err
	}
	profile, err := confine.Profile(s.rules.Rules, confine.Network{}, ownTerminal(s), confine.ThisMac(s.rules.Rules))
	if err != nil {
		return s, err
	}
	s.argv = append([]string{sandboxExec, "-p", profile, s.path}, s.argv[1:]...)
	s.path, s.rules = sandboxExec, nil
	return s, nil
}

// ownTerminal returns the path of the pty that was made for s, if there is one. The
// terminal of whoever has started this program is not the command's own, also where its
// output goes there: it could forge input.
func ownTerminal(s spec) string {
	if s.files[1] == nil || s.files[1] != s.files[2] || !strings.HasPrefix(s.files[1].Name(), "/dev/ttys") {
		return ""
	}
	return s.files[1].Name()
}

// connects says that commands in a sandbox can connect to nothing: a profile has rules for
// a proxy and for sockets, and nobody opens them.
func connects() error {
	return fmt.Errorf("sandbox: no connections on macOS: %w", errors.ErrUnsupported)
}

// reportSandbox tells what a sandbox would have here.
func reportSandbox() Mechanism {
	m := Mechanism{Name: "sandbox", Detail: "Seatbelt (sandbox-exec), untested"}
	if _, err := findHolding(); err != nil {
		m.Detail = err.Error()
	} else {
		m.Used = true
	}
	return m
}
