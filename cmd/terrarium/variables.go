package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/environ"
	"github.com/terrarium-dev/terrarium/core"
)

// envFlags say which variables commands get.
type envFlags struct {
	env     []string           // NAME=VALUE, or NAME for ours of that name
	inherit bool               // native commands see all our variables, and an agent may send any
	base    []string           // what they see, as hostnative.Config.Env; nil is all
	given   []core.EnvVariable // by env
}

// variables returns those of --env.
func (f *envFlags) variables() ([]core.EnvVariable, error) {
	var list []core.EnvVariable
	for _, e := range f.env {
		name, value, ok := strings.Cut(e, "=")
		if name == "" {
			return nil, fmt.Errorf("--env %s: want NAME=VALUE, or NAME to pass ours on", e)
		}
		if !ok {
			if value, ok = os.LookupEnv(name); !ok {
				return nil, fmt.Errorf("--env %s: there is no such variable here: want NAME=VALUE", name)
			}
		}
		list = append(list, core.EnvVariable{Name: name, Value: value})
	}
	f.given = list
	return list, nil
}

// narrow leaves commands what they need of our environment, and tells a person of what they may
// miss: mostly a proxy whose URL has a password.
func (f *envFlags) narrow() {
	if f.inherit {
		return
	}
	beUndumpable()
	var withheld []string
	f.base, withheld = environ.Base(os.Environ())
	withheld = slices.DeleteFunc(withheld, func(name string) bool {
		return slices.ContainsFunc(f.env, func(e string) bool { return e == name || strings.HasPrefix(e, name+"=") })
	})
	if len(withheld) > 0 {
		notice(fmt.Sprintf("%s: looks like it holds a secret: commands don't see it: --env %s hands it over", strings.Join(withheld, ", "), withheld[0]))
	}
}

// check says what is wrong with the flags of a host.
func (f *envFlags) check(host string, changed bool) error {
	if host == "wasm" && changed {
		return errors.New("--env-inherit: the sandbox has variables of its own: --env NAME passes one on")
	}
	return nil
}

// own returns what commands have of us and of --env, whoever asks for them.
func (f *envFlags) own(host string) []core.EnvVariable {
	switch {
	case host == "wasm":
		return f.given
	case f.base == nil:
		return append(environ.Variables(os.Environ()), f.given...)
	}
	return append(environ.Variables(f.base), f.given...)
}
