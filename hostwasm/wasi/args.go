package wasi

import "encoding/binary"

// args_get(*argv, *buf)
func argsGet(p *Process, m memory, a []uint64) error {
	return p.putStrings(m, p.args, uint32(a[0]), uint32(a[1]))
}

// args_sizes_get(*count, *bytes)
func argsSizesGet(p *Process, m memory, a []uint64) error {
	return putSizes(m, p.args, uint32(a[0]), uint32(a[1]))
}

// environ_get(*environ, *buf)
func environGet(p *Process, m memory, a []uint64) error {
	return p.putStrings(m, p.env, uint32(a[0]), uint32(a[1]))
}

// environ_sizes_get(*count, *bytes)
func environSizesGet(p *Process, m memory, a []uint64) error {
	return putSizes(m, p.env, uint32(a[0]), uint32(a[1]))
}

// putStrings stores each string with a zero byte behind it, and pointers to
// them.
func (p *Process) putStrings(m memory, list []string, pointers, buf uint32) error {
	if err := m.checkArray(pointers, uint32(len(list)), 4); err != nil {
		return err
	}
	array, err := m.room(pointers, uint32(4*len(list)))
	if err != nil {
		return err
	}
	b, err := m.room(buf, stringsSize(list))
	if err != nil {
		return err
	}
	if err := p.work(len(b) * fuelPerByte); err != nil {
		return err
	}
	at := 0
	for i, s := range list {
		binary.LittleEndian.PutUint32(array[4*i:], buf+uint32(at))
		at += copy(b[at:], s)
		b[at] = 0
		at++
	}
	m.Store(pointers, array)
	m.Store(buf, b)
	return nil
}

func putSizes(m memory, list []string, count, size uint32) error {
	if err := m.check(size, 4); err != nil {
		return err
	}
	if err := m.put32(count, uint32(len(list))); err != nil {
		return err
	}
	return m.put32(size, stringsSize(list))
}

func stringsSize(list []string) uint32 {
	n := 0
	for _, s := range list {
		n += len(s) + 1
	}
	return uint32(n)
}
