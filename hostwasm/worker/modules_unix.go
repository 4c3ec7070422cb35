//go:build linux || darwin

package worker

import (
	"fmt"
	"os"
	"sync"

	"github.com/terrarium-dev/terrarium/hostwasm"
)

// modules are the commands' modules as files to hand out. It is safe for
// concurrent use.
type modules struct {
	byCommand []*hostwasm.Module
	numbers   []int // of byCommand, the same for the same
	names     []string

	mu    sync.Mutex
	files map[*hostwasm.Module]*os.File
}

func newModules(commands map[string]*hostwasm.Module, names []string) *modules {
	m := &modules{names: names, files: make(map[*hostwasm.Module]*os.File)}
	numbers := make(map[*hostwasm.Module]int)
	for i, name := range names {
		module := commands[name]
		if _, ok := numbers[module]; !ok {
			numbers[module] = i
		}
		m.byCommand = append(m.byCommand, module)
		m.numbers = append(m.numbers, numbers[module])
	}
	return m
}

// file returns a command's module, which is read when it is first wanted.
func (m *modules) file(command int) (*os.File, error) {
	if command < 0 || command >= len(m.byCommand) {
		return nil, fmt.Errorf("no command %d", command)
	}
	module := m.byCommand[command]
	m.mu.Lock()
	defer m.mu.Unlock()
	if f := m.files[module]; f != nil {
		return f, nil
	}
	p, err := module.Read()
	if err != nil {
		return nil, err
	}
	f, err := memoryFile(m.names[command], p)
	if err != nil {
		return nil, err
	}
	m.files[module] = f
	return f, nil
}

func (m *modules) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for module, f := range m.files {
		f.Close()
		delete(m.files, module)
	}
}
