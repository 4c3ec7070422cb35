package compress

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

const xzOptions = "z,compress d,decompress,uncompress t,test l,list k,keep f,force c,stdout,to-stdout single-stream no-sparse S,suffix= files? files0? " +
	"F,format= C,check= ignore-check 0 1 2 3 4 5 6 7 8 9 e,extreme fast best T,threads= block-size= M,memlimit,memory= memlimit-compress= " +
	"memlimit-decompress= no-adjust flush-timeout= q,quiet v,verbose Q,no-warn robot h,help H,long-help V,version"

// The exit statuses of xz.
const (
	xzError   = 1
	xzWarning = 2
)

// xzer is one run of xz.
type xzer struct {
	env    *tool.Env
	opts   *option.Result
	mode   byte // z, d, t or l
	stdout bool
	suffix string
	level  int
	quiet  int
	status int

	listed []xzSizes
}

func xzCommand(env *tool.Env, args []string) int {
	called := env.Name[strings.LastIndexByte(env.Name, '/')+1:]
	opts, err := option.Parse(args[1:], xzOptions)
	if err != nil {
		env.Errorf("%v", err)
		return tryXZHelp(env)
	}
	x := &xzer{env: env, opts: opts, mode: 'z', suffix: ".xz", level: 6, stdout: called == "xzcat"}
	if called != "xz" {
		x.mode = 'd'
	}
	for _, o := range opts.Options {
		switch o.Name {
		case "h", "H":
			env.Help()
			return 0
		case "V":
			env.Version()
			return 0
		case "z", "d", "t", "l":
			x.mode = o.Name[0]
		case "c":
			x.stdout = true
		case "q":
			x.quiet++
		case "S":
			if o.Arg == "" || strings.Contains(o.Arg, "/") {
				env.Errorf("%s: Invalid filename suffix", o.Arg)
				return xzError
			}
			x.suffix = o.Arg
		case "F":
			if o.Arg != "xz" && o.Arg != "auto" {
				env.Errorf("%s: Unsupported file format: only xz is known in this sandbox", o.Arg)
				return xzError
			}
		case "fast":
			x.level = 0
		case "best":
			x.level = 9
		default:
			if '0' <= o.Name[0] && o.Name[0] <= '9' {
				x.level = int(o.Name[0] - '0')
			}
		}
	}
	eachInput(env, opts.Operands, x.stream, x.file)
	x.listTotal()
	if x.status == xzWarning && opts.Has("Q") {
		return 0
	}
	return x.status
}

func tryXZHelp(env *tool.Env) int {
	env.Errorf("Try `%s --help' for more information.", env.Name)
	return xzError
}

func (x *xzer) has(name string) bool { return x.opts.Has(name) }

func (x *xzer) fail(name string, what string) {
	if x.quiet < 2 {
		x.env.Errorf("%s: %s", name, what)
	}
	x.status = xzError
}

func (x *xzer) warn(name string, what string) {
	if x.quiet < 1 {
		x.env.Errorf("%s: %s", name, what)
	}
	if x.status == 0 {
		x.status = xzWarning
	}
}

func (x *xzer) stream() {
	in, _ := x.env.Input("-")
	switch x.mode {
	case 'l':
		x.env.Errorf("--list does not support reading from standard input")
		x.status = xzError
		return
	case 'z':
		if err := x.write(x.env.Out, in); err != nil {
			x.tell("(stdin)", err)
		}
		return
	}
	z, err := newXZReader(bufio.NewReader(in))
	if err != nil {
		x.tell("(stdin)", err)
		return
	}
	w := io.Writer(x.env.Out)
	if x.mode == 't' {
		w = io.Discard
	}
	if _, err := copyTo(w, z); err != nil {
		x.tell("(stdin)", err)
	}
}

// write compresses. There is no level 0 outside of xz.
func (x *xzer) write(w io.Writer, r io.Reader) error { return compressTo(w, r, XZ, x.level) }

