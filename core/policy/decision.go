package policy

import "fmt"

// A Decision says what becomes of a command. The greater one is the stricter one. The zero value is
// no decision, and never that of a Verdict.
type Decision uint8

const (
	Allow Decision = iota + 1 // it starts
	Ask                       // somebody decides
	Deny                      // it does not start
)

var decisionNames = [...]string{"none", "allow", "ask", "deny"}

// String returns the name that files use: "allow", "ask" or "deny".
func (d Decision) String() string { return decisionNames[d] }

// parseDecision is the inverse of String.
func parseDecision(name string) (Decision, error) {
	for d := Allow; d <= Deny; d++ {
		if d.String() == name {
			return d, nil
		}
	}
	return 0, fmt.Errorf(`decision %q is none of "allow", "ask", "deny"`, name)
}

// A Layer says who has written a file. The zero value is trusted least.
type Layer uint8

const (
	// Project files lie where the command may write. They can only tighten: they have no rules that
	// allow, and their rules change no decision to a milder one.
	Project Layer = iota
	// User is the file of the person at this machine.
	User
	// Managed is the file of whoever runs the machine.
	Managed
)

var layerNames = [...]string{"project", "user", "managed"}

// String returns "project", "user" or "managed".
func (l Layer) String() string { return layerNames[l] }
