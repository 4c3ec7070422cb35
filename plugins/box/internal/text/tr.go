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
	p := make([]byte, 64<<10)
	last := -1 // the byte written last, if repeats of it are squeezed
	for !env.Stopped() {
		n, err := env.Stdin.Read(p)
		out := p[:0]
		for _, c := range p[:n] {
			if t.drop[c] {
				continue
			}
			c = t.to[c]
			if t.squeeze[c] {
				if last == int(c) {
					continue
				}
				last = int(c)
			} else {
				last = -1
			}
			out = append(out, c)
		}
		env.Out.Write(out)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}
