// Package plugin keeps folders of WASI commands by third parties: a module
// NAME.wasm for each, and beside it, if there is more to say, a [Manifest]
// NAME.json. What is in such a folder is not trusted: names, sizes and texts
// are bounded, and a plugin that is out of bounds is left out with an error
// that names the file.
package plugin
