package text

import (
	"bytes"
	"strconv"

	"github.com/terrarium-dev/terrarium/core/vt"
)

// A Filter lets through to a person's terminal what draws on it, and nothing
// that does more: it is for the output of commands that nobody trusts.
//
// What comes out is text, the controls of a typewriter, and control sequences
// from a list that is in this file. What is not on it is dropped. That keeps
// back above all
//
//   - whatever a terminal answers (DA, DSR, DECRQM, DECRQSS, ENQ, XTVERSION,
//     CSI t, colours by OSC 4, 10, 11, …): who reads the answer, if the command
//     does not, is the person's shell, as if it had been typed;
//   - what reaches beyond the screen: the clipboard (OSC 52), the title, the
//     window, the printer (CSI i), messages (OSC 9, 777), files (OSC 1337), what
//     was there before (CSI 3 J, RIS);
//   - all other OSC, and all DCS, APC, PM and SOS.
//
// Sequences are written anew from what [vt.Parser] has understood of them, so
// that no terminal can understand them in another way. Links (OSC 8) stay if
// they lead to the web. Bytes that are no UTF-8 become U+FFFD. Memory is
// bounded, and how the output is cut into chunks makes no difference.
//
// The zero value is ready to use.
type Filter struct {
	// Keys says that whatever the terminal sends goes to the command. Then modes
	// may pass in which it sends more, or something else: mouse, focus, bracketed
	// paste, the keypad's. If Keys is false, others would get that.
	Keys bool

	repair Repairer
	parser vt.Parser
	out    []byte // of the call that is under way
	left   traces
}

// Append appends to dst what may be shown of p, which it does not keep.
func (f *Filter) Append(dst, p []byte) []byte {
	f.out = dst
	for len(p) > 0 {
		var valid []byte
		valid, p = f.repair.Next(p)
		f.parser.Parse((*sieve)(f), valid)
	}
	dst, f.out = f.out, nil
	return dst
}

// Finish ends the output: it appends to dst what puts a terminal back as it was,
// with its cursor shown, its own screen and colours, and keys as always. After
// output that has changed none of that it appends nothing. The Filter is then as
// new.
func (f *Filter) Finish(dst []byte) []byte {
	f.out = dst
	f.parser.Parse((*sieve)(f), f.repair.Flush())
	dst = f.left.appendUndo(f.out)
	*f = Filter{Keys: f.Keys}
	return dst
}

// A sieve is a Filter as a vt.Handler.
type sieve Filter

// Print implements vt.Handler.
func (s *sieve) Print(p []byte) { s.out = append(s.out, p...) }

// The controls that may pass.
const (
	bel = '\a'
	so  = 0x0E
	si  = 0x0F
)

// Execute implements vt.Handler.
func (s *sieve) Execute(c byte) {
	switch {
	case bel <= c && c <= '\r':
	case c == so || c == si:
		s.left.charsets = true
	case c == 0x84 || c == 0x85 || c == 0x8D: // IND, NEL and RI are ESC and D, E, M
		s.out = append(s.out, '\x1b', c-0x40)
		return
	default:
		return
	}
	s.out = append(s.out, c)
}

// ESC implements vt.Handler.
func (s *sieve) ESC(op vt.Op) {
	switch op {
	case '7', '8', 'D', 'E', 'M': // DECSC, DECRC, IND, NEL, RI
	case '=', '>': // DECKPAM, DECKPNM
		if !s.Keys {
			return
		}
		s.left.keypad = op == '='
	case '('<<8 | '0', '('<<8 | 'A', '('<<8 | 'B', ')'<<8 | '0', ')'<<8 | 'A', ')'<<8 | 'B': // SCS
		s.left.charsets = true
	default:
		return
	}
	s.out = append(append(s.out, '\x1b'), op.String()...)
}

// CSI implements vt.Handler.
func (s *sieve) CSI(op vt.Op, params *vt.Params) {
	first, most := params.Value(0), 1 // with more values some are something else
	switch op {
	// ICH, CUU, CUD, CUF, CUB, CNL, CPL, CHA, CHT, IL, DL, DCH, SU, SD, ECH, CBT, HPA, HPR, VPA,
	// VPR, SCOSC and SCORC.
	case '@', 'A', 'B', 'C', 'D', 'E', 'F', 'G', 'I', 'L', 'M', 'P', 'S', 'T', 'X', 'Z', '`', 'a', 'd', 'e', 's', 'u':
	case 'H', 'f': // CUP, HVP
		most = 2
	case 'b': // REP: a few bytes shall not become many lines
		if first > maxCols {
			return
		}
	case 'J', 'K': // not ED 3, which erases what was there before the command
		if first > 2 {
			return
		}
	case 'm': // SGR
		most = vt.MaxParams
	case 'r': // DECSTBM
		most = 2
	case ' '<<8 | 'q': // DECSCUSR
	case 'h', 'l': // but for IRM they are modes of the keyboard
		if first != 4 {
			return
		}
	case '?'<<8 | 'h', '?'<<8 | 'l':
		for i := range params.Len() {
			s.mode(params.Value(i), byte(op))
		}
		return
	default:
		return
	}
	if params.Len() > most || op != 'm' && hasSub(params) {
		return
	}
	s.left.see(op, params)
	s.out = append(s.out, "\x1b["...)
	for i := range params.Len() {
		if i > 0 && params.Sub(i) {
			s.out = append(s.out, ':')
		} else if i > 0 {
			s.out = append(s.out, ';')
		}
		if v := params.Value(i); v > 0 || v == 0 && params.Len() > 1 {
			s.out = strconv.AppendInt(s.out, int64(v), 10)
		}
	}
	s.out = append(s.out, op.String()...)
}

// hasSub reports whether there are subparameters: after a colon, as only SGR has them. What
// terminals make of others differs.
func hasSub(params *vt.Params) bool {
	for i := range params.Len() {
		if params.Sub(i) {
			return true
		}
	}
	return false
}

// mode sets a private mode if final is 'h', and resets it if that is 'l'.
func (s *sieve) mode(number int, final byte) {
	for i, m := range privateModes {
		if m.number != number || m.keys && !s.Keys {
			continue
		}
		s.left.modes[i] = (final == 'h') != m.normal
		s.out = appendMode(s.out, number, final)
	}
}

// maxLink is the longest link that passes, in bytes. That is what terminals take.
const maxLink = 2083

// OSC implements vt.Handler.
func (s *sieve) OSC(payload []byte) {
	rest, ok := bytes.CutPrefix(payload, []byte("8;"))
	if !ok {
		return
	}
	_, uri, ok := bytes.Cut(rest, []byte(";"))
	if !ok || len(rest) > maxLink || !isWeb(uri) || !isPlain(rest) {
		rest, uri = []byte(";"), nil // what it would link is linked to nothing
	}
	if len(uri) == 0 && !s.left.link {
		return
	}
	s.left.link = len(uri) > 0
	s.out = append(append(append(s.out, "\x1b]8;"...), rest...), "\x1b\\"...)
}

// DCS implements vt.Handler.
func (s *sieve) DCS(vt.Op, *vt.Params, []byte) {}

// isWeb reports whether a link leads to the web, where a browser takes care. A
// file could be one that the command itself has made.
func isWeb(uri []byte) bool {
	for _, scheme := range []string{"http://", "https://", "mailto:"} {
		if len(uri) >= len(scheme) && bytes.EqualFold(uri[:len(scheme)], []byte(scheme)) {
			return true
		}
	}
	return false
}

func isPlain(p []byte) bool {
	for _, c := range p {
		if c < ' ' || c > '~' {
			return false
		}
	}
	return true
}
