package find

import (
	"fmt"
	"io"
	"os"
	"path"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// actions do something; find prints by itself only where there is none.
var actions map[string]func(p *parser, name string) (node, error)

func init() {
	actions = map[string]func(p *parser, name string) (node, error){
		"print":   func(*parser, string) (node, error) { return printer{end: "\n"}, nil },
		"print0":  func(*parser, string) (node, error) { return printer{end: "\x00"}, nil },
		"printf":  printfAction,
		"fprint":  toFile(func(w io.Writer) node { return printer{w, "\n"} }),
		"fprint0": toFile(func(w io.Writer) node { return printer{w, "\x00"} }),
		"fprintf": fprintfAction,
		"fls":     toFile(func(w io.Writer) node { return lister(w) }),
		"ls":      func(p *parser, _ string) (node, error) { return lister(p.f.env.Out), nil },
		"prune": func(*parser, string) (node, error) {
			return test(func(f *finder, v *visit) bool { v.prune = !f.depth; return true }), nil
		},
		"quit": func(*parser, string) (node, error) {
			return test(func(f *finder, _ *visit) bool { f.quit = true; return true }), nil
		},
		"delete": func(p *parser, _ string) (node, error) {
			p.f.depth = true
			return test(remove), nil
		},
		"exec": execAction, "execdir": execAction, "ok": execAction, "okdir": execAction,
	}
}

// printer writes paths, to standard output if w is nil.
type printer struct {
	w   io.Writer
	end string
}

func (a printer) eval(f *finder, v *visit) bool {
	w := a.w
	if w == nil {
		w = f.env.Out
	}
	io.WriteString(w, v.path+a.end)
	return true
}

// output opens the file of -fprint and the like, once per name.
func (p *parser) output(name string) (io.Writer, error) {
	arg, err := p.argument(name)
	if err != nil {
		return nil, err
	}
	if w, ok := p.f.outputs[arg]; ok {
		return w, nil
	}
	w, err := p.f.env.Create(arg, os.O_TRUNC)
	if err != nil {
		return nil, complain("%s: %s", p.f.env.Quote(arg), tool.Strerror(err))
	}
	p.f.outputs[arg] = w
	return w, nil
}

func toFile(make func(io.Writer) node) func(*parser, string) (node, error) {
	return func(p *parser, name string) (node, error) {
		w, err := p.output(name)
		if err != nil {
			return nil, err
		}
		return make(w), nil
	}
}

func remove(f *finder, v *visit) bool {
	if v.path == "." {
		return true
	}
	if err := f.env.Remove(v.path); err != nil {
		f.env.Errorf("cannot delete %s: %s", f.env.Quote(v.path), tool.Strerror(err))
		f.status = 1
		return false
	}
	return true
}

// execution is -exec, -execdir, -ok and -okdir.
type execution struct {
	args  []string
	inDir bool
	ask   bool
	batch bool // ends with "+": many files at once
	files []string
	dir   string // of files, with -execdir
	size  int    // of files, in bytes
}

// maxBatch bounds the arguments of one command, in bytes.
const maxBatch = 128 << 10

func execAction(p *parser, name string) (node, error) {
	x := &execution{inDir: strings.HasSuffix(name, "dir"), ask: strings.HasPrefix(name, "ok")}
	for i, a := range p.args {
		if a == ";" || a == "+" && i > 0 && p.args[i-1] == "{}" && !x.ask {
			x.args, x.batch = p.args[:i], a == "+"
			p.args = p.args[i+1:]
			break
		}
	}
	if x.args == nil {
		return nil, complain("missing argument to `-%s'", name)
	}
	if len(x.args) == 0 {
		return nil, complain("invalid argument `;' to `-%s'", name)
	}
	if x.batch {
		x.args = x.args[:len(x.args)-1]
		if strings.Contains(strings.Join(x.args, " "), "{}") {
			return nil, complain("Only one instance of {} is supported with -%s ... +", name)
		}
		p.f.batches = append(p.f.batches, x)
	}
	return x, nil
}

func (x *execution) eval(f *finder, v *visit) bool {
	file, dir := v.path, ""
	if x.inDir {
		file, dir = "./"+v.base(), v.dir()
		if v.path == "/" {
			file = "/"
		}
	}
	if x.batch {
		if dir != x.dir || x.size > maxBatch {
			x.flush(f)
		}
		x.files, x.dir = append(x.files, file), dir
		x.size += len(file)
		return true
	}
	args := make([]string, len(x.args))
	for i, a := range x.args {
		args[i] = strings.ReplaceAll(a, "{}", file)
	}
	if x.ask && !confirm(f, args[0], v.path) {
		return false
	}
	return x.run(f, args, dir) == 0
}

// flush runs the command for the files gathered.
func (x *execution) flush(f *finder) {
	if len(x.files) == 0 {
		return
	}
	args := append(append([]string{}, x.args...), x.files...)
	x.files, x.size = nil, 0
	if x.run(f, args, x.dir) != 0 {
		f.status = 1
	}
}

func (x *execution) run(f *finder, args []string, dir string) int {
	env := f.env.Child()
	if dir != "" {
		env.Dir = path.Clean(f.env.Path(dir))
	}
	return Execute(f.env, env, args, func(why string) {
		f.env.Errorf("%s: %s", f.env.Quote(args[0]), why)
	})
}

func confirm(f *finder, command, file string) bool {
	f.env.Out.Flush()
	fmt.Fprintf(f.env.Stderr, "< %s ... %s > ? ", command, file)
	p := make([]byte, 1)
	answer := byte(0)
	for {
		n, err := f.env.Stdin.Read(p)
		if n == 1 && answer == 0 {
			answer = p[0]
		}
		if err != nil || n == 1 && p[0] == '\n' {
			return answer|0x20 == 'y'
		}
	}
}
