package main

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/terrarium-dev/terrarium/hostwasm/engine/page/bundle"
)

// The index once more, for JavaScript: bundlers take the modules along when their
// addresses are written like this.
const (
	scriptFile = "index.js"
	typesFile  = "index.d.ts"
)

const types = `import type { Plugin } from '../dist/types.js';

/** The plugins that come with the package: a shell with its tools, and git. */
export declare const plugins: readonly Plugin[];
`

// script returns a JavaScript module that exports what the index says.
func script(index bundle.Index) []byte {
	b := bytes.NewBufferString("export const plugins = [\n")
	for _, p := range index.Plugins {
		description, err := json.Marshal(struct {
			bundle.Plugin
			By string `json:"by"`
		}{p, index.By})
		if err != nil {
			panic(err) // it has strings and numbers only
		}
		fmt.Fprintf(b, "  { ...%s, source: new URL('./%s', import.meta.url) },\n", description, p.File())
	}
	b.WriteString("];\n")
	return b.Bytes()
}
