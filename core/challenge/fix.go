package challenge

import "strings"

// A fix may make sense of an answer in which there was an error. It returns
// false if it has nothing to try.
type fix struct {
	name  string
	apply func(response, err string) (string, bool)
}

// fixes are tried in order, each on the answer as it came.
var fixes = []fix{
	{"Fixed incomplete JSON by adding missing closing brace", closeBraces},
	{"Extracted JSON from mixed content", extractObject},
}

// closeBraces closes all braces at the end. It knows nothing of strings.
func closeBraces(response, err string) (string, bool) {
	if err != errNoJSON && !strings.HasPrefix(err, "Invalid JSON") {
		return "", false
	}
	missing := strings.Count(response, "{") - strings.Count(response, "}")
	if missing <= 0 {
		return "", false
	}
	return response + strings.Repeat("}", missing), true
}

// extractObject takes the first {…} that is JSON and in which braces, also
// those in strings, go only one level deeper.
func extractObject(response, _ string) (string, bool) {
	for i := 0; i < len(response); {
		start := strings.IndexByte(response[i:], '{')
		if start < 0 {
			break
		}
		start += i
		end := flatEnd(response, start)
		if end < 0 {
			i = start + 1
			continue
		}
		object := response[start:end]
		if _, err := load(object); err == nil || err.fatal {
			return object, true
		}
		i = end
	}
	return "", false
}

// flatEnd returns the end of the object that begins at start, or -1 if it has
// none or there are more than two levels. What it passes over before it fails
// is passed over only once more: all of it but the last is small objects, each
// of which is found as such.
func flatEnd(s string, start int) int {
	depth := 0
	for i := start; i < len(s); i++ {
		switch s[i] {
		case '{':
			if depth++; depth > 2 {
				return -1
			}
		case '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}
