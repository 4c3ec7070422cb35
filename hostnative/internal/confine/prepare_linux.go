//go:build amd64 || arm64

package confine

import (
	"errors"
	"reflect"
)

// A Prepared has the rules of Apply but for what a session hands over: to make them takes most of
// its time, and a process can do that before it is told whose commands it is going to confine.
type Prepared struct {
	common  Rules
	granter // whose ruleset is nil without Landlock
}

// errUnsteady is the error of Prepare where others change what is hidden meanwhile.
var errUnsteady = errors.New("sandbox: what is hidden changes while rules are prepared")

// Prepare makes what Apply needs for r, and for all rules that hand over other directories. The
// error is that of Apply, or that what is hidden has changed just then. Where a hidden link leads
// to is looked at before the directory that it is in: what comes between the two would never be
// found.
func Prepare(r Rules) (*Prepared, error) {
	if err := r.checkNames(); err != nil {
		return nil, err
	}
	version, _ := landlockVersion()
	p, err := prepare(r, version)
	if err == nil && r.hidden().digest() != p.hidden.digest() {
		p.Close()
		return nil, errUnsteady
	}
	return p, err
}

// prepare is Prepare with a version of Landlock.
func prepare(r Rules, version int) (*Prepared, error) {
	p := &Prepared{common: r.common(), granter: newGranter(nil, r, r.hidden())}
	if version == 0 {
		return p, nil
	}
	attr, size := handledBy(version, r.OpenNet)
	var err error
	if p.ruleset, err = newRuleset(&attr, size); err != nil {
		return nil, err
	}
	if err := p.grantCommon(r); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// Apply is the function Apply. What was prepared is used if it is what would be prepared now. It
// can be called once, also of nil, and closes p.
func (p *Prepared) Apply(r Rules, notify bool) (report Report, notifyFD int, err error) {
	version, why := landlockVersion()
	return apply(r, notify, version, why, p)
}

// isFor reports whether what was prepared is what would be prepared for r now.
func (p *Prepared) isFor(r Rules) bool {
	if p == nil || !reflect.DeepEqual(p.common, r.common()) {
		return false
	}
	seen := Report{Around: p.list(), Hides: p.hidden.digest()}
	return !seen.Changed(p.common)
}

// handOver grants what r hands over, if it may be. The error is that of Apply.
func (p *Prepared) handOver(r Rules) error {
	if p.ruleset == nil {
		_, err := r.findHanded(p.hidden)
		return err
	}
	return p.grantHanded(r)
}

// Close lets go of what p holds. p may be nil.
func (p *Prepared) Close() {
	if p != nil && p.ruleset != nil {
		p.ruleset.close()
	}
}