func (x *xzer) file(name string) {
	inPlace := !x.stdout && x.mode != 't' && x.mode != 'l'
	look := x.env.Stat
	if inPlace && !x.has("f") {
		look = x.env.Lstat
	}
	fi, err := look(name)
	switch {
	case err != nil:
		x.fail(name, tool.Strerror(err))
		return
	case fi.IsDir():
		x.warn(name, "Is a directory, skipping")
		return
	case fi.Mode()&fs.ModeSymlink != 0:
		x.warn(name, "Is a symbolic link, skipping")
		return
	case inPlace && !fi.Mode().IsRegular():
		x.warn(name, "Not a regular file, skipping")
		return
	}
	in, err := x.env.Open(name)
	if err != nil {
		x.fail(name, tool.Strerror(err))
		return
	}
	defer in.Close()
	switch x.mode {
	case 'l':
		x.list(name, in)
	case 'z':
		x.compress(name, in, fi)
	default:
		x.extract(name, in, fi)
	}
}

func (x *xzer) compress(name string, in io.Reader, fi os.FileInfo) {
	write := func(w io.Writer) error { return x.write(w, in) }
	if x.stdout {
		if err := write(x.env.Out); err != nil {
			x.tell(name, err)
		}
		return
	}
	for _, suffix := range []string{x.suffix, ".xz", ".txz"} {
		if len(name) > len(suffix) && strings.HasSuffix(name, suffix) {
			x.warn(name, "File already has `"+suffix+"' suffix, skipping")
			return
		}
	}
	x.replace(name, name+x.suffix, fi, write)
}

func (x *xzer) extract(name string, in io.Reader, fi os.FileInfo) {
	counted := &tool.CountingReader{R: in}
	buffered := bufio.NewReader(counted)
	z, err := newXZReader(buffered)
	if err == ErrFormat && x.stdout && x.has("f") {
		if _, err := copyTo(x.env.Out, buffered); err != nil {
			x.tell(name, err)
		}
		return
	}
	if err != nil {
		x.tell(name, err)
		return
	}
	size := int64(0)
	write := func(w io.Writer) (err error) {
		size, err = copyTo(w, z)
		return err
	}
	switch {
	case x.mode == 't':
		err = write(io.Discard)
	case x.stdout:
		err = write(x.env.Out)
	default:
		to, ok := x.stem(name)
		if !ok {
			x.warn(name, "Filename has an unknown suffix, skipping")
			return
		}
		if !x.replace(name, to, fi, write) {
			return
		}
	}
	if err != nil {
		x.tell(name, err)
		return
	}
	if x.has("v") {
		x.env.Warn(fmt.Sprintf("%s: %s / %s = %.3f", name, xzSize(counted.N), xzSize(size), float64(counted.N)/float64(max(size, 1))))
	}
}

// stem takes the suffix off.
func (x *xzer) stem(name string) (string, bool) {
	for _, s := range [][2]string{{x.suffix, ""}, {".xz", ""}, {".txz", ".tar"}} {
		if stem, ok := strings.CutSuffix(name, s[0]); ok && stem != "" && !strings.HasSuffix(stem, "/") {
			return stem + s[1], true
		}
	}
	return "", false
}

// replace makes the file to in the place of name.
func (x *xzer) replace(name, to string, fi os.FileInfo, write func(io.Writer) error) bool {
	if _, err := x.env.Lstat(to); err == nil && !x.has("f") {
		x.fail(to, "File exists")
		return false
	}
	if err := newFile(x.env, to, fi, x.has("f"), write); err != nil {
		x.tell(name, err)
		return false
	}
	if x.has("k") {
		return true
	}
	if err := x.env.Remove(name); err != nil {
		x.warn(name, "Cannot remove: "+tool.Strerror(err))
	}
	return true
}

// tell names what went wrong with a file's data.
func (x *xzer) tell(name string, err error) {
	var w tool.WriteError
	switch {
	case gone(x.env, err):
	case errors.As(err, &w):
		x.fail(name, "Write error: "+tool.Strerror(w.Err))
	case err == ErrFormat:
		x.fail(name, "File format not recognized")
	case err == ErrCorrupt:
		x.fail(name, "Compressed data is corrupt")
	case err == ErrOptions:
		x.fail(name, "Unsupported options")
	case err == ErrMemory:
		x.fail(name, fmt.Sprintf("Memory usage limit reached\n%s: at most %d MiB are given to a dictionary here", x.env.Name, maxXZDictionary>>20))
	case err == io.ErrUnexpectedEOF:
		x.fail(name, "Unexpected end of input")
	default:
		x.fail(name, tool.Strerror(err))
	}
}
