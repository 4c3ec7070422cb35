//go:build linux || darwin

package hostnative

import (
	"slices"
	"strings"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/egress"
)

// Bounds are what one command is confined to, by its core.Bounds.
type bounds struct {
	level SandboxLevel
	net   []egress.Rule // besides those of all commands
	terms []string      // see core.Exec.Terms
}

// strength orders the levels.
var strength = []SandboxLevel{SandboxOff, SandboxWorkspace, SandboxStrict}

// bounds returns what a command asks for. The error is a *core.InvalidError for what can't be had.
func (h *Host) bounds(wanted *core.Bounds) (bounds, error) {
	var asked core.Bounds
	if wanted != nil {
		asked = *wanted
	}
	b := bounds{level: SandboxOff}
	if h.confiner != nil {
		b.level = h.confiner.level
	}
	have, want := b.level, SandboxLevel(asked.Sandbox)
	refuse := func(reason, why string) (bounds, error) {
		return bounds{}, &core.InvalidError{Param: "sandbox", Reason: reason, Value: asked.Sandbox + ": " + why}
	}
	switch {
	case want == "" || want == have:
	case !slices.Contains(strength, want):
		return refuse("unknown_level", "use off, workspace or strict")
	case h.confiner == nil:
		return refuse("no_sandbox", "commands run without one here")
	case want == SandboxOff && h.confiner.required:
		return refuse("sandbox_required", "no command may run without one here")
	default:
		b.level = want
	}
	switch {
	case slices.Index(strength, b.level) >= slices.Index(strength, have):
	case b.level == SandboxOff:
		b.terms = append(b.terms, "without a sandbox")
	default:
		b.terms = append(b.terms, "in the sandbox "+string(b.level)+", which is less strict")
	}
	if b.level == SandboxOff {
		return b, nil // it connects to whatever it likes
	}
	return b, h.addNet(&b, asked.Net)
}

// addNet adds the hosts that not all commands may connect to.
func (h *Host) addNet(b *bounds, hosts []string) error {
	refuse := func(reason, value string) error {
		return &core.InvalidError{Param: "net", Reason: reason, Value: value}
	}
	if len(hosts) > core.MaxBounds {
		return refuse("too_many", "")
	}
	for _, host := range hosts {
		r, err := egress.Parse(host)
		switch {
		case err != nil:
			return refuse("not_a_host", strings.TrimPrefix(err.Error(), "egress: rule "))
		case slices.Contains(h.confiner.net, r) || slices.Contains(b.net, r):
			continue
		case r.NeedsLookup() && h.confiner.proxy == nil:
			return refuse("no_proxy", host)
		case connects() != nil:
			return refuse("unsupported", host)
		}
		b.net = append(b.net, r)
		b.terms = append(b.terms, "connecting to "+r.String())
	}
	return nil
}
