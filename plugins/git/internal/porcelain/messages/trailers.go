package messages

import (
	"fmt"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/git/internal/repo"
)

func SignOff(message string, s repo.Signature) string {
	line := fmt.Sprintf("Signed-off-by: %s <%s>\n", s.Name, s.Email)
	if strings.HasSuffix(message, line) {
		return message
	}
	if EndsInTrailers(message) {
		return message + line
	}
	return message + "\n" + line
}

// EndsInTrailers reports whether the last paragraph of a message has lines such as "Signed-off-by:
// x".
func EndsInTrailers(text string) bool {
	text = strings.TrimRight(text, "\n")
	at := strings.LastIndex(text, "\n\n")
	if at < 0 {
		return false
	}
	for line := range strings.SplitSeq(text[at+2:], "\n") {
		if isTrailer(line) {
			return true
		}
	}
	return false
}

func isTrailer(line string) bool {
	if strings.HasPrefix(line, "(cherry picked from commit ") {
		return true
	}
	key, _, ok := strings.Cut(line, ": ")
	return ok && key != "" && !strings.ContainsAny(key, " \t")
}
