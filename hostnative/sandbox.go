package hostnative

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"

	"github.com/terrarium-dev/terrarium/core/egress"
)

// A SandboxLevel says how much confined commands may read. What they may write and
// call is the same in both.
type SandboxLevel string

const (
	// SandboxOff confines nothing. So does "".
	SandboxOff SandboxLevel = "off"
	// SandboxWorkspace lets commands read all that the user may, but for what is known
	// to be secret: keys, passwords, browsers' profiles, our own files.
	SandboxWorkspace SandboxLevel = "workspace"
	// SandboxStrict lets commands read what is handed over, the system's programs, and
	// toolchains in the home directory.
	SandboxStrict SandboxLevel = "strict"
)

// A Sandbox says what commands are confined to, on Linux: by Landlock, which takes
// Linux 5.13, and a filter of system calls (seccomp). It takes a keeper; each session
// has one of its own then, whose commands can't reach those of others.
//
// Commands may write their session's roots, Write, and a directory of their own for
// temporary files and caches (TMPDIR, XDG_CACHE_HOME, GOCACHE, npm_config_cache), which
// sessions with the same roots share. They connect to what commands of their own session
// have bound on loopback or in a directory that can be written, to what Net and Sockets
// list, and to nothing else. What the kernel lacks is not in force: Report tells, and if
// that is Landlock or seccomp, Exec.Sandbox is empty.
//
// When a command has ended, files of the roots and of Write are put back that it has
// changed and that run later without a sandbox: git's hooks and configuration, settings of
// editors and agents. Its output ends with a line for each, and driver.Repairer tells of
// them. What could not be looked after is told in the same way.
//
// On macOS it is Seatbelt, by /usr/bin/sandbox-exec, and each command has its own, and
// connects to nothing. Nobody has tried it there yet, as Host.SandboxUntested tells, and so
// Exec.Sandbox is empty: rules may not rely on it. A command's argv[0] is its path.
type Sandbox struct {
	Level SandboxLevel

	// Required makes New fail where the kernel can restrict either files or calls only, and
	// where the sandbox is untested.
	Required bool

	// Roots are the absolute directories of commands that have no Command.Roots.
	Roots []string
	// Write are absolute directories that can be written besides the roots. Where something in one
	// is hidden, Host.SandboxClosed tells.
	Write []string
	// Hide are absolute paths that can't be read besides those that are known. Own are
	// those of the embedding program: they can't be handed over either.
	Hide, Own []string
	// Show are absolute directories in which what is known to be secret can be read: those where a
	// program has its own. Links are followed by New, and not later.
	Show []string

	// Net are the hosts that commands may connect to. Those that have names are reached
	// through a proxy, whose variables commands get.
	Net []egress.Rule
	// OpenNet has commands connect to any address, and send datagrams anywhere: so they look up
	// names by themselves. Servers stay on loopback, and unix sockets are those of Sockets. Net
	// must be empty. New fails on macOS, and where the kernel can't ask about connections.
	OpenNet bool
	// OpenProxy, if not nil, begins to take connections that a list allows, and tells what
	// it refuses. It is called once for each session and set of roots, if there is a Net.
	// New fails where Net has names and this is nil, for then nothing would reach them.
	// Package hostnative/netproxy has one.
	OpenProxy func(list egress.List, refused func(*egress.Refusal)) (ProxySession, error)
	// Sockets are absolute paths of unix sockets that commands may connect to. They need
	// not be there yet; links are followed by New, and not later. Who can connect to a
	// container daemon's is root.
	Sockets []string

	// Private is where the directories for temporary files and caches are: an absolute
	// path. If empty, it is terrarium/private in the user's cache directory. Versions of
	// protected files are kept aside in it, in protected/kept.
	//
	// The directory of a workspace that nobody has used for 30 days is removed, in the
	// background, by a Host that begins to use another.
	Private string
}

// PrivateDir returns where Sandbox.Private is by default: terrarium/private in the user's
// cache directory.
func PrivateDir() (string, error) {
	cache, err := os.UserCacheDir()
	return filepath.Join(cache, "terrarium", "private"), err
}

// A ProxySession is one session's proxy. It is safe for concurrent use.
type ProxySession interface {
	// Addr is where it listens, on loopback.
	Addr() netip.AddrPort
	// Env has programs use it: variables as NAME=value.
	Env() []string
	// Close ends its connections.
	Close() error
}

// on reports whether commands are confined.
func (s *Sandbox) on() bool { return s.Level != "" && s.Level != SandboxOff }

// check returns an error for what is no level.
func (s *Sandbox) check() error {
	switch s.Level {
	case "", SandboxOff, SandboxWorkspace, SandboxStrict:
	default:
		return fmt.Errorf("sandbox level %.40q: want off, workspace or strict", string(s.Level))
	}
	for _, r := range s.Net {
		if s.OpenProxy == nil && r.NeedsLookup() {
			return fmt.Errorf("sandbox net %s: a name is reached through a proxy only, and Sandbox.OpenProxy is nil: see package hostnative/netproxy", r)
		}
	}
	if s.OpenNet && len(s.Net) > 0 {
		return errors.New("sandbox: an open network has no list")
	}
	for _, path := range s.Sockets {
		if !filepath.IsAbs(path) {
			return fmt.Errorf("sandbox socket %q: not an absolute path", path)
		}
	}
	return nil
}

var errNoSandbox = errors.New("there is no sandbox without a keeper")
