//go:build linux || darwin

package worker

import (
	"crypto/sha256"
	"fmt"
	"os"

	"github.com/terrarium-dev/terrarium/hostwasm"
)

// modules are the commands' modules. It is safe for concurrent use.
type modules struct {
	byCommand []*hostwasm.Module
	numbers   []int // of byCommand, the same for the same
	names     []string
}

func newModules(commands map[string]*hostwasm.Module, names []string) *modules {
	m := &modules{names: names}
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

// sum returns the sum of a command's module.
func (m *modules) sum(command int) (sum [sha256.Size]byte, err error) {
	if command < 0 || command >= len(m.byCommand) {
		return sum, fmt.Errorf("no command %d", command)
	}
	return m.byCommand[command].Sum()
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
