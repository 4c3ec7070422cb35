//go:build linux || darwin

package hostnative

import (
	"cmp"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/egress"
	"github.com/terrarium-dev/terrarium/hostnative/internal/confine"
	"github.com/terrarium-dev/terrarium/hostnative/internal/guard"
)

// A confiner makes the rules of commands.
type confiner struct {
	rules    confine.Rules // without roots and private directory
	level    SandboxLevel  // of rules
	roots    []string
	private  string
	required bool
	net      []egress.Rule
	proxy    func(egress.List, func(*egress.Refusal)) (ProxySession, error)
	sockets  []string
	closed   error // what Host.SandboxClosed says
	tidying  *tidying
	state    string // of guards
	guards   *guard.Guard
	holding  // what the system does about it

	// known are the rules of the roots that commands have had. To make them takes
	// longer than to start a command.
	mu      sync.Mutex
	known   map[string]*rules
	granted int // rules that are one command's
}

// maxKnown bounds known.
const maxKnown = 256

// A holding is what the system at hand has for a sandbox.
type holding struct {
	missing  error // what the kernel lacks
	untested error // said of all that there is, if nobody has run it
}

// rules are what one command is confined to.
type rules struct {
	confine.Rules
	key string        // equal for equal rules
	net []egress.Rule // what may be connected to
}

// newConfiner returns a confiner. s is on.
func newConfiner(s Sandbox) (*confiner, error) {
	level, err := confine.ParseLevel(string(s.Level))
	if err != nil {
		return nil, err
	}
	held, err := findHolding()
	if err != nil {
		return nil, err
	}
	home, _ := os.UserHomeDir() // without one there is nothing in it to hide
	c := &confiner{
		rules:    confine.Rules{Level: level, Write: s.Write, Home: home, Hide: s.Hide, OpenNet: s.OpenNet, Own: s.Own},
		level:    s.Level,
		roots:    s.Roots,
		private:  s.Private,
		required: s.Required,
		net:      s.Net,
		proxy:    s.OpenProxy,
		holding:  held,
		tidying:  newTidying(),
		known:    make(map[string]*rules),
	}
	for _, path := range s.Sockets { // later, commands may make links of them
		c.sockets = append(c.sockets, confine.Resolve(path))
	}
	for _, dir := range s.Show { // likewise
		if !filepath.IsAbs(dir) {
			return nil, fmt.Errorf("sandbox show %q: not an absolute path", dir)
		}
		c.rules.Show = append(c.rules.Show, confine.Resolve(dir))
	}
	if err := cmp.Or(c.missing, c.untested); s.Required && err != nil {
		return nil, err
	}
	if s.OpenNet || len(s.Net)+len(s.Sockets) > 0 {
		if err := connects(); err != nil {
			return nil, err
		}
	}
	if c.private == "" {
		if c.private, err = PrivateDir(); err != nil {
			return nil, fmt.Errorf("sandbox: no place for temporary files: %w", err)
		}
	}
	c.state = filepath.Join(c.private, "protected")
	c.guards = guard.New(guard.Config{State: c.state, Homes: slices.DeleteFunc([]string{home}, func(h string) bool { return h == "" })})
	c.rules.Read = toRead(level)
	check := c.rules
	check.Roots = s.Roots
	if err := check.Check(); err != nil {
		return nil, err
	}
	c.closed = check.Closed()
	return c, nil
}

// toRead returns what a level lets commands read besides what is handed over.
func toRead(level confine.Level) []string {
	if level == confine.Strict {
		return confine.Toolchains(os.Getenv)
	}
	return nil
}

// of returns the rules of a command. What one may connect to that others may not is in
// rules that no other has: they have a keeper and a proxy of their own.
func (c *confiner) of(command core.Command, b bounds) (*rules, error) {
	roots := command.Roots
	if len(roots) == 0 {
		roots = c.roots
	}
	key := string(b.level) + "\x00" + strings.Join(roots, "\x00")
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.known[key]
	if r != nil && len(b.net) == 0 {
		return r, nil
	}
	r, err := c.make(slices.Clone(roots), b.level)
	if err != nil {
		return nil, err
	}
	if len(b.net) > 0 {
		c.granted++
		r.net = append(slices.Clip(r.net), b.net...)
		r.key = fmt.Sprintf("%d\x00%s", c.granted, key)
		return r, nil
	}
	if len(c.known) >= maxKnown {
		clear(c.known)
	}
	r.key = key
	c.known[key] = r
	return r, nil
}

// make returns the rules of roots, and makes their private directory.
func (c *confiner) make(roots []string, level SandboxLevel) (*rules, error) {
	r := &rules{Rules: c.rules, net: c.net}
	if level != c.level {
		var err error
		if r.Level, err = confine.ParseLevel(string(level)); err != nil {
			return nil, err
		}
		r.Read = toRead(r.Level)
	}
	r.Roots = roots
	if slices.ContainsFunc(slices.Concat(roots, r.Write), func(dir string) bool { return within(c.state, dir) }) {
		r.Own = append(slices.Clip(r.Own), c.state)
	}
	id := sha256.Sum256([]byte(strings.Join(slices.Sorted(slices.Values(r.Roots)), "\x00")))
	r.Private = filepath.Join(c.private, strings.ToLower(base32.StdEncoding.EncodeToString(id[:10])))
	used, err := usePrivate(r.Private)
	if err != nil {
		return nil, fmt.Errorf("sandbox: directory for temporary files: %w", err)
	}
	used.Close() // whoever starts commands keeps it
	c.tidying.begin(c.private)
	if err := r.Check(); err != nil {
		return nil, err
	}
	return r, nil
}

// within reports whether a path is a directory, or below it, whatever links lead there.
func within(name, dir string) bool {
	rest, err := filepath.Rel(confine.Resolve(dir), confine.Resolve(name))
	return err == nil && filepath.IsLocal(rest)
}

// close forgets what is kept for commands to come.
func (c *confiner) close() {
	if c != nil {
		c.guards.Close()
		c.tidying.end()
	}
}

// variables have programs use the private directory. npm would look for a newer npm now and then,
// and the end of an unrelated command tell of a name that it could not look up.
func (r *rules) variables() []core.EnvVariable {
	return []core.EnvVariable{
		{Name: "TMPDIR", Value: filepath.Join(r.Private, "tmp")},
		{Name: "XDG_CACHE_HOME", Value: filepath.Join(r.Private, "cache")},
		{Name: "GOCACHE", Value: filepath.Join(r.Private, "go-build")},
		{Name: "npm_config_cache", Value: filepath.Join(r.Private, "npm")},
		{Name: "npm_config_update_notifier", Value: "false"},
	}
}

// refuseRules returns why a command's rules can't be had.
func refuseRules(err error) error {
	if errors.Is(err, confine.ErrEverything) { // whoever has opened the session can do better
		return &core.InvalidError{Param: "cwd", Reason: "root_directory"}
	}
	reason := "start_failed"
	if errors.Is(err, os.ErrNotExist) {
		reason = "not_found"
	}
	return &core.HostError{Reason: reason, Message: err.Error(), Err: err}
}
