package challenge

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// indexes yields where substr is in s, without overlaps.
func indexes(s, substr string) iter.Seq[int] {
	return func(yield func(int) bool) {
		for from := 0; ; {
			i := strings.Index(s[from:], substr)
			if i < 0 || !yield(from+i) {
				return
			}
			from += i + len(substr)
		}
	}
}

// checkTags warns of the tags beside sections, as far as counting < and > can
// tell what is beside and what inside. It returns false if a tag is blank,
// which terminus-2 does not survive; in the default mode such a tag is none.
func (x *xmlAnswer) checkTags(tags string) bool {
	depth := 0
	seen := map[string]bool{"analysis": true, "plan": true, "commands": true, "task_complete": true}
	for i := 0; ; {
		start := strings.IndexByte(tags[i:], '<')
		if start < 0 {
			return true
		}
		start += i + 1
		n := strings.IndexByte(tags[start:], '>')
		if n < 0 {
			return true
		}
		tag := tags[start : start+n]
		i = start + n + 1
		if strings.HasPrefix(tag, "!") || strings.HasPrefix(tag, "?") {
			continue
		}
		if strings.HasPrefix(tag, "/") {
			depth--
			continue
		}
		name, ok := tagName(tag)
		if !ok {
			if x.strict {
				return false
			}
			continue
		}
		if depth == 0 && !seen[name] {
			seen[name] = true
			x.notes.add("Unknown tag found: <", name, ">, expected analysis/plan/commands/task_complete")
		}
		if !strings.HasSuffix(tag, "/") {
			depth++
		}
	}
}

// tagName returns the first word of a tag. It returns false if the tag is
// blank. A tag without a space is one word, whatever else is in it.
func tagName(tag string) (string, bool) {
	if strings.Contains(tag, " ") {
		tag = tag[skipSpace(tag, 0):]
		if tag == "" {
			return "", false
		}
		if end := strings.IndexFunc(tag, isSpace); end >= 0 {
			tag = tag[:end]
		}
	}
	return strings.TrimSuffix(tag, "/"), true
}

// saysComplete reports whether <task_complete>true</task_complete> is anywhere
// in tags, in upper or lower case, with blanks around the word.
func saysComplete(tags string) bool {
	for i := range indexes(tags, "<") {
		rest, ok := cutFold(tags[i:], "<task_complete>")
		if !ok {
			continue
		}
		rest, ok = cutFold(rest[skipSpace(rest, 0):], "true")
		if !ok {
			continue
		}
		if _, ok = cutFold(rest[skipSpace(rest, 0):], "</task_complete>"); ok {
			return true
		}
	}
	return false
}

// cutFold returns s without prefix, which is in lower case, at its beginning.
// As Python's re does, it takes a long s for an s, and the sign for kelvin for
// a k.
func cutFold(s, prefix string) (rest string, ok bool) {
	for _, want := range prefix {
		c, size := utf8.DecodeRuneInString(s)
		if c != want && unicode.SimpleFold(c) != want && unicode.SimpleFold(unicode.SimpleFold(c)) != want {
			return "", false
		}
		s = s[size:]
	}
	return s, true
}
