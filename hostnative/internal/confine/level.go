package confine

import "fmt"

// A Level says how much a command may read. What it may write, call and connect
// to is the same in all but Off.
type Level int

const (
	// Off restricts nothing.
	Off Level = iota
	// Workspace lets all files be read but those of a list, and those in Rules.Hide.
	Workspace
	// Strict lets what is handed over be read, the system's programs, and toolchains.
	Strict
)

var levels = [...]string{"off", "workspace", "strict"}

func (l Level) String() string {
	if l < 0 || int(l) >= len(levels) {
		return fmt.Sprintf("Level(%d)", int(l))
	}
	return levels[l]
}

// ParseLevel returns the level of that name.
func ParseLevel(name string) (Level, error) {
	for l, known := range levels {
		if name == known {
			return Level(l), nil
		}
	}
	return Off, fmt.Errorf("sandbox level %q: want off, workspace or strict", name)
}
