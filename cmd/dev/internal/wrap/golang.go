package wrap

import (
	"go/scanner"
	"go/token"
	"regexp"
	"strings"
)

// generated is the line by which the go command knows a generated file ("go help generate").
var generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

// golang finds comments that are too wide in a Go file. It scans and does not parse, so a file that
// is wrong on purpose, as those in testdata, is looked at as well.
func golang(src []byte, lines []string) []int {
	if generated.Match(src) {
		return nil
	}
	files := token.NewFileSet()
	file := files.AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(file, src, func(token.Position, string) {}, scanner.ScanComments)
	var found []int
	output := false // in the comment that says what an example prints
	last := 0       // the line of the comment before
	for {
		pos, tok, text := s.Scan()
		if tok == token.EOF {
			return found
		}
		if tok != token.COMMENT {
			continue
		}
		first := file.Line(pos)
		output = strings.HasPrefix(text, "// Output:") || strings.HasPrefix(text, "// Unordered output:") ||
			output && first == last+1
		last = first
		if output {
			continue
		}
		for i, piece := range strings.Split(text, "\n") {
			line := lines[first+i-1]
			if behind := i == 0 && strings.Index(line, piece) > len(indent(line)); behind {
				// A comment with code around it can't stand anywhere else.
				if wide(line) && strings.HasSuffix(strings.TrimRight(line, " \t\r"), strings.TrimRight(piece, " \t\r")) {
					found = append(found, first)
				}
				continue
			}
			if isDirective(piece) {
				continue
			}
			if bare, _ := strings.CutPrefix(piece, "//"); !strings.HasPrefix(bare, "\t") && tooWide(line, bare) {
				found = append(found, first+i)
			}
		}
	}
}

// isDirective reports whether a comment is for a tool ("go help directives"), as //go:build is.
func isDirective(comment string) bool {
	bare, ok := strings.CutPrefix(comment, "//")
	name, _, _ := strings.Cut(bare, " ")
	return ok && name != "" && strings.Contains(name, ":")
}

// indent returns the white space that the line begins with.
func indent(line string) string {
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}
