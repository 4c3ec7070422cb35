package plugins

import (
	"encoding/binary"
	"errors"
	"strings"
)

// stampSection is the custom section by which cmd/dev says which module of ours one is.
const stampSection = "terrarium.plugin"

// magic begins every module of WebAssembly, version 1.
const magic = "\x00asm\x01\x00\x00\x00"

var (
	errNoModule = errors.New("not a WebAssembly module")
	errNoStamp  = errors.New("a module, but none that was built to be part of terrarium's sandbox")
)

// Stamp returns which module of ours bytes are, and of which version, as the build has
// written it into them: "box" and "v1.2.3", or Devel for a working copy. It believes what
// it reads: it tells mistakes, and not who means harm.
//
// https://webassembly.github.io/spec/core/binary/modules.html#binary-module
func Stamp(wasm []byte) (name, version string, err error) {
	rest, ok := strings.CutPrefix(string(wasm[:min(len(wasm), len(magic))]), magic)
	if !ok || rest != "" {
		return "", "", errNoModule
	}
	for b := wasm[len(magic):]; len(b) > 0; {
		kind := b[0]
		size, n := binary.Uvarint(b[1:])
		if n <= 0 || size > uint64(len(b)-1-n) {
			return "", "", errNoModule
		}
		section := b[1+n:][:size]
		b = b[1+n:][size:]
		named, n := binary.Uvarint(section)
		if kind != 0 || n <= 0 || named != uint64(len(stampSection)) || named > uint64(len(section)-n) {
			continue
		}
		text, stamped := strings.CutPrefix(string(section[n:][:min(len(section)-n, len(stampSection)+maxText)]), stampSection)
		name, version, ok := strings.Cut(text, " ")
		if stamped && ok {
			return name, version, nil
		}
	}
	return "", "", errNoStamp
}
