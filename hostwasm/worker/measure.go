package worker

import (
	"errors"
	"strings"
)

// A Measure is one thing that holds a worker.
type Measure struct {
	Name   string // what "terrarium doctor" calls it
	Used   bool
	Detail string // how, or why not
}

func measure(name string, err error, detail string) Measure {
	if err != nil {
		return Measure{Name: name, Detail: err.Error()}
	}
	return Measure{Name: name, Used: true, Detail: detail}
}

// Missing returns those of measures that are not used.
func Missing(measures []Measure) (missing []Measure) {
	for _, m := range measures {
		if !m.Used {
			missing = append(missing, m)
		}
	}
	return missing
}

// An UnconfinedError says what is missing of all that Config.Required asks for.
// It is an errors.ErrUnsupported.
type UnconfinedError struct{ Missing []Measure }

func (e *UnconfinedError) Error() string {
	return "hostwasm/worker: the system does not hold a worker as Config.Required asks for: " + Describe(e.Missing)
}

// Is makes it an errors.ErrUnsupported.
func (*UnconfinedError) Is(target error) bool { return target == errors.ErrUnsupported }

// Describe says of each measure how it is used, or why not.
func Describe(measures []Measure) string {
	var all []string
	for _, m := range measures {
		all = append(all, m.Name+": "+m.Detail)
	}
	return strings.Join(all, "; ")
}
