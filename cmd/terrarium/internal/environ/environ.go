package environ

import (
	"slices"
	"strconv"
	"strings"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/policy"
)

// Base returns what commands get to see of an environment, as NAME=value. withheld are the names of
// those that programs would need and that hold a secret: a proxy's URL with its password. It is
// sorted.
func Base(environ []string) (base, withheld []string) {
	base = []string{} // and never nil, which is all of it to a host
	for _, kv := range environ {
		name, value, ok := strings.Cut(kv, "=")
		switch {
		case !ok || !isAllowed(name):
		case secretValue(value):
			withheld = append(withheld, name)
		default:
			base = append(base, kv)
		}
	}
	slices.Sort(withheld)
	return base, slices.Compact(withheld)
}

// Variables is an environment as a command's Env has it.
func Variables(environ []string) (list []core.EnvVariable) {
	for _, kv := range environ {
		if name, value, ok := strings.Cut(kv, "="); ok && name != "" {
			list = append(list, core.EnvVariable{Name: name, Value: value})
		}
	}
	return list
}

// Value returns what a variable is in list, where the last of equal names counts, or "".
func Value(list []core.EnvVariable, name string) string { return valuesOf(list)[name] }

// Added returns what sent changes of own, which a command has anyway: variables that are new, or
// that have another value. Each is there once, in the order in which they were sent; of equal names
// the last counts.
func Added(sent, own []core.EnvVariable) (added []core.EnvVariable) {
	if len(sent) == 0 {
		return nil
	}
	has, gets := valuesOf(own), valuesOf(sent)
	for _, v := range sent {
		value, ok := gets[v.Name]
		if !ok {
			continue // it is there already
		}
		delete(gets, v.Name)
		if had, ok := has[v.Name]; !ok || had != value {
			added = append(added, core.EnvVariable{Name: v.Name, Value: value})
		}
	}
	return added
}

// Refused returns those of an agent's variables that change what programs do.
func Refused(added []core.EnvVariable) (refused []core.EnvVariable) {
	for _, v := range added {
		if policy.ChangesPrograms(v.Name, v.Value) {
			refused = append(refused, v)
		}
	}
	return refused
}

func valuesOf(list []core.EnvVariable) map[string]string {
	values := make(map[string]string, len(list))
	for _, v := range list {
		values[v.Name] = v.Value
	}
	return values
}

// Reason tells an agent why nothing starts with these variables, and what can be done. There is at
// least one. The text has no character that a terminal obeys.
func Reason(refused []core.EnvVariable) string {
	const most, maxShown = 4, 40
	var names []string
	for i, v := range refused {
		if i == most {
			names = append(names, "…")
			break
		}
		name := strings.Trim(strconv.QuoteToASCII(v.Name), `"`)
		if len(name) > maxShown {
			name = name[:maxShown] + "…"
		}
		names = append(names, name)
	}
	return "env: " + strings.Join(names, ", ") + ": would change what programs do: write it into the command line, or have a person allow it: " +
		"--env " + names[0] + "=VALUE, or a rule that names it in env_assign"
}
