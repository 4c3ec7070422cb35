package coretest

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/terrarium-dev/terrarium/core"
)

// A Line is one input of a script.
type Line struct {
	Verb  string
	Words []string            // the unnamed ones, unquoted
	Named map[string][]string // key=value, unquoted, in order for each key
	Raw   string              // what follows the verb
}

// ParseLine parses an input line.
func ParseLine(s string) (Line, error) {
	verb, rest, _ := strings.Cut(s, " ")
	l := Line{Verb: verb, Raw: rest, Named: make(map[string][]string)}
	if verb == "-->" {
		return l, nil
	}
	for rest = strings.TrimLeft(rest, " "); rest != ""; rest = strings.TrimLeft(rest, " ") {
		key := ""
		if i := strings.IndexAny(rest, `= "`); i >= 0 && rest[i] == '=' {
			key, rest = rest[:i], rest[i+1:]
		}
		value, after, err := cutValue(rest)
		if err != nil {
			return Line{}, err
		}
		rest = after
		if key == "" {
			l.Words = append(l.Words, value)
			continue
		}
		l.Named[key] = append(l.Named[key], value)
	}
	return l, nil
}

// cutValue takes a word, or a string quoted as in Go, off the front of s.
func cutValue(s string) (value, after string, err error) {
	if !strings.HasPrefix(s, `"`) {
		value, after, _ = strings.Cut(s, " ")
		return value, after, nil
	}
	quoted, err := strconv.QuotedPrefix(s)
	if err != nil {
		return "", "", fmt.Errorf("bad quotes at %s", s)
	}
	value, err = strconv.Unquote(quoted)
	return value, s[len(quoted):], err
}

// Word returns the i-th unnamed word, or "".
func (l Line) Word(i int) string {
	if i >= len(l.Words) {
		return ""
	}
	return l.Words[i]
}

// Has reports whether word stands in the line by itself.
func (l Line) Has(word string) bool { return slices.Contains(l.Words, word) }

// Get returns the last value of key, or "".
func (l Line) Get(key string) string {
	values := l.Named[key]
	if len(values) == 0 {
		return ""
	}
	return values[len(values)-1]
}

// Int returns the value of key as an integer, 0 if it is not there.
func (l Line) Int(key string) (int64, error) {
	if l.Get(key) == "" {
		return 0, nil
	}
	return strconv.ParseInt(l.Get(key), 10, 64)
}

// Duration returns the value of key as a duration, 0 if it is not there.
func (l Line) Duration(key string) (time.Duration, error) {
	if l.Get(key) == "" {
		return 0, nil
	}
	return time.ParseDuration(l.Get(key))
}

// Err returns the error that error= has the text of, a *core.HostError if
// there is a reason= too, or nil.
func (l Line) Err() error {
	message, reason := l.Get("error"), l.Get("reason")
	switch {
	case message == "":
		return nil
	case reason != "":
		return &core.HostError{Reason: reason, Message: message}
	}
	return errors.New(message)
}

func lineError(i int, text string, err error) error {
	return fmt.Errorf("line %d: %s: %w", i+1, text, err)
}
