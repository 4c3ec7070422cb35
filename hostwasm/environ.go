package hostwasm

import (
	"strings"

	"github.com/terrarium-dev/terrarium/core"
)

// environment returns a command's variables as NAME=value: our defaults, then
// base, then its own. The last of equal names wins.
func environment(base []string, c core.Command, dir string) []string {
	var list []string
	index := make(map[string]int)
	set := func(name, value string) {
		kv := name + "=" + value
		if i, ok := index[name]; ok {
			list[i] = kv
			return
		}
		index[name] = len(list)
		list = append(list, kv)
	}
	term := "dumb"
	if c.Pty {
		term = "xterm-256color"
	}
	set("PATH", "/bin")
	set("HOME", "/tmp")
	set("TMPDIR", "/tmp")
	set("LANG", "C.UTF-8")
	set("TERM", term)
	set("PWD", dir)
	if !c.Interactive { // nobody turns pages
		set("PAGER", "cat")
		set("GIT_PAGER", "cat")
	}
	for _, kv := range base {
		if name, value, ok := strings.Cut(kv, "="); ok && name != "" {
			set(name, value)
		}
	}
	for _, v := range c.Environ() {
		set(v.Name, v.Value)
	}
	return list
}
