package text

import (
	"io"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

const trOptions = "+ c,C,complement d,delete s,squeeze-repeats t,truncate-set1"

// tr works on bytes, as Debian's does in every locale.
func tr(env *tool.Env, args []string) int {
	opts, status := env.Options(args, trOptions)
	if opts == nil {
		return status
	}
	complement, del, squeeze, truncate := opts.Has("c"), opts.Has("d"), opts.Has("s"), opts.Has("t")
	sets := opts.Operands
	least, most := 2, 2
	switch {
	case del && !squeeze:
		least, most = 1, 1
	case squeeze && !del:
		least = 1
	}
	if len(sets) < least {
		if len(sets) == 0 {
			env.Errorf("missing operand")
			return env.TryHelp()
		}
		env.Errorf("missing operand after %s", env.Quote(sets[len(sets)-1]))
		if del {
			env.Warn("Two strings must be given when both deleting and squeezing repeats.")
		} else {
			env.Warn("Two strings must be given when translating.")
		}
		return env.TryHelp()
	}
	if len(sets) > most {
		env.Errorf("extra operand %s", env.Quote(sets[most]))
		if most == 1 && len(sets) == 2 {
			env.Warn("Only one string may be given when deleting without squeezing repeats.")
		}
		return env.TryHelp()
	}
	from, err := parseTrSet(env, sets[0], false)
	if err == nil && complement {
		from.complement()
	}
	var to *trSet
	if err == nil && len(sets) == 2 {
		to, err = parseTrSet(env, sets[1], true)
	}
	t := translation{}
	translating := len(sets) == 2 && !del
	if err == nil && translating {
		err = t.table(from, to, complement, truncate)
	}
	if err != nil {
		env.Errorf("%v", err)
		return 1
	}
	if del {
		t.drop = from.has()
	}
	if squeeze {
		last := from
		if to != nil {
			last = to
		}
		t.squeeze = last.has()
	}
	if err := t.run(env, translating); err != nil {
		env.Errorf("read error: %s", tool.Strerror(err))
		return 1
	}
	return 0
}

// A translation is what happens to each byte.
type translation struct {
	to            [256]byte
	drop, squeeze [256]bool
}

func (t *translation) run(env *tool.Env, translating bool) error {
	if !translating {
		for c := range t.to {
			t.to[c] = byte(c)
		}
	}
	apply := t.squeezed()
	switch none := [256]bool{}; {
	case t.squeeze != none:
	case t.drop != none:
		apply = t.dropped
	default:
		apply = t.translated
	}
	p := make([]byte, 64<<10)
	for !env.Stopped() {
		n, err := env.Stdin.Read(p)
		env.Out.Write(apply(p[:n]))
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// What follows works in place and returns what is left of p.

func (t *translation) translated(p []byte) []byte {
	for i, c := range p {
		p[i] = t.to[c]
	}
	return p
}

func (t *translation) dropped(p []byte) []byte {
	n := 0
	for _, c := range p {
		p[n] = t.to[c]
		if !t.drop[c] {
			n++
		}
	}
	return p[:n]
}

// squeezed also leaves out repeats, from one piece of the input to the next.
func (t *translation) squeezed() func(p []byte) []byte {
	last := -1 // the byte written last, if repeats of it are squeezed
	return func(p []byte) []byte {
		n := 0
		for _, c := range p {
			if t.drop[c] {
				continue
			}
			c = t.to[c]
			if !t.squeeze[c] {
				last = -1
			} else if last == int(c) {
				continue
			} else {
				last = int(c)
			}
			p[n] = c
			n++
		}
		return p[:n]
	}
}
