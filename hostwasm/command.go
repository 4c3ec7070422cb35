package hostwasm

import (
	"crypto/sha256"
	"fmt"
	"sync"
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

	mu  sync.Mutex
	sum *[sha256.Size]byte // nil until it is known
}

// NewModule returns a module of bytes that are there already, and that nobody may change.
func NewModule(name string, wasm []byte) *Module {
	return &Module{Name: name, Load: func() ([]byte, error) { return wasm, nil }}
}

// Read returns the module's bytes, which nobody may change, and does not keep
// them. Where they are others than those of Sum that is an error, once.
func (m *Module) Read() ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	wasm, err := m.Load()
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(wasm)
	if m.sum != nil && *m.sum != sum {
		m.sum = nil
		return nil, fmt.Errorf("%s: the module has changed while it was in use", m.Name)
	}
	m.sum = &sum
	return wasm, nil
}

// Sum returns the SHA-256 of the module's bytes, by which a Host knows what it
// has compiled.
func (m *Module) Sum() ([sha256.Size]byte, error) {
	m.mu.Lock()
	known := m.sum
	if known == nil && m.Hash != nil {
		sum, err := m.Hash()
		if err != nil {
			m.mu.Unlock()
			return sum, err
		}
		m.sum, known = &sum, &sum
	}
	m.mu.Unlock()
	if known != nil {
		return *known, nil
	}
	wasm, err := m.Read()
	return sha256.Sum256(wasm), err
}
