//go:build linux || darwin

package hostnative

import (
	"strings"

	"github.com/terrarium-dev/terrarium/core"
)

// An environ is an environment in which every name occurs once.
type environ struct {
	list  []string       // NAME=value
	index map[string]int // from a name into list
}

// environment returns what the process of c gets to see: base, then what its
// terminal implies, then its own variables. The last of equal names wins.
func environment(base []string, c core.Command) environ {
	e := environ{index: make(map[string]int)}
	for _, kv := range base {
		name, value, ok := strings.Cut(kv, "=")
		// COLUMNS and LINES are some other terminal's size, and programs
		// believe them more than their own terminal.
		if ok && name != "" && name != "COLUMNS" && name != "LINES" {
			e.set(name, value)
		}
	}
	e.describeTerminal(c)
	if c.Cwd != "" {
		e.set("PWD", c.Cwd)
	}
	for _, v := range c.Env {
		e.set(v.Name, v.Value)
	}
	return e
}

// describeTerminal keeps commands that nobody types to from waiting for a
// person. An interactive one keeps what its person has configured.
func (e *environ) describeTerminal(c core.Command) {
	term := "dumb"
	if c.Pty {
		term = "xterm-256color"
	}
	if c.Interactive {
		if own, _ := e.lookup("TERM"); own == "" {
			e.set("TERM", term)
		}
		return
	}
	e.set("TERM", term)
	for _, pager := range [...]string{"PAGER", "GIT_PAGER", "MANPAGER", "SYSTEMD_PAGER"} {
		e.set(pager, "cat")
	}
	e.set("LESS", "FRX")
	e.set("GIT_TERMINAL_PROMPT", "0")
	e.set("GH_PROMPT_DISABLED", "1")
	e.set("DEBIAN_FRONTEND", "noninteractive")
}

func (e *environ) set(name, value string) {
	kv := name + "=" + value
	if i, ok := e.index[name]; ok {
		e.list[i] = kv
		return
	}
	e.index[name] = len(e.list)
	e.list = append(e.list, kv)
}

func (e *environ) lookup(name string) (value string, ok bool) {
	i, ok := e.index[name]
	if !ok {
		return "", false
	}
	return e.list[i][len(name)+1:], true
}
