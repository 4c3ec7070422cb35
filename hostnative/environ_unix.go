//go:build linux || darwin

package hostnative

import (
	"strings"

	"github.com/terrarium-dev/terrarium/core"
)

// An environ is an environment in which every name occurs once.
type environ struct {
	list []string // NAME=value

	// Where in list a name is. Both may be nil.
	common map[string]int // shared with other commands, and so not to be changed
	own    map[string]int // of what was added
}

// environs are the environments that commands begin with, by the kind of their
// terminal: made once, since each start needs one, and each Resolve.
type environs map[terminalKind]environ

type terminalKind struct{ pty, interactive bool }

// newEnvirons returns what commands get to see of base, and what their
// terminals imply. The last of equal names wins.
func newEnvirons(base []string) environs {
	all := make(environs)
	for _, kind := range []terminalKind{{false, false}, {false, true}, {true, false}, {true, true}} {
		e := environ{own: make(map[string]int, len(base))}
		for _, kv := range base {
			name, value, ok := strings.Cut(kv, "=")
			// COLUMNS and LINES are some other terminal's size, and programs
			// believe them more than their own terminal.
			if ok && name != "" && name != "COLUMNS" && name != "LINES" {
				e.set(name, value)
			}
		}
		e.describeTerminal(kind)
		all[kind] = environ{list: e.list, common: e.own}
	}
	return all
}

// of returns what the process of c gets to see: after the environment of its
// terminal those of its sandbox, and its own variables.
func (all environs) of(c core.Command, sandbox ...core.EnvVariable) environ {
	e := all[terminalKind{c.Pty, c.Interactive}]
	own := c.Environ()
	room := len(e.list) + len(sandbox) + len(own) + 2 // PWD, and the tag of its tree
	e.list = append(make([]string, 0, room), e.list...)
	if c.Cwd != "" {
		e.set("PWD", c.Cwd)
	}
	for _, v := range sandbox {
		e.set(v.Name, v.Value)
	}
	for _, v := range own {
		e.set(v.Name, v.Value)
	}
	return e
}

// describeTerminal keeps commands that nobody types to from waiting for a
// person. An interactive one keeps what its person has configured.
func (e *environ) describeTerminal(kind terminalKind) {
	term := "dumb"
	if kind.pty {
		term = "xterm-256color"
	}
	if kind.interactive {
		if own, _ := e.lookup("TERM"); own == "" {
			e.set("TERM", term)
		}
		return
	}
	e.set("TERM", term)
	for _, pager := range [...]string{"PAGER", "GIT_PAGER", "MANPAGER", "SYSTEMD_PAGER"} {
		e.set(pager, "cat")
	}
	e.set("LESS", lessAlone)
	e.set("VIMINIT", vimAlone)
	e.set("GIT_TERMINAL_PROMPT", "0")
	e.set("GH_PROMPT_DISABLED", "1")
	e.set("DEBIAN_FRONTEND", "noninteractive")
}

// Programs that wait for keys, where there are none for ever, are told to end by
// the variables that they read.
const (
	// lessAlone has less print files as a whole: it goes to the first line of each
	// (g) and then on by more lines than there are (j), ends where it reaches the end
	// (E), or goes on to the next file (the second j); ~ has no tildes fill the screen.
	// A less that has "+command" among its arguments does that before.
	lessAlone = "-FRXE~ ++g9999999j9999999j"
	// vimAlone ends vim with status 1 where it would wait for keys: when it has done what its
	// arguments say, and where a file has a swap file. Where keys come from a file (-s), or from a
	// pipe, it gets them; but with "-" a pipe is a text, and they come from the terminal. In ex
	// mode (-es) it reads no such variable. A vim without +eval ignores all from "if" on.
	vimAlone = `silent! source ~/.vimrc|` +
		// It waits for a key where it may not write .viminfo, a person's own history besides,
		// and after each screen of what it prints.
		`set viminfo= nomore|` +
		`if index(get(v:, "argv", []), "-s") < 0 && (has("nvim") || index(get(v:, "argv", []), "-") > 0 || ` +
		`getftype(resolve("/dev/stdin")) == "cdev")|` +
		// Of these vim runs no other after one that fails. They are not needed any more.
		`for g in getcompletion("", "augroup")|exe "silent! au! "..g.." VimEnter"|endfor|` +
		`au! VimEnter|` +
		// "silent!", as vim waits for a key before it ends if it has shown an error.
		`exe 'au VimEnter * ++nested silent! call writefile(["vim: nobody types at this terminal: ` +
		`edit files with other commands"], "/dev/stderr", "a")|silent! cquit'|` +
		`exe 'au SwapExists * let v:swapchoice = "q"|silent! call writefile(["vim: "..v:swapname..": ` +
		`another vim edits this file, or did when it was killed"], "/dev/stderr", "a")'|` +
		`endif`
)

func (e *environ) set(name, value string) {
	kv := name + "=" + value
	if i, ok := e.find(name); ok {
		e.list[i] = kv
		return
	}
	if e.own == nil {
		e.own = make(map[string]int)
	}
	e.own[name] = len(e.list)
	e.list = append(e.list, kv)
}

func (e *environ) lookup(name string) (value string, ok bool) {
	i, ok := e.find(name)
	if !ok {
		return "", false
	}
	return e.list[i][len(name)+1:], true
}

// find returns where in e.list a name is.
func (e *environ) find(name string) (i int, ok bool) {
	if i, ok = e.common[name]; !ok {
		i, ok = e.own[name]
	}
	return i, ok
}
