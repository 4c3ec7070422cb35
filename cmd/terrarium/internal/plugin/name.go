package plugin

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// maxName is how long a command's name may be, in bytes.
const maxName = 64

// CheckName says why name can't be a command's. It begins with what is wrong
// with which name, quoted so that it can be shown.
func CheckName(name string) error {
	switch {
	case name == "":
		return errors.New(`"": empty`)
	case len(name) > maxName:
		return fmt.Errorf("%s: longer than %d bytes", Printable(name), maxName)
	case strings.Trim(name[:1], "._+-") == "" || strings.ContainsFunc(name, notInName):
		return fmt.Errorf("%q: want letters, digits and . _ + -, a letter or digit first", name)
	}
	return nil
}

func notInName(r rune) bool {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
		return false
	}
	return !strings.ContainsRune("._+-", r)
}

// maxShown is how much of a text from outside is shown, in bytes.
const maxShown = 120

// Printable returns text that does nothing to a terminal, quoted where it
// would, and cut where it is long.
func Printable(text string) string {
	rest := ""
	if len(text) > maxShown {
		text, rest = strings.ToValidUTF8(text[:maxShown], ""), "…"
	}
	if strings.ContainsFunc(text, Unprintable) {
		text = strconv.Quote(text)
	}
	return text + rest
}
