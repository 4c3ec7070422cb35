package hostwasm

import (
	"crypto/sha256"
	"sync"
)

// A Module is a WebAssembly module that commands are made of. Several commands
// may share one, which tells them apart by argv[0].
type Module struct {
	// Name is for messages.
	Name string
	// Load returns the module's bytes. It is called once, when the module is
	// first needed, and again after an error.
	Load func() ([]byte, error)

	mu     sync.Mutex
	loaded *binary // nil until it is needed
}

// A binary is a module's bytes, with the hash by which a Host knows what it has compiled.
type binary struct {
	wasm []byte
	hash [sha256.Size]byte
}

func newBinary(wasm []byte) *binary { return &binary{wasm, sha256.Sum256(wasm)} }

// NewModule returns a module of bytes that are there already, and that nobody may change.
func NewModule(name string, wasm []byte) *Module {
	return &Module{Name: name, Load: func() ([]byte, error) { return wasm, nil }}
}

// Read returns the module's bytes, which nobody may change. It does not keep
// what Load returns.
func (m *Module) Read() ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.loaded != nil {
		return m.loaded.wasm, nil
	}
	return m.Load()
}

func (m *Module) load() (*binary, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.loaded != nil {
		return m.loaded, nil
	}
	wasm, err := m.Load()
	if err != nil {
		return nil, err
	}
	m.loaded = newBinary(wasm)
	return m.loaded, nil
}
