// Package bundle makes of modules what a page fetches: each metered for its
// engine and compressed, in a file of its own, and an index of them.
//
// To meter and compress a large module takes seconds and much memory, so it is
// done before the page is there. Modules of others are metered in the page.
package bundle

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/terrarium-dev/terrarium/hostwasm"
	"github.com/terrarium-dev/terrarium/hostwasm/engine/page"
)

// IndexFile is the name of the index, beside the modules.
const IndexFile = "index.json"

// An Index says what there is, as index.json.
type Index struct {
	// By is hostwasm.CompiledBy of the page's engine. A sandbox that has another
	// is of another version, and can't use the modules.
	By      string   `json:"by"`
	Plugins []Plugin `json:"plugins"`
}

// NewIndex returns an index of these plugins.
func NewIndex(plugins []Plugin) Index {
	return Index{By: hostwasm.CompiledBy(page.Target{}, hostwasm.Limits{}), Plugins: plugins}
}

// Encode returns the index as it is written to IndexFile.
func (i Index) Encode() []byte {
	p, err := json.MarshalIndent(i, "", "\t")
	if err != nil {
		panic(err) // it has strings and numbers only
	}
	return append(p, '\n')
}

// A Plugin is a module in an Index.
type Plugin struct {
	Name string `json:"name"`
	// Sum and Size are those of the module before it is metered: its SHA-256 in
	// hexadecimal, and how many bytes it has.
	Sum  string `json:"sum"`
	Size int    `json:"size"`
	// Commands are the names that it answers to.
	Commands []string `json:"commands"`
}

// Describe returns what an index says of a module.
func Describe(name string, commands []string, wasm []byte) Plugin {
	sum := sha256.Sum256(wasm)
	return Plugin{Name: name, Sum: hex.EncodeToString(sum[:]), Size: len(wasm), Commands: commands}
}

// File is the name of the file that has the module.
func (p Plugin) File() string { return p.Name + ".wasm.gz" }

// Compress meters a module for the page's engine and compresses it with gzip as
// hard as it can: the same module always becomes the same bytes. The error says
// what is wrong with the module.
func Compress(name string, wasm []byte) ([]byte, error) {
	metered, err := hostwasm.MeterFor(page.Target{}, hostwasm.NewModule(name, wasm), hostwasm.Limits{})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(metered); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
