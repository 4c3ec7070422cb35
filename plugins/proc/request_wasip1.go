package proc

import "encoding/binary"

// The types of a request's parts: ABI.md, "spawn".
const (
	partProgram = 1
	partArg     = 2
	partEnv     = 3
	partFD      = 4
	partCwd     = 6
	partLimits  = 7
	partPID     = 8

	flagNamed = 1
)

// An fdmap makes a descriptor of ours one of the child's.
type fdmap struct{ child, parent uint32 }

// appendRequest appends what spawn takes for c with the descriptors fds.
func (c *Cmd) appendRequest(b []byte, named bool, fds []fdmap) []byte {
	le := binary.LittleEndian
	flags := uint16(0)
	if named {
		flags = flagNamed
	}
	b = append(b, 0, 0, 0, 0) // the size, which is set below
	b = le.AppendUint16(b, 0)
	b = le.AppendUint16(b, flags)
	b = appendPart(b, partProgram, c.Name)
	for _, arg := range c.Args {
		b = appendPart(b, partArg, arg)
	}
	for _, v := range c.Env {
		b = appendPart(b, partEnv, v)
	}
	for _, fd := range fds {
		b = appendHead(b, partFD, 12)
		b = le.AppendUint32(b, fd.child)
		b = le.AppendUint32(b, fd.parent)
		b = le.AppendUint32(b, 0)
	}
	if c.Dir != "" {
		b = appendPart(b, partCwd, c.Dir)
	}
	if c.Limits != (Limits{}) {
		b = appendHead(b, partLimits, 32)
		b = le.AppendUint64(b, c.Limits.Fuel)
		b = le.AppendUint64(b, c.Limits.Memory)
		b = le.AppendUint64(b, uint64(max(c.Limits.Wall, 0)))
		b = le.AppendUint64(b, c.Limits.Output)
	}
	if c.PID != 0 {
		b = le.AppendUint32(appendHead(b, partPID, 4), uint32(c.PID))
	}
	le.PutUint32(b, uint32(len(b)))
	return b
}

// appendHead appends the head of a part, at a multiple of 4.
func appendHead(b []byte, kind uint16, size int) []byte {
	for len(b)%4 != 0 {
		b = append(b, 0)
	}
	b = binary.LittleEndian.AppendUint16(b, kind)
	b = append(b, 0, 0)
	return binary.LittleEndian.AppendUint32(b, uint32(size))
}

func appendPart(b []byte, kind uint16, s string) []byte {
	return append(appendHead(b, kind, len(s)), s...)
}
