package main

import (
	"sync"

	"github.com/terrarium-dev/terrarium/hostwasm/engine/page/bundle"
)

// pagePlugins are the plugins as the page fetches them, and their index. The binary
// has them as they are natively; a page is the rarer use, so each is metered and
// compressed once, when somebody asks for it. That takes a second or two.
func pagePlugins() map[string]func() ([]byte, error) {
	files := make(map[string]func() ([]byte, error))
	var list []bundle.Plugin
	var one sync.Mutex // at a time: it takes 100 MB of memory
	for _, m := range ownModules() {
		wasm, err := m.Load()
		if err != nil {
			continue // this build is without it
		}
		p := bundle.Describe(m.Name, m.Commands, wasm)
		list = append(list, p)
		files["plugins/"+p.File()] = sync.OnceValues(func() ([]byte, error) {
			one.Lock()
			defer one.Unlock()
			return bundle.Compress(p.Name, wasm)
		})
	}
	index := bundle.NewIndex(list).Encode()
	files["plugins/"+bundle.IndexFile] = func() ([]byte, error) { return index, nil }
	return files
}
