//go:build linux || darwin

package worker

import (
	"crypto/sha256"
	"fmt"
	"os"
	"sync"

	"github.com/terrarium-dev/terrarium/hostwasm"
)

// modules are the commands' modules. It is safe for concurrent use.
type modules struct {
	// and then those that stand for some of them: hostwasm.Module.Direct
	byCommand []*hostwasm.Module
	numbers   []int    // of byCommand, the same for the same
	direct    []int    // by command, which of byCommand stands for it; -1: none
	names     []string // of byCommand, for messages

	mu     sync.Mutex
	shared map[int]sharedFile // by number
}

// A sharedFile is a module that workers have asked for.
type sharedFile struct {
	*os.File
	sum [sha256.Size]byte
}

func newModules(commands map[string]*hostwasm.Module, names []string) *modules {
	m := &modules{shared: make(map[int]sharedFile)}
	numbers := make(map[*hostwasm.Module]int)
	add := func(name string, module *hostwasm.Module) (number int) {
		if _, ok := numbers[module]; !ok {
			numbers[module] = len(m.byCommand)
		}
		m.byCommand = append(m.byCommand, module)
		m.numbers = append(m.numbers, numbers[module])
		m.names = append(m.names, name)
		return numbers[module]
	}
	for _, name := range names {
		add(name, commands[name])
	}
	for _, name := range names {
		direct := -1
		if d := commands[name].Direct[name]; d != nil {
			direct = add(d.Name, d)
		}
		m.direct = append(m.direct, direct)
	}
	return m
}

// sum returns the sum of a command's module.
func (m *modules) sum(command int) (sum [sha256.Size]byte, err error) {
	if command < 0 || command >= len(m.byCommand) {
		return sum, fmt.Errorf("no command %d", command)
	}
	return m.byCommand[command].Sum()
}

// share returns a command's module as a file for workers, which is ours to close:
// one for all, for a worker that asks and does not take the answers would have us
// keep as many as there are questions.
func (m *modules) share(command int) (*os.File, error) {
	sum, err := m.sum(command)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	number := m.numbers[command]
	if f, ok := m.shared[number]; ok && f.sum == sum {
		return f.File, nil
	}
	f, err := m.file(command)
	if err != nil {
		return nil, err
	}
	// A file from before the change may be being sent: Go closes it after that.
	m.shared[number] = sharedFile{f, sum}
	return f, nil
}

// close closes what is shared. Nobody may ask any longer.
func (m *modules) close() {
	for _, f := range m.shared {
		f.Close()
	}
}

// file returns a command's module as a file to hand out.
func (m *modules) file(command int) (*os.File, error) {
	if command < 0 || command >= len(m.byCommand) {
		return nil, fmt.Errorf("no command %d", command)
	}
	p, err := m.byCommand[command].Read()
	if err != nil {
		return nil, err
	}
	return memoryFile(m.names[command], p)
}
