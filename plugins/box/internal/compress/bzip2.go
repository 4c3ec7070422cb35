package compress

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// The exit statuses of bzip2.
const (
	bzip2Trouble = 1 // with files or usage
	bzip2Corrupt = 2
)

// bzip2er is one run of bzip2, which only extracts here.
type bzip2er struct {
	env                                 *tool.Env
	stdout, test, force, keep           bool
	verbose, quiet, compress, endOfOpts bool
	files                               []string
	status                              int
}

func bzip2Command(env *tool.Env, args []string) int {
	called := env.Name[strings.LastIndexByte(env.Name, '/')+1:]
	b := &bzip2er{env: env, compress: called == "bzip2", stdout: called == "bzcat"}
	for _, arg := range args[1:] {
		if b.flag(arg) {
			continue
		}
		env.Errorf("Bad flag `%s'", arg)
		env.Help()
		return bzip2Trouble
	}
	if b.compress {
		env.Errorf("%v", errNoBzip2)
		return bzip2Trouble
	}
	eachInput(env, b.files, b.stream, b.file)
	return b.status
}

// flag takes one argument, and reports whether it is a flag or the name of a file.
func (b *bzip2er) flag(arg string) bool {
	switch {
	case b.endOfOpts || len(arg) < 2 || arg[0] != '-':
		b.files = append(b.files, arg)
		return true
	case arg == "--":
		b.endOfOpts = true
		return true
	}
	letters := arg[1:]
	if arg[1] == '-' {
		letters = map[string]string{
			"--stdout": "c", "--decompress": "d", "--compress": "z", "--force": "f", "--test": "t", "--keep": "k", "--small": "s",
			"--quiet": "q", "--verbose": "v", "--fast": "1", "--best": "9",
		}[arg]
	}
	for _, c := range letters {
		switch c {
		case 'c':
			b.stdout = true
		case 'd':
			b.compress = false
		case 'z':
			b.compress = true
		case 'f':
			b.force = true
		case 't':
			b.compress, b.test = false, true
		case 'k':
			b.keep = true
		case 'q':
			b.quiet = true
		case 'v':
			b.verbose = true
		case 's', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		default:
			return false
		}
	}
	return letters != ""
}

func (b *bzip2er) fail(status int, format string, a ...any) {
	b.env.Errorf(format, a...)
	b.status = max(b.status, status)
}

func (b *bzip2er) stream() {
	in, _ := b.env.Input("-")
	b.extract("(stdin)", "(stdout)", in, b.env.Out)
}

func (b *bzip2er) file(name string) {
	fi, err := b.env.Stat(name)
	if err != nil {
		b.fail(bzip2Trouble, "Can't open input file %s: %s.", name, tool.Strerror(err))
		return
	}
	if fi.IsDir() {
		b.fail(bzip2Trouble, "Input file %s is a directory.", name)
		return
	}
	in, err := b.env.Open(name)
	if err != nil {
		b.fail(bzip2Trouble, "Can't open input file %s: %s.", name, tool.Strerror(err))
		return
	}
	defer in.Close()
	if b.stdout || b.test {
		b.extract(name, "(stdout)", in, b.env.Out)
		return
	}
	b.replace(name, in, fi)
}

// bzip2Suffixes are those that bzip2 takes off, and what it puts there instead.
var bzip2Suffixes = [][2]string{{".bz2", ""}, {".bz", ""}, {".tbz2", ".tar"}, {".tbz", ".tar"}}

// replace makes the extracted file in the place of the other.
func (b *bzip2er) replace(name string, in io.Reader, fi os.FileInfo) {
	to := name + ".out"
	known := false
	for _, s := range bzip2Suffixes {
		if stem, ok := strings.CutSuffix(name, s[0]); ok && stem != "" {
			to, known = stem+s[1], true
			break
		}
	}
	if link, err := b.env.Lstat(name); err == nil && !b.force && link.Mode()&fs.ModeType != 0 {
		b.fail(bzip2Trouble, "Input file %s is not a normal file.", name)
		return
	}
	if !known && !b.quiet {
		b.env.Errorf("Can't guess original name for %s -- using %s", name, to)
	}
	if _, err := b.env.Lstat(to); err == nil && !b.force {
		b.fail(bzip2Trouble, "Output file %s already exists.", to)
		return
	}
	extracted := false
	err := newFile(b.env, to, fi, b.force, func(w io.Writer) error {
		if extracted = b.extract(name, to, in, w); !extracted {
			return errTold
		}
		return nil
	})
	switch {
	case err == errTold:
	case err != nil:
		b.fail(bzip2Trouble, "Can't create output file %s: %s.", to, tool.Strerror(err))
	case !b.keep:
		b.env.Remove(name)
	}
}

// errTold ends what was already complained about.
var errTold = errors.New("told")

// extract writes or tests one file, and reports whether all was well.
func (b *bzip2er) extract(name, to string, in io.Reader, w io.Writer) bool {
	if b.verbose {
		b.env.Out.Flush()
		io.WriteString(b.env.Stderr, "  "+name+": ")
	}
	if b.test {
		w = io.Discard
	}
	z, err := newBzip2Reader(bufio.NewReader(in))
	if err == nil {
		_, err = copyTo(w, z)
	}
	if err == nil {
		if b.verbose {
			b.env.Warn(map[bool]string{false: "  done", true: "  ok"}[b.test])
		}
		return true
	}
	b.tell(name, to, err)
	return false
}

const (
	bzip2MayBeCorrupt = `
It is possible that the compressed file(s) have become corrupted.
You can use the -tvv option to test integrity of such files.
`
	bzip2Recover = "\nYou can use the `bzip2recover' program to attempt to recover\ndata from undamaged sections of corrupted files.\n"
)

// tell names what went wrong with a file's data.
func (b *bzip2er) tell(name, to string, err error) {
	var w tool.WriteError
	switch {
	case gone(b.env, err):
	case errors.As(err, &w):
		b.fail(bzip2Trouble, "I/O or other error, bailing out.  Possible reason follows.\n%s: %s", b.env.Name, tool.Strerror(w.Err))
	case b.test && err == ErrFormat:
		b.fail(bzip2Corrupt, "%s: bad magic number (file not created by bzip2)\n%s", name, bzip2Recover)
	case b.test:
		what := "data integrity (CRC) error in data"
		if err == io.ErrUnexpectedEOF {
			what = "file ends unexpectedly"
		}
		b.fail(bzip2Corrupt, "%s: %s\n%s", name, what, bzip2Recover)
	case err == ErrFormat:
		b.fail(bzip2Corrupt, "%s is not a bzip2 file.", name)
	default:
		what := "Data integrity error when decompressing."
		if err == io.ErrUnexpectedEOF {
			what = "Compressed file ends unexpectedly;\n\tperhaps it is corrupted?  *Possible* reason follows."
		}
		b.env.Warn("")
		b.fail(bzip2Corrupt, "%s\n\tInput file = %s, output file = %s\n%s%s", what, name, to, bzip2MayBeCorrupt, bzip2Recover)
		if to != "(stdout)" {
			b.env.Errorf("Deleting output file %s, if it exists.", to)
		}
	}
}
