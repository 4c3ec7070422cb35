package repo

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// A Signature says who did something, and when.
type Signature struct {
	Name, Email string
	When        time.Time
}

// String returns who it was, as git log has it.
func (s Signature) String() string { return s.Name + " <" + s.Email + ">" }

// signature is s as objects have it.
func signature(s Signature) string {
	return fmt.Sprintf("%s <%s> %d %s", crud(s.Name), crud(s.Email), s.When.Unix(), s.When.Format("-0700"))
}

// crud removes what would break the line.
func crud(s string) string {
	return strings.Map(func(c rune) rune {
		if c == '<' || c == '>' || c == '\n' {
			return -1
		}
		return c
	}, s)
}

// decodeSignature reads NAME <EMAIL> SECONDS ZONE. What is missing, or is none of that, stays zero;
// the time is in UTC then, if the zone is missing.
func decodeSignature(b []byte) (s Signature) {
	open, closed := bytes.LastIndexByte(b, '<'), bytes.LastIndexByte(b, '>')
	if open < 0 || closed < open {
		return s
	}
	s.Name, s.Email = string(bytes.Trim(b[:open], " ")), string(b[open+1:closed])
	if closed+2 >= len(b) {
		return s
	}
	seconds, zone, _ := bytes.Cut(b[closed+2:], []byte(" "))
	n, err := strconv.ParseInt(string(seconds), 10, 64)
	if err != nil {
		return s
	}
	s.When = time.Unix(n, 0).UTC()
	if offset, ok := zoneOffset(zone); ok {
		s.When = s.When.In(time.FixedZone("", offset))
	}
	return s
}

// zoneOffset reads a zone like +0130, and returns it in seconds.
func zoneOffset(b []byte) (seconds int, ok bool) {
	if len(b) < 5 || b[0] != '+' && b[0] != '-' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(b[1:5]), 10, 16)
	if err != nil {
		return 0, false
	}
	seconds = int(n/100*60+n%100) * 60
	if b[0] == '-' {
		seconds = -seconds
	}
	return seconds, true
}
