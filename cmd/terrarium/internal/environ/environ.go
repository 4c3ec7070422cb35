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

// Refused returns the variables in sent that change what programs do, in order and each once. own
// are those that the command has anyway or that a person has given: they may be sent as well. Of
// equal names the last counts, in both.
func Refused(sent, own []core.EnvVariable) (refused []core.EnvVariable) {
	has := valuesOf(own)
	for name, value := range valuesOf(sent) {
		if had, ok := has[name]; (!ok || had != value) && policy.ChangesPrograms(name, value) {
			refused = append(refused, core.EnvVariable{Name: name, Value: value})
		}
	}
	slices.SortFunc(refused, func(a, b core.EnvVariable) int { return strings.Compare(a.Name, b.Name) })
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
	const most = 8
	var names []string
	for i, v := range refused {
		if i == most {
			names = append(names, "…")
			break
		}
		name := strings.Trim(strconv.QuoteToASCII(v.Name), `"`)
		if len(name) > maxNameBytes {
			name = name[:maxNameBytes] + "…"
		}
		names = append(names, name)
	}
	return "env: " + strings.Join(names, ", ") + ": changes what programs do: leave it out, or write it into the command line, " +
		"where rules see it; a person can allow it with --env " + names[0] + "=VALUE or by its name in the env_assign of a rule that allows the command"
}
