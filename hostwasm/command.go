package hostwasm

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"sync"

	"github.com/terrarium-dev/terrarium/hostwasm/internal/turn"
)

// A Module is a WebAssembly module that commands are made of. Several commands
// may share one, which tells them apart by argv[0].
type Module struct {
	// Name is for messages.
	Name string
	// Load returns the module's bytes. It is called when they are needed, which
	// they no longer are when the module was compiled.
	Load func() ([]byte, error)
	// Hash, if not nil, returns the SHA-256 of these bytes, and spares loading
	// a module that was compiled before.
	Hash func() ([sha256.Size]byte, error)

	// Direct are modules that stand for this one, by the name of a command: small
	// ones that start in a fraction of its time. Such a module is taken where Start
	// starts the command itself, as opposed to what a command starts; where argv[0]
	// ends with its name, no other argument begins with "-", and POSIXLY_CORRECT is
	// not set; and where PWD is the current directory, without links.
	Direct map[string]*Module

	same bool // Load always returns the same bytes

	mu  sync.Mutex
	sum *[sha256.Size]byte // nil until it is known
}

// NewModule returns a module of bytes that are there already, and that nobody may change.
func NewModule(name string, wasm []byte) *Module {
	return &Module{Name: name, Load: func() ([]byte, error) { return wasm, nil }, same: true}
}

// Read returns the module's bytes, which nobody may change, and does not keep
// them. Where they are others than those of Sum that is an error, once.
func (m *Module) Read() ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.read()
}

func (m *Module) read() ([]byte, error) {
	wasm, err := m.Load()
	if err != nil {
		return nil, err
	}
	if m.sum != nil && m.same {
		return wasm, nil
	}
	sum := sumOf(wasm)
	if m.sum != nil && *m.sum != sum {
		m.sum = nil
		return nil, fmt.Errorf("%s: the module has changed while it was in use", m.Name)
	}
	m.sum = &sum
	return wasm, nil
}

// sumOf returns the SHA-256 of a module, for which others get their turns.
func sumOf(wasm []byte) (sum [sha256.Size]byte) {
	h := sha256.New()
	for piece := range slices.Chunk(wasm, atOnce) {
		h.Write(piece)
		turn.Give()
	}
	h.Sum(sum[:0])
	return sum
}

// atOnce is how many bytes are worked through until others get their turn.
const atOnce = 256 << 10

// Sum returns the SHA-256 of the module's bytes, by which a Host knows what it
// has compiled.
func (m *Module) Sum() ([sha256.Size]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.sum != nil:
	case m.Hash != nil:
		sum, err := m.Hash()
		if err != nil {
			return sum, err
		}
		m.sum = &sum
	default:
		if _, err := m.read(); err != nil {
			return [sha256.Size]byte{}, err
		}
	}
	return *m.sum, nil
}
