package zones

import (
	"encoding/binary"
	"time"
)

// fromRules has package time read rules: it does so where a file of a zone
// ends with them (RFC 9636, 3.3). The file that is made here has nothing else
// but the zone that is used where they can't be read.
func fromRules(rules string) *time.Location {
	name := letters(rules)
	var file []byte
	file = appendHeader(file, 1, 1)
	file = append(file, make([]byte, 6+1)...) // of version 1, which is not looked at
	file = appendHeader(file, 1, len(name)+1)
	file = append(file, make([]byte, 6)...) // UTC, no summer time, its name is the first
	file = append(file, name+"\x00\n"+rules+"\n"...)
	loc, err := time.LoadLocationFromTZData(rules, file)
	if err != nil {
		return time.UTC
	}
	return loc
}

// appendHeader appends the header of a file with so many kinds of time, and so
// many bytes of their names.
func appendHeader(b []byte, kinds, names int) []byte {
	b = append(b, "TZif2"...)
	b = append(b, make([]byte, 15)...)
	for _, n := range [6]int{4: kinds, 5: names} {
		b = binary.BigEndian.AppendUint32(b, uint32(n))
	}
	return b
}

// letters returns the letters that a value begins with, if they can be a name.
func letters(value string) string {
	n := 0
	for n < len(value) && ('a' <= value[n]|' ' && value[n]|' ' <= 'z') {
		n++
	}
	if n < 3 {
		return ""
	}
	return value[:n]
}
