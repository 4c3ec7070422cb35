package wrap

import "strings"

// markdown finds the lines of paragraphs, lists, quotes and headings that are too wide.
func markdown(lines []string) []int {
	var found []int
	fenced := false // between two lines of ```
	blank := true   // the line before was empty, or a line of indented code
	for i, line := range lines {
		trimmed := strings.TrimSpace(line)
		if strings.HasPrefix(trimmed, "```") {
			fenced = !fenced
			continue
		}
		code := fenced || blank && (strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "    "))
		blank = trimmed == "" || code
		if code || strings.HasPrefix(trimmed, "|") || strings.HasPrefix(trimmed, "<") || isSpan(trimmed) {
			continue
		}
		if tooWide(line, strings.TrimLeft(trimmed, "#>-* ")) {
			found = append(found, i+1)
		}
	}
	return found
}

// isSpan reports whether the line is nothing but a piece of code in “: what a program has said, to
// the letter.
func isSpan(line string) bool {
	inner, ok := strings.CutPrefix(line, "`` ")
	return ok && strings.Index(inner, "``") == len(inner)-len("``")
}

// script finds the lines that are too wide in what a script says to its reader: the comments in the
// script itself, which is before the first file of the archive or in the file "script", and what is
// above that one. Other files are what programs read and print.
func script(lines []string) []int {
	file := ""
	first := "" // the first file of the archive
	for _, line := range lines {
		if name := fileName(line); name != "" {
			first = name
			break
		}
	}
	var found []int
	for i, line := range lines {
		if name := fileName(line); name != "" {
			file = name
			continue
		}
		prose := file == "" && first == "script"
		if file != "" && file != "script" || !prose && !strings.HasPrefix(line, "#") {
			continue
		}
		if tooWide(line, strings.TrimPrefix(line, "#")) {
			found = append(found, i+1)
		}
	}
	return found
}

// fileName returns the name in the line that begins a file of an archive, or "".
func fileName(line string) string {
	name, ok := strings.CutPrefix(line, "-- ")
	if !ok {
		return ""
	}
	name, ok = strings.CutSuffix(name, " --")
	if !ok {
		return ""
	}
	return name
}
