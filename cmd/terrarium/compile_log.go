package main

import (
	"errors"
	"os"
	"sync"
)

// A compileLog is a driver.Logger that shows a person what a worker.Host warns of when it compiles:
// that what was kept of a module was changed, or can't be loaded, or that nothing can be kept. Each
// line is shown once, and so many of a kind. All else that a Host warns of has a function in its
// Config. The zero value is ready for use, by any goroutine.
type compileLog struct {
	mu    sync.Mutex
	shown map[string]map[string]bool // lines, by what a Host has called it
}

// maxCompileWarnings is how many lines of a kind are shown. Commands choose the names of their own
// modules, and can have many that can't be loaded. That must not hide what somebody has changed.
const maxCompileWarnings = 20

func (*compileLog) Debug(string, ...any) {}
func (*compileLog) Info(string, ...any)  {}

// Warn implements driver.Logger.
func (l *compileLog) Warn(msg string, args ...any) {
	about := make(map[any]any)
	for i := 0; i+1 < len(args); i += 2 {
		about[args[i]] = args[i+1]
	}
	name, ok := about["module"].(string)
	if !ok || !keepsCompiled() { // which has said why not
		return
	}
	line := moduleName(name) + ": " + msg
	if err, ok := about["err"].(error); ok {
		line += ": " + message(err)
	}
	if l.isNew(msg, line) {
		warn(os.Stderr, errors.New(line))
	}
}

// isNew reports whether a line of a kind is to be shown. There are as many kinds as a Host has
// warnings.
func (l *compileLog) isNew(kind, line string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	lines := l.shown[kind]
	switch {
	case lines[line] || len(lines) == maxCompileWarnings:
		return false
	case l.shown == nil:
		l.shown = make(map[string]map[string]bool)
	}
	if lines == nil {
		lines = make(map[string]bool)
		l.shown[kind] = lines
	}
	lines[line] = true
	return true
}
