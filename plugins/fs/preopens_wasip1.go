package fs

import (
	"path"
	"strings"
	"sync"
	"syscall"
	"unsafe"
)

//go:wasmimport wasi_snapshot_preview1 fd_prestat_get
//go:noescape
func prestat(fd int32, prestat *[2]uint32) syscall.Errno

//go:wasmimport wasi_snapshot_preview1 fd_prestat_dir_name
//go:noescape
func prestatName(fd int32, name *byte, size uint32) syscall.Errno

// A preopen is a directory in which names begin. Package syscall has the same
// list and tells nobody.
type preopen struct {
	fd   int32
	name string
}

var preopens = sync.OnceValue(func() (list []preopen) {
	for fd := int32(3); ; fd++ {
		var stat [2]uint32 // the type, which has a byte, and the length of the name
		if prestat(fd, &stat) != 0 {
			return list
		}
		name := make([]byte, stat[1])
		if len(name) > 0 && prestatName(fd, unsafe.SliceData(name), stat[1]) == 0 {
			list = append(list, preopen{fd, string(name)})
		}
	}
})

// beginning returns the directory in which name begins, and the rest of it, as
// package syscall would, so that both mean the same file.
func beginning(name string) (dir int32, rest string) {
	slash := strings.HasSuffix(name, "/")
	if !path.IsAbs(name) {
		wd, _ := syscall.Getwd()
		name = wd + "/" + name
	}
	name = path.Clean("/" + name)
	dir, longest := -1, ""
	for _, p := range preopens() {
		if len(p.name) > len(longest) && strings.HasPrefix(name, p.name) {
			dir, longest = p.fd, p.name
		}
	}
	rest = strings.TrimLeft(name[len(longest):], "/")
	switch {
	case rest == "":
		rest = "."
	case slash:
		rest += "/"
	}
	return dir, rest
}
