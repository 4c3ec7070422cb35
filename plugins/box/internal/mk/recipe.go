package mk

import (
	"bytes"
	"io"
	"os"
	"strings"
	"time"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/find"
)

// A command is a line of a recipe, expanded, without the characters before it that say how to run
// it.
type command struct {
	text   string
	where  place
	silent bool // "@"
	ignore bool // "-"
	always bool // "+", or it runs make
}

// runRecipe runs the recipe that makes f.
func (m *maker) runRecipe(f *file, r *rule, newer []string) bool {
	m.special = &scope{up: m.special, vars: m.automatic(f, r, newer)}
	defer func() { m.special = m.special.up }()
	var commands []command
	for _, line := range r.lines {
		m.where = line.where
		always := strings.Contains(line.text, "$(MAKE)") || strings.Contains(line.text, "${MAKE}")
		commands = append(commands, m.commands(m.expand(line.text), line.where, always)...)
	}
	m.where = place{}
	if m.oneShell && len(commands) > 0 {
		commands = joined(commands)
	}
	if m.opts.question {
		for _, c := range commands {
			if !c.always {
				return false
			}
		}
	}
	if m.opts.touch && !f.phony && len(commands) > 0 {
		m.ran++
		return m.touchTarget(f)
	}
	for _, c := range commands {
		if m.env.Stopped() {
			return false
		}
		m.ran++
		if !m.runCommand(f, c) {
			return false
		}
	}
	return true
}

// commands splits what a line expands to into commands, and takes off what says how to run them.
func (m *maker) commands(text string, where place, always bool) []command {
	var list []command
	outer := command{}
	first := true
	for len(text) > 0 {
		end := 0
		for end < len(text) && text[end] != '\n' {
			if text[end] == '\\' && end+1 < len(text) {
				end++
			}
			end++
		}
		c := command{text: text[:min(end, len(text))], where: where, always: always, silent: outer.silent, ignore: outer.ignore}
		text = text[min(end+1, len(text)):]
		c.prefixes()
		if first {
			outer, first = c, false
		}
		if c.text != "" {
			c.text = strings.ReplaceAll(c.text, "\\\n\t", "\\\n")
			list = append(list, c)
		}
	}
	return list
}

// prefixes takes "@", "-" and "+" off.
func (c *command) prefixes() {
	for {
		c.text = strings.TrimLeft(c.text, " \t")
		if c.text == "" {
			return
		}
		switch c.text[0] {
		case '@':
			c.silent = true
		case '-':
			c.ignore = true
		case '+':
			c.always = true
		default:
			return
		}
		c.text = c.text[1:]
	}
}

// joined makes one command of all lines, for .ONESHELL.
func joined(commands []command) []command {
	one := commands[0]
	for _, c := range commands[1:] {
		one.text += "\n" + c.text
	}
	return []command{one}
}

func (m *maker) touchTarget(f *file) bool {
	if !m.silent {
		m.env.Out.WriteString("touch " + f.name + "\n")
	}
	if m.opts.dryRun {
		return true
	}
	file, err := m.env.Create(f.name, 0)
	if err != nil {
		m.say("touch: %s: %v", f.name, err)
		return false
	}
	file.Close()
	now := time.Now()
	os.Chtimes(m.env.Path(f.name), now, now)
	return true
}

// runCommand runs one command, and says what went wrong.
func (m *maker) runCommand(f *file, c command) bool {
	if m.opts.dryRun || !c.silent && !m.silent {
		m.env.Out.WriteString(c.text + "\n")
	}
	if (m.opts.dryRun || m.opts.touch) && !c.always {
		return true
	}
	status := m.shell(c.text, nil)
	if status == 0 || m.env.Stopped() {
		return status == 0
	}
	where := c.where.String()
	if c.where.line == 0 {
		where = c.where.file
	}
	if c.ignore || m.opts.ignoreErrors {
		m.say("[%s: %s] Error %d (ignored)", where, f.name, status)
		return true
	}
	m.say("*** [%s: %s] Error %d", where, f.name, status)
	if d := m.files[".DELETE_ON_ERROR"]; d != nil && !f.phony && !f.precious && m.exists(f.name) {
		m.say("*** Deleting file '%s'", f.name)
		m.remove(f.name)
	}
	return false
}

// special are the characters for which make asks a shell.
const special = "#;\"*?[]&|<>(){}$`^~!\\\n='"

// shell runs a command line. A nil stdout is make's own.
func (m *maker) shell(line string, stdout io.Writer) int {
	env := m.env.Child()
	env.Environ = m.environ()
	if stdout != nil {
		env.Stdout = stdout
	}
	if m.env.Exec == nil {
		m.say("can't run commands here")
		return 127
	}
	// What needs no shell make runs itself, and says itself if there is no such command.
	if word := nth(strings.Fields(line), 0); word != "" && !strings.ContainsAny(line, special) && !isShellBuiltin(word) {
		if known := m.env.Has != nil && m.env.Has(word) || len(find.LookupAll(m.env, word)) > 0; !known {
			m.say("%s: No such file or directory", word)
			return 127
		}
	}
	sh, flags := m.value("SHELL"), m.value(".SHELLFLAGS")
	if sh == "/bin/sh" || sh == "/bin/bash" || sh == "/usr/bin/bash" {
		sh = notDir(sh)
	}
	return m.env.Exec(env, append(append([]string{sh}, strings.Fields(flags)...), line))
}

// shellBuiltins are commands that only a shell has.
const shellBuiltins = " : . cd exit export eval exec set unset trap umask wait ulimit shift source alias command type read return " +
	"break continue times readonly local if for while case until "

func isShellBuiltin(word string) bool { return strings.Contains(shellBuiltins, " "+word+" ") }

// maxOutput bounds what $(shell) reads, in bytes.
const maxOutput = 16 << 20

// shellOutput is the output of a command in one line.
func (m *maker) shellOutput(line string) string {
	if m.depth++; m.depth > maxDepth {
		m.fail("expansions are nested too deep")
	}
	defer func() { m.depth-- }()
	var out bytes.Buffer
	status := m.shell(line, &limited{w: &out, left: maxOutput})
	m.define(".SHELLSTATUS", sprintf("%d", status), false, fromOverride)
	text := strings.TrimRight(out.String(), "\n")
	return strings.ReplaceAll(text, "\n", " ")
}

// limited passes on so many bytes.
type limited struct {
	w    io.Writer
	left int
}

func (l *limited) Write(p []byte) (int, error) {
	if len(p) > l.left {
		return 0, io.ErrShortWrite
	}
	l.left -= len(p)
	return l.w.Write(p)
}
