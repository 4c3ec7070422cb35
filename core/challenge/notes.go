package challenge

import (
	"strconv"
	"strings"

	"github.com/terrarium-dev/terrarium/core/keys"
)

// maxNotes is how many warnings an agent gets in the default mode. Each can be
// many times as long as what caused it.
const maxNotes = 100

// notes are the warnings of one answer.
type notes struct {
	all    bool // Strict: maxNotes does not apply
	list   []string
	silent int // how many were left out
}

func (n *notes) add(parts ...string) {
	if !n.all && len(n.list) == maxNotes {
		n.silent++
		return
	}
	n.list = append(n.list, strings.Join(parts, ""))
}

// String returns the notes as a list, one line each.
func (n *notes) String() string {
	if len(n.list) == 0 {
		return ""
	}
	s := "- " + strings.Join(n.list, "\n- ")
	if n.silent > 0 {
		s += "\n- and " + strconv.Itoa(n.silent) + " more"
	}
	return s
}

// addRepeated warns of a block that there must be one of.
func (n *notes) addRepeated(block string, times int) {
	n.add("IMPORTANT: Only issue one <", block, "> block at a time. You issued ", strconv.Itoa(times),
		" and only the first was executed.")
}

// addUnended warns of keystrokes that are followed by others and do not end
// their line. Waiting and keys with a name end none; terminus-2 warns of them
// too, as of PR #2308 of Harbor only of the latter.
func (n *notes) addUnended(keystrokes, number string, strict bool) {
	if strings.HasSuffix(keystrokes, "\n") {
		return
	}
	if _, isKey := keys.Lookup(keystrokes, keys.Modes{}); !strict && (isKey || keystrokes == "") {
		return
	}
	n.add("Command ", number, " should end with newline when followed by another command. ",
		"Otherwise the two commands will be concatenated together on the same line.")
}
