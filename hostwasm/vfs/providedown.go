package vfs

import "github.com/terrarium-dev/terrarium/hostwasm/errno"

// A providedOwn is what a Provider does not keep of a file, and a guest has set.
type providedOwn struct {
	mode       Mode // 0: the usual one
	times      bool // of these:
	atim, mtim int64
	of         int64 // the time of change that the Provider told then: with another, they are void
}

// usualMode is that of files of which nobody says it.
func usualMode(t Type) Mode {
	if t == Directory {
		return ModeKnown | 0o755
	}
	return ModeKnown | 0o644
}

// readOnly says that the Provider lets nobody write the file.
func (s Stat) readOnly() bool { return s.Mode&ModeKnown != 0 && s.Mode&0o222 == 0 }

// over returns what a guest sees of a file that the Provider says s of.
func (o providedOwn) over(s Stat, number uint64) Stat {
	s = Stat{
		Ino: number, Type: s.Type, Mode: s.Mode, Nlink: 1, Size: s.Size,
		Atim: s.Mtim, Mtim: s.Mtim, Ctim: s.Ctim,
	}
	if s.Type == Directory {
		s.Nlink, s.Size = 2, 0
	}
	switch {
	case s.readOnly():
		s.Mode = ModeKnown | usualMode(s.Type)&^0o222 | o.mode&0o111 // what the Provider says holds
	case o.mode != 0:
		s.Mode = o.mode
	default:
		s.Mode = usualMode(s.Type)
	}
	if o.times && o.of == s.Mtim {
		s.Atim, s.Mtim = o.atim, o.mtim
	}
	return s
}

// setOwn keeps something of a name, if there is room. f.mu is held.
func (f *Provided) setOwn(name string, o providedOwn) bool {
	_, known := f.own[name]
	switch none := o == (providedOwn{}); {
	case none && known:
		delete(f.own, name)
		f.o.Quota.giveFile()
	case none:
	case known || f.o.Quota.takeFile():
		f.own[name] = o
	default:
		return false
	}
	return true
}

func (f *Provided) setMode(name string, t Type, mode Mode) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	o := f.own[name]
	if o.mode = ModeKnown | mode; o.mode == usualMode(t) {
		o.mode = 0
	}
	if !f.setOwn(name, o) {
		return errno.DQUOT
	}
	return nil
}

// setTimes sets times of a file that the Provider says s of.
func (f *Provided) setTimes(name string, s Stat, t Times) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	o := f.own[name]
	if !o.times || o.of != s.Mtim {
		o.times, o.of, o.atim, o.mtim = true, s.Mtim, s.Mtim, s.Mtim
	}
	if t.SetAtim {
		o.atim = t.Atim
	}
	if t.SetMtim {
		o.mtim = t.Mtim
	}
	if !f.setOwn(name, o) {
		return errno.DQUOT
	}
	return nil
}
