// Command page runs command lines of the box in a sandbox whose files are in memory: in a page, or
// natively, to compare the two.
//
//	page BOX.wasm REQUESTS.json KEPT
//
// KEPT is a cache of compiled modules, or in a page the box metered for it. It writes a JSON line
// for each request.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"time"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/hostwasm"
	"github.com/terrarium-dev/terrarium/hostwasm/vfs"
)

// Requests are what is run: each line with the commands of the box.
type Requests struct {
	Commands []string
	Lines    []Request
}

// A Request is a command line and what it finds.
type Request struct {
	Line string
	Env  []core.EnvVariable
	Dir  string // its current directory
	Root string // what is handed over, Dir or above it
	// Deterministic is hostwasm.Config's.
	Deterministic bool
	// Files are below Root by their relative names; directories come first.
	Files []File
}

// A File is a directory, a symbolic link or a file.
type File struct {
	Name   string
	Dir    bool
	Target string
	Data   []byte
	Mode   uint16
	Time   int64 // ns since 1970
}

// A Response is what can be seen of a command.
type Response struct {
	Stdout, Stderr []byte
	Exit           core.ExitStatus
	Fuel           uint64
	Files          []File // all that there is now
	Error          string
}

// limit is how long a command may take.
const limit = time.Minute

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	data, err := os.ReadFile(args[1])
	if err != nil {
		return err
	}
	var requests Requests
	if err := json.Unmarshal(data, &requests); err != nil {
		return err
	}
	kept, err := compiled(args[0], args[2])
	if err != nil {
		return err
	}
	box := &hostwasm.Module{Name: "box", Load: func() ([]byte, error) { return os.ReadFile(args[0]) }}
	commands := map[string]*hostwasm.Module{}
	for _, name := range requests.Commands {
		commands[name] = box
	}
	var root vfs.FS
	hosts := map[bool]*hostwasm.Host{}
	for _, deterministic := range []bool{false, true} {
		engine, err := newEngine()
		if err != nil {
			return err
		}
		hosts[deterministic], err = hostwasm.New(hostwasm.Config{
			Engine: engine, Cache: kept, Commands: commands, Deterministic: deterministic,
			Root: func(string) (vfs.FS, error) { return open{root}, nil },
		})
		if err != nil {
			return err
		}
		defer hosts[deterministic].Close()
	}
	out := json.NewEncoder(os.Stdout)
	for _, r := range requests.Lines {
		root = vfs.Memory(vfs.MemoryOptions{})
		if err := fill(root, r.Files); err != nil {
			return err
		}
		response := r.run(hosts[r.Deterministic])
		if response.Files, err = list(root, "."); err != nil {
			return err
		}
		if err := out.Encode(response); err != nil {
			return err
		}
	}
	return nil
}

// open is an FS that is read when the command that had it has ended.
type open struct{ vfs.FS }

func (open) Close() error { return nil }

func (r Request) run(h *hostwasm.Host) (got Response) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	fail := func(err error) Response {
		got.Error = err.Error()
		return got
	}
	e, err := h.Resolve(ctx, core.Command{
		Command: "/bin/bash", Args: []string{"-c", r.Line}, Env: r.Env, Cwd: r.Dir, Roots: []string{r.Root},
	})
	if err != nil {
		return fail(err)
	}
	p, err := h.Start(ctx, e)
	if err != nil {
		return fail(err)
	}
	defer p.Close()
	defer context.AfterFunc(ctx, func() { p.Close() })()
	var streams [3]bytes.Buffer
	if err := p.Output(func(stream uint8, b []byte) { streams[stream].Write(b) }); err != nil {
		return fail(err)
	}
	exit, err := p.Wait()
	if err == nil && ctx.Err() != nil {
		err = fmt.Errorf("it takes longer than %v", limit)
	}
	if err != nil {
		return fail(err)
	}
	return Response{Stdout: streams[1].Bytes(), Stderr: streams[2].Bytes(), Exit: exit.Status, Fuel: exit.Usage.Fuel}
}

func fill(fs vfs.FS, files []File) error {
	// People's directories have this mode.
	if err := fs.SetMode(".", vfs.ModeKnown|0o755); err != nil {
		return err
	}
	for _, f := range files {
		mode := vfs.ModeKnown | vfs.Mode(f.Mode)
		times := vfs.Times{Atim: f.Time, Mtim: f.Time, SetAtim: true, SetMtim: true}
		var err error
		switch {
		case f.Dir:
			err = fs.Mkdir(f.Name, mode)
		case f.Target != "":
			err = fs.Symlink(f.Target, f.Name)
		default:
			err = write(fs, f.Name, mode, f.Data)
		}
		if err == nil {
			err = fs.SetTimes(f.Name, times)
		}
		if err != nil {
			return fmt.Errorf("make %s: %w", f.Name, err)
		}
	}
	return nil
}

func write(fs vfs.FS, name string, mode vfs.Mode, data []byte) error {
	f, err := fs.Open(name, vfs.How{Write: true, Create: true, Mode: mode})
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteAt(data, 0)
	return err
}

// list returns what is in a directory and below it.
func list(fs vfs.FS, dir string) (files []File, err error) {
	d, err := fs.Open(dir, vfs.How{Directory: true})
	if err != nil {
		return nil, err
	}
	defer d.Close()
	entries, err := d.ReadDir(0, 1<<20)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if e.Name == "." || e.Name == ".." {
			continue
		}
		f := File{Name: path.Join(dir, e.Name)}
		s, err := fs.Lstat(f.Name)
		if err != nil {
			return nil, err
		}
		var below []File
		switch s.Type {
		case vfs.Directory:
			f.Dir = true
			below, err = list(fs, f.Name)
		case vfs.SymbolicLink:
			f.Target, err = fs.Readlink(f.Name)
		default:
			f.Data, err = read(fs, f.Name, s.Size)
		}
		if err != nil {
			return nil, err
		}
		files = append(append(files, f), below...)
	}
	return files, nil
}

func read(fs vfs.FS, name string, size uint64) ([]byte, error) {
	f, err := fs.Open(name, vfs.How{Read: true})
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data := make([]byte, size)
	n, err := f.ReadAt(data, 0)
	return data[:n], err
}
