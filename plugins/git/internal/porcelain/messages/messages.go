// Package messages reads and cleans the messages of commits.
package messages

import (
	"strings"
)

// Uncommented removes the lines that begin with a "#".
func Uncommented(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "#") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// Clean removes spaces at the ends of lines, and empty lines at the ends and beside others.
func Clean(text string) string {
	var b strings.Builder
	empty := 0
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\r\n\v\f")
		if line == "" {
			empty++
			continue
		}
		if empty > 0 && b.Len() > 0 {
			b.WriteByte('\n')
		}
		empty = 0
		b.WriteString(line + "\n")
	}
	return b.String()
}

func Subject(message string) string {
	paragraph, _, _ := strings.Cut(strings.TrimLeft(message, "\n"), "\n\n")
	return strings.ReplaceAll(strings.TrimRight(paragraph, "\n"), "\n", " ")
}

// Body is the message without its subject.
func Body(message string) string {
	_, rest, _ := strings.Cut(strings.TrimLeft(message, "\n"), "\n\n")
	return strings.TrimLeft(rest, "\n")
}

// FileSubject is a subject as names of files have it.
func FileSubject(s string) string {
	var b strings.Builder
	gap := false
	for i := range len(s) {
		c := s[i]
		if c == '.' && strings.HasSuffix(b.String(), ".") && !gap {
			continue
		}
		if 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '.' || c == '_' {
			if gap && b.Len() > 0 {
				b.WriteByte('-')
			}
			gap = false
			b.WriteByte(c)
			continue
		}
		gap = true
	}
	return strings.TrimRight(b.String(), ".-")
}
