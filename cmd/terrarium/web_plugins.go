package main

import (
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"sync"

	"github.com/terrarium-dev/terrarium/hostwasm"
	"github.com/terrarium-dev/terrarium/hostwasm/engine/page"
	"github.com/terrarium-dev/terrarium/plugins"
)

// metered are the plugins as the page loads them, and their list. The binary has
// them as they are natively; a page is the rarer use, so they are metered when one
// asks, which takes a second or two.
func metered() map[string]func() ([]byte, error) {
	files := make(map[string]func() ([]byte, error))
	for _, m := range plugins.Modules() {
		if m.Missing() == nil {
			files["plugins/"+m.Name+".wasm.gz"] = func() ([]byte, error) { return meteredPlugin(m) }
		}
	}
	files["plugins/index.json"] = pluginIndex
	return files
}

// metering is held by the one plugin that is being metered, which takes 100 MB.
var metering sync.Mutex

func meteredPlugin(m plugins.Module) ([]byte, error) {
	wasm, err := m.Load()
	if err != nil {
		return nil, err
	}
	metering.Lock()
	defer metering.Unlock()
	wasm, err = hostwasm.MeterFor(page.Target{}, hostwasm.NewModule(m.Name, wasm), hostwasm.Limits{})
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed) // it goes no farther than this machine
	if _, err := w.Write(wasm); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// pluginIndex is plugins/index.json: what the page can load, and by what it was
// metered.
func pluginIndex() ([]byte, error) {
	type plugin struct {
		Name     string   `json:"name"`
		Sum      string   `json:"sum"` // SHA-256 of the module before it was metered
		Size     int      `json:"size"`
		Commands []string `json:"commands"`
	}
	index := struct {
		By      string   `json:"by"`
		Plugins []plugin `json:"plugins"`
	}{By: hostwasm.CompiledBy(page.Target{}, hostwasm.Limits{}), Plugins: []plugin{}}
	for _, m := range plugins.Modules() {
		if m.Missing() != nil {
			continue
		}
		wasm, err := m.Load()
		if err != nil {
			return nil, err
		}
		sum, err := hostwasm.NewModule(m.Name, wasm).Sum()
		if err != nil {
			return nil, err
		}
		index.Plugins = append(index.Plugins, plugin{m.Name, hex.EncodeToString(sum[:]), len(wasm), m.Commands})
	}
	return json.Marshal(index)
}
