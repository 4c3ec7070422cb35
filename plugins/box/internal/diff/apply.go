package diff

import "bytes"

// An applier puts hunks into a file's lines, in order.
type applier struct {
	lines  [][]byte // of the file
	out    [][]byte
	at     int // lines of the file that are in out, or gone
	offset int // how far the last hunk stood from where it should
}

// An outcome is what became of a hunk.
type outcome struct {
	ok     bool
	line   int // where it went, from 1
	offset int
	fuzz   int
}

// apply finds the place of h, the nearest first, with ever less of its context, and puts it in.
func (a *applier) apply(h patchHunk, maxFuzz int) outcome {
	prefix, suffix := context(h)
	for fuzz := 0; fuzz <= min(maxFuzz, max(prefix, suffix)); fuzz++ {
		// Where one end has less context, the hunk is at an end of the file, and that counts.
		cutFront := max(0, fuzz-max(0, suffix-prefix))
		cutBack := max(0, fuzz-max(0, prefix-suffix))
		body := h.lines[min(cutFront, prefix):]
		body = body[:len(body)-min(cutBack, suffix)]
		want := h.old - 1 + min(cutFront, prefix)
		if h.nOld == 0 {
			want = h.old
		}
		pos, ok := a.find(body, want+a.offset, prefix, suffix, fuzz, h)
		if !ok {
			continue
		}
		offset := pos - want
		res := outcome{ok: true, offset: offset, fuzz: fuzz}
		res.line = h.new + offset
		a.offset = offset
		a.put(body, pos)
		return res
	}
	return outcome{}
}

// context counts the lines of context at both ends.
func context(h patchHunk) (prefix, suffix int) {
	for prefix < len(h.lines) && h.lines[prefix][0] == ' ' {
		prefix++
	}
	for suffix < len(h.lines)-prefix && h.lines[len(h.lines)-1-suffix][0] == ' ' {
		suffix++
	}
	return prefix, suffix
}

// find looks for the old lines of body, the nearer to want the better.
func (a *applier) find(body [][]byte, want, prefix, suffix, fuzz int, h patchHunk) (int, bool) {
	var old [][]byte
	for _, l := range body {
		if l[0] != '+' {
			old = append(old, l[1:])
		}
	}
	// A hunk with less context in front must be at the beginning, one with less behind at the end.
	last := len(a.lines) - len(old)
	switch {
	case len(old) == 0:
	case fuzz < suffix-prefix && h.old <= 1:
		return 0, a.at == 0 && a.matches(old, 0)
	case fuzz < prefix-suffix:
		return last, last >= a.at && a.matches(old, last)
	}
	if len(old) == 0 {
		pos := min(max(want, a.at), len(a.lines))
		return pos, true
	}
	for d := 0; d <= len(a.lines); d++ {
		for _, pos := range []int{want + d, want - d} {
			if pos >= a.at && pos <= last && a.matches(old, pos) {
				return pos, true
			}
		}
	}
	return 0, false
}

func (a *applier) matches(old [][]byte, pos int) bool {
	if pos+len(old) > len(a.lines) {
		return false
	}
	for i, l := range old {
		if !bytes.Equal(l, a.lines[pos+i]) {
			return false
		}
	}
	return true
}

// put copies the file up to pos and then the new lines of body.
func (a *applier) put(body [][]byte, pos int) {
	a.out = append(a.out, a.lines[a.at:pos]...)
	a.at = pos
	for _, l := range body {
		switch l[0] {
		case '+':
			a.out = append(a.out, l[1:])
		case '-':
			a.at++
		default:
			a.out = append(a.out, a.lines[a.at])
			a.at++
		}
	}
}

// rest returns the whole new file.
func (a *applier) rest() []byte {
	return bytes.Join(append(a.out, a.lines[a.at:]...), nil)
}
