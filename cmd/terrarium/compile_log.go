package main

import (
	"errors"
	"os"
	"sync"
)

// A compileLog is a driver.Logger that shows a person what a worker.Host warns of when it compiles:
// that what was kept of a module was changed, or can't be loaded, or that nothing can be kept. Each
// line is shown once. All else that a Host warns of has a function in its Config. The zero value is
// ready for use, by any goroutine.
type compileLog struct {
	mu    sync.Mutex
	shown map[string]bool
}

// maxCompileWarnings is how many lines are shown: commands choose the names of their own modules.
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
	if l.isNew(line) {
		warn(os.Stderr, errors.New(line))
	}
}

// isNew reports whether a line is to be shown.
func (l *compileLog) isNew(line string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.shown[line] || len(l.shown) == maxCompileWarnings {
		return false
	}
	if l.shown == nil {
		l.shown = make(map[string]bool)
	}
	l.shown[line] = true
	return true
}
