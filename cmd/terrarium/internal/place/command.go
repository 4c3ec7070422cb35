package place

import (
	"errors"
	"strings"
)

// command is any program that starts another one with the standard streams that it has itself, as
// runc exec does. COMMAND is its name and its arguments, as a shell has them; the far command
// follows.
var command = scheme{
	name: "exec", form: "COMMAND", called: "it",
	parse: func(p *Place) error {
		if words := strings.Fields(p.target); words[0] == "ssh" {
			// It has the shell over there take what follows apart again.
			return errors.New("want ssh:HOST, with options in ~/.ssh/config: ssh takes no command as it is")
		}
		p.argv = []string{"sh", "-c", "exec " + p.target + ` "$@"`, "sh"}
		return nil
	},
	hints: []hint{
		{"executable file not found", ErrMissing, ""},
		{"unexpected argument: terrarium", nil, needsLast},
		{"cannot open terrarium", nil, needsLast},
	},
}

const needsLast = `the command gets "terrarium host serve …" as its last arguments, and is to run that: exec:env does, on this machine`
