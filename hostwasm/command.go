package hostwasm

import "sync"

// A Module is a WebAssembly module that commands are made of. Several commands
// may share one, which tells them apart by argv[0].
type Module struct {
	// Name is for messages.
	Name string
	// Load returns the module's bytes. It is called once, when the module is
	// first needed, and again after an error.
	Load func() ([]byte, error)

	mu    sync.Mutex
	bytes []byte
}

// NewModule returns a module of bytes that are there already.
func NewModule(name string, wasm []byte) *Module {
	return &Module{Name: name, bytes: wasm}
}

// Read returns the module's bytes, which nobody may change. It does not keep
// what Load returns.
func (m *Module) Read() ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.bytes != nil {
		return m.bytes, nil
	}
	return m.Load()
}

func (m *Module) load() ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.bytes != nil {
		return m.bytes, nil
	}
	b, err := m.Load()
	if err != nil {
		return nil, err
	}
	m.bytes = b
	return b, nil
}
