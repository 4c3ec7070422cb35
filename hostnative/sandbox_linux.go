package hostnative

import (
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostnative/internal/confine"
)

// A confiner makes the rules of commands.
type confiner struct {
	rules   confine.Rules // without roots and private directory
	roots   []string
	private string
	missing error // what the kernel lacks
}

// rules are what one command is confined to.
type rules struct {
	confine.Rules
	key string // equal for equal rules
}

// newConfiner returns a confiner. s is on.
func newConfiner(s Sandbox) (*confiner, error) {
	level, err := confine.ParseLevel(string(s.Level))
	if err != nil {
		return nil, err
	}
	home, _ := os.UserHomeDir() // without one there is nothing in it to hide
	c := &confiner{
		rules:   confine.Rules{Level: level, Write: s.Write, Home: home, Hide: s.Hide, Own: s.Own},
		roots:   s.Roots,
		private: s.Private,
		missing: confine.Available().Err(),
	}
	if s.Required && c.missing != nil {
		return nil, c.missing
	}
	if c.private == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return nil, fmt.Errorf("sandbox: no place for temporary files: %w", err)
		}
		c.private = filepath.Join(cache, "terrarium", "private")
	}
	if level == confine.Strict {
		c.rules.Read = confine.Toolchains(os.Getenv)
	}
	check := c.rules
	check.Roots = s.Roots
	return c, check.Check()
}

// of returns the rules of a command, and makes its private directory.
func (c *confiner) of(command core.Command) (*rules, error) {
	r := &rules{Rules: c.rules}
	r.Roots = command.Roots
	if len(r.Roots) == 0 {
		r.Roots = c.roots
	}
	id := sha256.Sum256([]byte(strings.Join(slices.Sorted(slices.Values(r.Roots)), "\x00")))
	r.Private = filepath.Join(c.private, strings.ToLower(base32.StdEncoding.EncodeToString(id[:10])))
	for _, name := range []string{"tmp", "cache", "go-build", "npm"} {
		if err := os.MkdirAll(filepath.Join(r.Private, name), 0o700); err != nil {
			return nil, fmt.Errorf("sandbox: directory for temporary files: %w", err)
		}
	}
	if err := r.Check(); err != nil {
		return nil, err
	}
	r.key = strings.Join(r.Roots, "\x00")
	return r, nil
}

// variables have programs use the private directory.
func (r *rules) variables() []core.EnvVariable {
	return []core.EnvVariable{
		{Name: "TMPDIR", Value: filepath.Join(r.Private, "tmp")},
		{Name: "XDG_CACHE_HOME", Value: filepath.Join(r.Private, "cache")},
		{Name: "GOCACHE", Value: filepath.Join(r.Private, "go-build")},
		{Name: "npm_config_cache", Value: filepath.Join(r.Private, "npm")},
	}
}

// refuseRules returns why a command's rules can't be had.
func refuseRules(err error) error {
	reason := "start_failed"
	if errors.Is(err, os.ErrNotExist) {
		reason = "not_found"
	}
	return &core.HostError{Reason: reason, Message: err.Error(), Err: err}
}

// reportSandbox tells what a sandbox would have here.
func reportSandbox() Mechanism {
	r := confine.Available()
	m := Mechanism{Name: "sandbox", Used: r.Err() == nil}
	var parts []string
	if r.Landlock > 0 {
		parts = append(parts, fmt.Sprintf("Landlock version %d", r.Landlock))
	}
	if r.Calls {
		parts = append(parts, "a filter of system calls")
	}
	for _, gap := range r.Missing {
		parts = append(parts, gap.Text)
	}
	m.Detail = strings.Join(parts, "; ")
	return m
}
