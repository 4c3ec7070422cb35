package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"
)

// What reaches from one place into another.
func init() {
	commands["dig"] = dig
	commands["swap"] = swap
	commands["cross"] = cross
	commands["narrow"] = narrow
	commands["fault"] = fault
	commands["arrange"] = arrange
}

// arrange makes, moves and removes files and directories in a directory.
func arrange(args []string) error {
	in := func(name string) string { return path.Join(args[0], name) }
	for _, step := range []func() error{
		func() error { return os.MkdirAll(in("a/b"), 0o700) },
		func() error { return os.WriteFile(in("a/b/file"), []byte("text"), 0o600) },
		func() error { return os.WriteFile(in("a/b/file"), []byte("t"), 0o600) },
		func() error { return os.Link(in("a/b/file"), in("linked")) },
		func() error { return os.Rename(in("a/b"), in("c")) },
		func() error { return os.Rename(in("linked"), in("c/other")) },
		func() error { return os.Truncate(in("c/other"), 2) },
		func() error {
			b, err := os.ReadFile(in("c/file"))
			if err == nil && string(b) != "t\x00" {
				err = fmt.Errorf("got %q of what was linked", b)
			}
			return err
		},
		func() error { return os.RemoveAll(in("c")) },
		func() error { return os.Remove(in("a")) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// dig tries to reach its first argument, a directory with a file, key, in it, by
// what leads there and by links in its second, where it can write. It says what
// it could.
func dig(args []string) error {
	dir, mine := args[0], args[1]
	link, above := path.Join(mine, "link"), path.Join(mine, "above")
	for name, target := range map[string]string{link: dir, above: path.Dir(dir)} {
		if err := os.Symlink(target, name); err != nil {
			return err
		}
	}
	could := func(what string, err error) {
		if err == nil {
			fmt.Println(what)
		}
	}
	back := path.Join(dir, "..", path.Base(dir))
	for _, way := range []string{dir, link, path.Join(above, path.Base(dir)), back + "/../" + path.Base(dir)} {
		key := way + "/key"
		_, err := os.ReadDir(way)
		could("list "+way, err)
		_, err = os.Stat(way)
		could("stat "+way, err)
		_, err = os.ReadFile(key)
		could("read "+key, err)
		_, err = os.Stat(key)
		could("stat "+key, err)
		could("write "+key, os.WriteFile(key, nil, 0o600))
		could("create in "+way, os.WriteFile(way+"/new", nil, 0o600))
		could("mkdir in "+way, os.Mkdir(way+"/dir", 0o700))
		could("symlink in "+way, os.Symlink("x", way+"/symlink"))
		could("link from "+key, os.Link(key, path.Join(mine, "linked")))
		could("link to "+way, os.Link(path.Join(mine, "file"), way+"/linked"))
		could("move out of "+way, os.Rename(key, path.Join(mine, "moved")))
		could("move into "+way, os.Rename(path.Join(mine, "file"), way+"/moved"))
		could("times of "+key, os.Chtimes(key, time.Unix(1, 0), time.Unix(1, 0)))
		could("remove "+key, os.Remove(key))
		could("chdir to "+way, os.Chdir(way))
	}
	for at := dir; at != path.Dir(at); at = path.Dir(at) {
		could("move "+at, os.Rename(at, path.Join(mine, "away")))
		could("move over "+at, os.Rename(path.Join(mine, "empty"), at))
		entries, _ := os.ReadDir(path.Dir(at))
		for _, e := range entries {
			if path.Join(path.Dir(at), e.Name()) == dir {
				fmt.Println("see", dir)
			}
		}
	}
	return nil
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

//go:wasmimport wasi_snapshot_preview1 path_filestat_set_times
//go:noescape
func setTimes(fd int32, flags uint32, path *byte, size uint32, atim, mtim uint64, which uint32) syscall.Errno

// lutimes sets the modification time of a name below the root to 2 s, not through
// a link, and looks whether it is that.
func lutimes(name string) error {
	const root, setMtim = 3, 4
	rest := strings.TrimPrefix(name, "/")
	if errno := setTimes(root, 0, unsafe.StringData(rest), uint32(len(rest)), 0, 2e9, setMtim); errno != 0 {
		return errno
	}
	info, err := os.Lstat(name)
	if err == nil && info.ModTime().Unix() != 2 {
		err = errors.New("the time is " + info.ModTime().String())
	}
	return err
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
