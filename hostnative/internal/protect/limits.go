package protect

import "time"

// Limits bounds what a Snapshot costs. A field that is 0 has its default.
type Limits struct {
	Dirs  int // directories that are looked at; 20000. Those known before count first
	Depth int // of directories below a root; 32
	Files int // protected files; 10000
	// for directories that are new, each time; 5 s. Known ones always get looked at
	Time  time.Duration
	File  int64 // of one file that is held, in bytes; 1 MiB. A larger one can't be put back
	Total int64 // of all that are held, in bytes; 16 MiB
	Kept  int64 // of what is set aside, in bytes; 64 MiB. The oldest goes first
}

func (l Limits) withDefaults() Limits {
	setDefault(&l.Dirs, 20_000)
	setDefault(&l.Depth, 32)
	setDefault(&l.Files, 10_000)
	setDefault(&l.Time, 5*time.Second)
	setDefault(&l.File, 1<<20)
	setDefault(&l.Total, 16<<20)
	setDefault(&l.Kept, 64<<20)
	return l
}

func setDefault[T int | int64 | time.Duration](field *T, value T) {
	if *field == 0 {
		*field = value
	}
}
