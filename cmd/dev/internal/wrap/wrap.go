// Package wrap finds prose that is wider than 100 columns: comments in source files, and paragraphs
// in Markdown. Code may be as wide as it has to be, but a comment behind code belongs above it when
// the line is too long for both.
//
// What can't be broken may be wider: a single word such as a URL, a row of a table, a line of a
// code block. Generated files are not looked at.
package wrap

import (
	"path"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Columns is how wide prose may be.
const Columns = 100

// tab is how many columns a tab counts as, wherever it stands.
const tab = 4

// finders find the numbers of the lines that are too wide, counted from 1, by a file's extension.
var finders = map[string]func(lines []string) []int{
	".css":   block.find,
	".c":     slashes.find,
	".h":     slashes.find,
	".js":    slashes.find,
	".mjs":   slashes.find,
	".ts":    slashes.find,
	".py":    hash.find,
	".sh":    hash.find,
	".toml":  hash.find,
	".md":    markdown,
	".txtar": script,
}

// Knows reports whether files of that name have prose that Find can tell from the rest.
func Knows(name string) bool {
	ext := path.Ext(name)
	return ext == ".go" || finders[ext] != nil
}

// Find returns the numbers of the lines in src, counted from 1, whose prose is too wide. The name
// says which language src is in; of an unknown one there are none.
func Find(name string, src []byte) []int {
	lines := strings.Split(string(src), "\n")
	if path.Ext(name) == ".go" {
		return golang(src, lines)
	}
	if find := finders[path.Ext(name)]; find != nil {
		return find(lines)
	}
	return nil
}

// wide reports whether the line is wider than prose may be.
func wide(line string) bool {
	return utf8.RuneCountInString(line)+(tab-1)*strings.Count(line, "\t") > Columns
}

// target is where a link leads to, on a line of its own, in Markdown and in comments of Go.
var target = regexp.MustCompile(`^\[[^\]]+\]: \S+$`)

// tooWide reports whether the line is too wide and has a place to break it at. The text is what is
// left of it without the signs that a line of its kind begins with.
func tooWide(line, text string) bool {
	text = strings.TrimSpace(text)
	return wide(line) && strings.ContainsAny(text, " \t") && !target.MatchString(text)
}
