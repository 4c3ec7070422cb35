package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strconv"
	"syscall"
	"time"
	"unsafe"
)

// What reaches from one place into another.
func init() {
	commands["swap"] = swap
	commands["cross"] = cross
	commands["narrow"] = narrow
	commands["fault"] = fault
}

// swap makes the directory d, in its first argument, the link linked and a
// directory again, for as long as its second argument says, and says how often.
func swap(args []string) error {
	long, err := time.ParseDuration(args[1])
	if err != nil {
		return err
	}
	d, link, away := path.Join(args[0], "d"), path.Join(args[0], "linked"), path.Join(args[0], "away")
	n := 0
	for end := time.Now().Add(long); time.Now().Before(end); n++ {
		for _, move := range [][2]string{{d, away}, {link, d}, {d, link}, {away, d}} {
			if err := os.Rename(move[0], move[1]); err != nil {
				return err
			}
		}
	}
	fmt.Println(n)
	return nil
}

// cross tries to get the file called file from each of its arguments, which are
// mounts, into the others, and says what it could. The last is where it can
// write.
func cross(args []string) error {
	last := args[len(args)-1]
	for i, from := range args {
		for j, to := range args {
			if i == j {
				continue
			}
			file := path.Join(from, "file")
			for what, err := range map[string]error{
				"link":    os.Link(file, path.Join(to, "linked")),
				"rename":  os.Rename(file, path.Join(to, "renamed")),
				"replace": os.Rename(file, path.Join(to, "file")),
			} {
				if err == nil {
					fmt.Println(what, from, to)
				}
			}
		}
		// A link of the guest's own leads where the guest may go, and no further.
		link := path.Join(last, "to"+strconv.Itoa(i))
		if err := os.Symlink(path.Join(from, "file"), link); err != nil {
			fmt.Println("symlink", from, err)
		}
		if err := os.WriteFile(link, []byte("x"), 0o666); err == nil && from != last {
			fmt.Println("write", from)
		}
	}
	return nil
}

//go:wasmimport terrarium_proc_v0 spawn
//go:noescape
func spawn(req *byte, size uint32, proc *uint32) syscall.Errno

// narrow starts a guest that sees of the files only the directory that is the
// first argument, which is to be read only if the second is "ro", with the
// other arguments and our output; and waits for it.
func narrow(args []string) error {
	le := binary.LittleEndian
	req := make([]byte, 8)
	le.PutUint16(req[6:], 1) // a command's name
	add := func(kind uint16, b string) {
		req = le.AppendUint16(req, kind)
		req = le.AppendUint32(append(req, 0, 0), uint32(len(b)))
		req = append(req, b...)
		for len(req)%4 != 0 {
			req = append(req, 0)
		}
	}
	const program, arg, fd, dir, cwd = 1, 2, 4, 5, 6
	add(program, "guest")
	add(arg, "guest")
	for _, a := range args[2:] {
		add(arg, a)
	}
	add(fd, "\x01\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00")
	rights := "\x00\x00\x00\x00"
	if args[1] == "ro" {
		rights = "\x01\x00\x00\x00"
	}
	add(dir, rights+args[0])
	add(cwd, args[0])
	le.PutUint32(req, uint32(len(req)))
	var handle uint32
	if e := spawn(unsafe.SliceData(req), uint32(len(req)), &handle); e != 0 {
		return os.NewSyscallError("spawn", e)
	}
	status := make([]byte, 16)
	if _, err := io.ReadFull(os.NewFile(uintptr(handle), "child"), status); err != nil {
		return err
	}
	if kind, code := le.Uint32(status), le.Uint32(status[4:]); kind != 0 || code != 0 {
		return errors.New("child: " + strconv.Itoa(int(kind)) + " " + strconv.Itoa(int(code)))
	}
	return nil
}

// fault reads where there is no memory.
func fault([]string) error {
	beyond := uintptr(0xfffffff0)
	fmt.Println(*(*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&beyond))))
	return nil
}
