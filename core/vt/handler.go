package vt

// A Handler gives meaning to what a [Parser] finds. Whatever it is handed is
// lent: the bytes and the Params are valid until it returns.
type Handler interface {
	// Print takes a run of text: valid UTF-8 without any control, never
	// empty. Where a run ends and the next begins means nothing.
	Print(p []byte)

	// Execute takes a control: C0 (U+0000 to U+001F, but ESC) or C1 (U+0080
	// to U+009F, but those that begin or end a sequence or string). DEL is no
	// control and is dropped. Controls inside a sequence come before it.
	Execute(c byte)

	// ESC takes an escape sequence that begins none of those below and is
	// not ST: 'M' is RI, '('<<8|'0' selects line drawing.
	ESC(op Op)

	// CSI takes a control sequence.
	CSI(op Op, params *Params)

	// OSC takes the payload of an operating system command, such as
	// "0;title". It may be empty. There are no C0 controls in it.
	OSC(payload []byte)

	// DCS takes a device control string and its payload, C0 controls
	// included.
	DCS(op Op, params *Params, payload []byte)
}

// An Op names a sequence by what it holds besides ESC, CSI or DCS and the
// parameters: a prefix (one of <=>?), up to two intermediates (one of
// !"#$%&'()*+,-./ or space) and the final byte, in that order, the final byte
// lowest. CSI 1 m has the Op 'm', CSI ? 25 h has '?'<<8|'h', CSI 4 SP q has
// ' '<<8|'q'.
type Op uint32

// String returns the bytes of op, such as "?h".
func (op Op) String() string {
	var b [4]byte
	n := len(b)
	for ; op != 0 && n > 0; op >>= 8 {
		n--
		b[n] = byte(op)
	}
	return string(b[n:])
}
