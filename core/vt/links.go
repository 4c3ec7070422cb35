package vt

import "bytes"

const (
	maxLink      = 2083      // bytes of a hyperlink that is kept; a longer one is none
	maxLinks     = 1 << 10   // hyperlinks on the screen; more are none
	maxLinkBytes = 256 << 10 // bytes of all of them
)

// links gives each hyperlink of OSC 8 a number from 1 on.
type links struct {
	list []link // number n is list[n-1]
	free []uint16
	size int32 // bytes of all
	wait int32 // links to refuse before the next sweep, so that it is worth it
}

type link struct {
	id, uri string // links with the same id are one; "" is none
	used    bool
}

func (l *link) size() int32 { return int32(len(l.id) + len(l.uri)) }

// full reports whether there is no room for another link of a size.
func (l *links) full(size int32) bool {
	return len(l.free) == 0 && len(l.list) == maxLinks || l.size+size > maxLinkBytes
}

// get returns the address of link n, "" if n is 0.
func (l *links) get(n uint16) string {
	if n == 0 {
		return ""
	}
	return l.list[n-1].uri
}

// setLink takes what follows 8;, which is parameters and an address. Without an
// address the link ends.
func (s *Screen) setLink(p []byte) {
	params, uri, ok := bytes.Cut(p, []byte{';'})
	if !ok {
		return
	}
	st := s.pen
	st.link = 0
	if len(uri) > 0 && len(uri)+len(params) <= maxLink {
		st.link = s.linkNumber(linkID(params), uri)
	}
	s.setPen(st)
}

// linkID returns the value of id in parameters like a=b:id=c.
func linkID(params []byte) []byte {
	for param := range bytes.SplitSeq(params, []byte{':'}) {
		if id, ok := bytes.CutPrefix(param, []byte("id=")); ok {
			return id
		}
	}
	return nil
}

// linkNumber returns the number of a link, 0 if there are too many.
func (s *Screen) linkNumber(id, uri []byte) uint16 {
	l := &s.links
	for i := len(l.list) - 1; i >= 0; i-- {
		if l.list[i].uri == string(uri) && l.list[i].id == string(id) {
			return uint16(i + 1)
		}
		if len(l.list)-i == 64 {
			break // only the last ones are worth the search
		}
	}
	if l.full(int32(len(id) + len(uri))) {
		l.wait--
		if l.wait <= 0 {
			s.sweepStyles()
			l.wait = int32(s.rows * s.cols / 16)
		}
	}
	if l.full(int32(len(id) + len(uri))) {
		return 0
	}
	n := link{id: string(id), uri: string(uri)}
	l.size += n.size()
	if last := len(l.free) - 1; last >= 0 {
		at := l.free[last]
		l.free = l.free[:last]
		l.list[at-1] = n
		return at
	}
	l.list = append(l.list, n)
	return uint16(len(l.list))
}

// sweep frees the numbers that no style uses, nor the pen.
func (l *links) sweep(styles []Style, pen ...Style) {
	if len(l.list) == 0 {
		return
	}
	for i := range l.list {
		l.list[i].used = false
	}
	for _, group := range [...][]Style{styles, pen} {
		for _, st := range group {
			if st.link != 0 {
				l.list[st.link-1].used = true
			}
		}
	}
	l.free = l.free[:0]
	for i := range l.list {
		if !l.list[i].used {
			l.size -= l.list[i].size()
			l.list[i] = link{}
			l.free = append(l.free, uint16(i+1))
		}
	}
}
