package wheel

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/plugin"
)

// What a package may need.
const (
	maxPackages = 100
	maxSteps    = 500 // choices of a version
)

// A need is a requirement, and who has it: a package with its version, or a person.
type need struct {
	Requirement
	by string
}

// person is who has the needs that were asked for.
const person = ""

// A Chosen is a package that is to be added.
type Chosen struct {
	Wheel
	Metadata
	Scripts  []Script
	requires []Requirement // those that count here
}

// A resolver finds a version of each package with which all are content. It takes
// the newest that is allowed by what is known so far, and chooses again when more is
// known. It does not go back to older versions of what has asked for too much, as
// pip does: then it says who wants what.
type resolver struct {
	index  *Simple
	python Environment
	have   map[string]Package // what is there already
	needs  map[string][]need  // by the name of what is wanted
	chosen map[string]*Chosen
	queue  []string
}

// Resolve returns what has to be added to the packages that are there for these to
// be there, in order of their names. Their wheels are downloaded, and not unpacked.
func Resolve(ctx context.Context, from *Simple, python Environment, have []Package, want []Requirement) ([]*Chosen, error) {
	r := &resolver{index: from, python: python,
		have: make(map[string]Package), needs: make(map[string][]need), chosen: make(map[string]*Chosen)}
	for _, p := range have {
		r.have[p.Name] = p
		for _, text := range p.Requires {
			if q, err := ParseRequirement(text); err == nil {
				r.needs[q.Name] = append(r.needs[q.Name], need{q, p.Name + " " + p.Version})
			}
		}
	}
	for _, q := range want {
		r.add(need{q, person})
	}
	for step := 0; len(r.queue) > 0; step++ {
		if step == maxSteps || len(r.needs) > maxPackages+len(have) {
			return nil, fmt.Errorf("needs more than %d packages, or versions that nobody finds", maxPackages)
		}
		name := r.queue[0]
		r.queue = r.queue[1:]
		if err := r.choose(ctx, name); err != nil {
			return nil, err
		}
	}
	return r.wanted(want), nil
}

func (r *resolver) add(n need) {
	r.needs[n.Name] = append(r.needs[n.Name], n)
	r.queue = append(r.queue, n.Name)
}

// choose decides on a package's version, and asks it what it needs.
func (r *resolver) choose(ctx context.Context, name string) error {
	if p, ok := r.have[name]; ok && r.chosen[name] == nil {
		if v, err := parseVersion(p.Version); err == nil && r.content(&Wheel{Name: name, version: v}) {
			return nil
		}
	}
	page, err := r.index.page(ctx, name)
	if err != nil {
		for _, n := range r.needs[name] {
			if n.by != person {
				return fmt.Errorf("%s needs %w", n.by, err)
			}
		}
		return err
	}
	best, err := r.best(name, page)
	if err != nil {
		return err
	}
	if old := r.chosen[name]; old != nil {
		if old.File == best.File {
			return nil
		}
		r.forget(name, old.Wheel.Version)
	} else if p, ok := r.have[name]; ok {
		r.forget(name, p.Version)
	}
	chosen, err := r.read(ctx, best)
	if err != nil {
		return fmt.Errorf("%s: %w", plugin.Printable(best.File), err)
	}
	r.chosen[name] = chosen
	for _, q := range chosen.requires {
		r.add(need{q, name + " " + best.Version})
	}
	return nil
}

// forget drops what a version of a package needs.
func (r *resolver) forget(name, version string) {
	for of := range r.needs {
		r.needs[of] = slices.DeleteFunc(r.needs[of], func(n need) bool { return n.by == name+" "+version })
	}
}

// content reports whether all who need a package are content with a wheel.
func (r *resolver) content(w *Wheel) bool {
	for _, n := range r.needs[w.Name] {
		if !n.fits(w.version) {
			return false
		}
	}
	return true
}

// best returns the newest wheel that all are content with: of a release, if there is
// one.
func (r *resolver) best(name string, p *page) (*Wheel, error) {
	python, err := parseVersion(r.python["python_full_version"])
	if err != nil {
		return nil, err
	}
	var best *Wheel
	for i := range p.wheels {
		w := &p.wheels[i]
		if !w.python(python) || !r.content(w) {
			continue
		}
		if best == nil || newer(w, best) {
			best = w
		}
	}
	switch {
	case best != nil:
		return best, nil
	case len(p.wheels) == 0 && p.others == 0:
		return nil, fmt.Errorf("%s: the index has no file of it", name)
	case len(p.wheels) == 0:
		return nil, fmt.Errorf("%s: no pure wheel of it (py3-none-any) is in the index: code for a machine does not run in the sandbox, and nothing is built here", name)
	}
	return nil, fmt.Errorf("%s: no pure wheel for Python %s is what all want: %s", name, r.python["python_version"], r.reasons(name))
}

// newer reports whether a wheel is preferred to another.
func newer(w, than *Wheel) bool {
	if before, other := w.version.IsPreRelease(), than.version.IsPreRelease(); before != other {
		return other
	}
	return cmp.Or(w.version.Compare(than.version), strings.Compare(w.File, than.File)) > 0
}

// reasons says who wants what of a package.
func (r *resolver) reasons(name string) string {
	var texts []string
	for _, n := range r.needs[name] {
		text := n.String()
		if n.by != person {
			text = n.by + " needs " + text
		}
		texts = append(texts, plugin.Printable(text))
	}
	const most = 8
	if len(texts) > most {
		texts = append(texts[:most], "and others")
	}
	return strings.Join(texts, ", ")
}

// read downloads a wheel, and returns what it says of itself.
func (r *resolver) read(ctx context.Context, w *Wheel) (*Chosen, error) {
	a, err := r.index.open(ctx, w)
	if err != nil {
		return nil, err
	}
	defer a.Close()
	m, err := a.metadata()
	if err != nil {
		return nil, err
	}
	if v, err := parseVersion(m.Version); m.Name != w.Name || err != nil || !v.Equal(w.version) {
		return nil, fmt.Errorf("it is %s %s, by its METADATA", plugin.Printable(m.Name), plugin.Printable(m.Version))
	}
	c := &Chosen{Wheel: *w, Metadata: m}
	for _, text := range m.Requires {
		// What is for an extra counts for nobody, and is often what we could not take.
		_, condition, _ := strings.Cut(text, ";")
		if condition != "" {
			holds, err := r.python.Holds(condition)
			if err != nil {
				return nil, err
			}
			if !holds {
				continue
			}
		}
		q, err := ParseRequirement(text)
		if err != nil {
			return nil, err
		}
		c.requires = append(c.requires, q)
	}
	c.Scripts, err = a.scripts()
	return c, err
}

// wanted returns what of the chosen is still needed by what was asked for: not what a
// version needs that was chosen before another one.
func (r *resolver) wanted(want []Requirement) []*Chosen {
	keep := make(map[string]*Chosen)
	var visit func(name string)
	visit = func(name string) {
		c := r.chosen[name]
		if c == nil || keep[name] != nil {
			return
		}
		keep[name] = c
		for _, q := range c.requires {
			visit(q.Name)
		}
	}
	for _, q := range want {
		visit(q.Name)
	}
	var list []*Chosen
	for _, name := range slices.Sorted(maps.Keys(keep)) {
		list = append(list, keep[name])
	}
	return list
}
