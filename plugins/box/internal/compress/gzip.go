package compress

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/clock"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/option"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/sys"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

const gzipOptions = "a,ascii c,stdout,to-stdout d,decompress,uncompress f,force h,help k,keep l,list L,license n,no-name N,name q,quiet,silent " +
	"r,recursive rsyncable S,suffix= synchronous t,test v,verbose V,version 1,fast 2 3 4 5 6 7 8 9,best"

// The exit statuses of gzip.
const (
	gzipError   = 1
	gzipWarning = 2
)

// gzipper is one run of gzip.
type gzipper struct {
	env     *tool.Env
	opts    *option.Result
	level   int
	suffix  string
	naming  string // "n" or "N", the last that was given
	extract bool
	stdout  bool // write there, and keep files
	status  int

	listed struct {
		files, in, out, header int64
	}
}

// gzipCommand is gzip, gunzip and zcat, whose scripts call gzip: it is the name that begins every
// message.
func gzipCommand(env *tool.Env, args []string) int {
	called := env.Name[strings.LastIndexByte(env.Name, '/')+1:]
	env.Name = "gzip"
	opts, err := option.Parse(args[1:], gzipOptions)
	if err != nil {
		env.Errorf("%v", err)
		env.Warn("Try `gzip --help' for more information.")
		return gzipError
	}
	g := &gzipper{env: env, opts: opts, level: 6, suffix: ".gz", extract: called != "gzip", stdout: called == "zcat"}
	for _, o := range opts.Options {
		switch o.Name {
		case "h":
			env.Help()
			return 0
		case "V", "L":
			env.Version()
			return 0
		case "c":
			g.stdout = true
		case "d", "l", "t":
			g.extract = true
		case "n", "N":
			g.naming = o.Name
		case "S":
			if o.Arg == "" || strings.Contains(o.Arg, "/") {
				env.Errorf("invalid suffix '%s'", o.Arg)
				return gzipError
			}
			g.suffix = o.Arg
		default:
			if '1' <= o.Name[0] && o.Name[0] <= '9' {
				g.level = int(o.Name[0] - '0')
			}
		}
	}
	eachInput(env, opts.Operands, g.stream, g.file)
	g.listTotal()
	return g.status
}

func (g *gzipper) has(name string) bool { return g.opts.Has(name) }

// fail tells what is wrong; warn does unless -q, and only a clean status becomes that of a warning.
func (g *gzipper) fail(format string, a ...any) {
	g.env.Errorf(format, a...)
	g.status = gzipError
}

func (g *gzipper) warn(format string, a ...any) {
	if !g.has("q") {
		g.env.Errorf(format, a...)
	}
	if g.status == 0 {
		g.status = gzipWarning
	}
}

// tell names what went wrong with a file's data.
func (g *gzipper) tell(name string, err error) {
	var w tool.WriteError
	switch {
	case gone(g.env, err):
	case errors.As(err, &w):
		g.fail("%s: %s", name, tool.Strerror(w.Err))
	case errors.Is(err, ErrFormat):
		g.badData(name, "not in gzip format")
	case errors.Is(err, io.ErrUnexpectedEOF):
		g.badData(name, "unexpected end of file")
	case errors.Is(err, ErrChecksum):
		g.badData(name, "invalid compressed data--crc error")
	case errors.Is(err, ErrCorrupt):
		g.badData(name, "invalid compressed data--format violated")
	case errors.Is(err, ErrTrailing):
		if !g.has("q") {
			g.env.Warn("")
		}
		g.warn("%s: decompression OK, trailing garbage ignored", name)
	default:
		g.fail("%s: %s", name, tool.Strerror(err))
	}
}

func (g *gzipper) badData(name, what string) {
	g.env.Warn("")
	g.fail("%s: %s", name, what)
}

// stream works on standard input.
func (g *gzipper) stream() {
	in, _ := g.env.Input("-")
	if !g.extract {
		z, err := gzip.NewWriterLevel(tool.MarkWrites(g.env.Out), g.level)
		if err == nil {
			z.OS = gzipUnix
			if _, err = copyTo(z, in); err == nil {
				err = z.Close()
			}
		}
		if err != nil {
			g.tell("stdin", err)
		}
		return
	}
	g.read("stdin", "stdout", in, nil)
}

// gzipUnix is the system that the header of a file names.
const gzipUnix = 3

// file works on one operand.
func (g *gzipper) file(name string) {
	fi, err := g.find(&name)
	if err != nil {
		g.fail("%s: %s", name, tool.Strerror(err))
		return
	}
	switch {
	case fi.IsDir() && g.has("r"):
		g.dir(name)
		return
	case fi.IsDir():
		g.warn("%s is a directory -- ignored", name)
		return
	case g.inPlace() && fi.Mode()&fs.ModeSymlink != 0:
		g.fail("%s: Too many levels of symbolic links", name)
		return
	case g.inPlace() && !fi.Mode().IsRegular():
		g.warn("%s is not a directory or a regular file - ignored", name)
		return
	}
	if n := sys.Of(fi).Nlink; g.inPlace() && n > 1 && !g.has("f") && !g.has("k") {
		plural := "s"
		if n == 2 {
			plural = ""
		}
		g.warn("%s has %d other link%s -- file ignored", name, n-1, plural)
		return
	}
	to, ok := g.rename(name)
	if !ok {
		return
	}
	in, err := g.env.Open(name)
	if err != nil {
		g.fail("%s: %s", name, tool.Strerror(err))
		return
	}
	defer in.Close()
	if g.extract {
		g.read(name, to, in, fi)
		return
	}
	g.write(name, to, in, fi)
}

// inPlace reports whether files are replaced.
func (g *gzipper) inPlace() bool { return !g.stdout && !g.has("l") && !g.has("t") }

// find describes a file. To extract, its suffix may be left out.
func (g *gzipper) find(name *string) (os.FileInfo, error) {
	look := g.env.Stat
	if g.inPlace() && !g.has("f") {
		look = g.env.Lstat
	}
	fi, err := look(*name)
	if err == nil || !g.extract || !errors.Is(err, fs.ErrNotExist) {
		return fi, err
	}
	for _, suffix := range []string{g.suffix, ".gz", ".z", "-z", ".Z"} {
		if fi, err := look(*name + suffix); err == nil {
			*name += suffix
			return fi, nil
		}
	}
	if !strings.HasSuffix(*name, g.suffix) {
		*name += g.suffix
	}
	return nil, err
}

func (g *gzipper) dir(name string) {
	entries, err := g.env.ReadDir(name)
	if err != nil {
		g.fail("%s: %s", name, tool.Strerror(err))
		return
	}
	for _, e := range entries {
		if g.env.Stopped() {
			return
		}
		g.file(strings.TrimRight(name, "/") + "/" + e.Name())
	}
}

// gzipSuffixes are those that gzip takes off, or makes .tar of.
var gzipSuffixes = []string{".gz", ".z", ".taz", ".tgz", "-gz", "-z", "_z", ".Z"}

// rename returns the name of the file that name becomes, "stdout" for none. It is false if the file
// is to be left out.
func (g *gzipper) rename(name string) (to string, ok bool) {
	if !g.extract {
		if g.stdout {
			return "stdout", true
		}
		for _, suffix := range append([]string{g.suffix}, gzipSuffixes...) {
			if len(name) > len(suffix) && strings.HasSuffix(name, suffix) && !(g.has("r") && g.has("q")) {
				g.warnQuietly("%s already has %s suffix -- unchanged", name, suffix)
				return "", false
			}
		}
		return name + g.suffix, true
	}
	for _, suffix := range append([]string{g.suffix}, gzipSuffixes...) {
		stem, found := strings.CutSuffix(name, suffix)
		if !found || stem == "" || strings.HasSuffix(stem, "/") {
			continue
		}
		if suffix == ".tgz" || suffix == ".taz" {
			stem += ".tar"
		}
		return stem, true
	}
	if !g.inPlace() {
		return name, true
	}
	if g.has("r") {
		return "", false // as it finds them, without a word
	}
	g.warn("%s: unknown suffix -- ignored", name)
	return "", false
}

// warnQuietly is warn, but for a file that was found in a directory.
func (g *gzipper) warnQuietly(format string, a ...any) {
	if g.has("r") && !g.has("v") {
		return
	}
	g.warn(format, a...)
}

// write compresses a file.
func (g *gzipper) write(name, to string, in io.Reader, fi os.FileInfo) {
	read := &tool.CountingReader{R: in}
	written := int64(0)
	write := func(w io.Writer) error {
		counted := &tool.CountingWriter{W: w}
		z, err := gzip.NewWriterLevel(tool.MarkWrites(counted), g.level)
		if err != nil {
			return err
		}
		z.OS = gzipUnix
		if g.naming != "n" {
			z.ModTime = fi.ModTime()
			z.Name = latin1(name[strings.LastIndexByte(name, '/')+1:])
		}
		if _, err := copyTo(z, read); err != nil {
			return err
		}
		err = z.Close()
		written = counted.N - 18 // what a member has around its data
		if z.Name != "" {
			written -= int64(len([]rune(z.Name))) + 1
		}
		return err
	}
	if g.stdout {
		if err := write(g.env.Out); err != nil {
			g.tell(name, err)
		}
		return
	}
	if g.replace(name, to, fi, write) && g.has("v") {
		g.env.Warn(fmt.Sprintf("%s:\t%s -- %s %s", name, ratio(read.N-written, read.N), g.replaced(), to))
	}
}

func (g *gzipper) replaced() string {
	if g.has("k") {
		return "created"
	}
	return "replaced with"
}

// replace makes the file to in the place of name.
func (g *gzipper) replace(name, to string, fi os.FileInfo, write func(io.Writer) error) bool {
	if _, err := g.env.Lstat(to); err == nil && !g.has("f") {
		g.warn("%s already exists;\tnot overwritten", to)
		return false
	}
	if err := newFile(g.env, to, fi, g.has("f"), write); err != nil {
		g.tell(name, err)
		if !errors.Is(err, ErrTrailing) {
			return false
		}
	}
	if g.has("k") {
		return true
	}
	if err := g.env.Remove(name); err != nil {
		g.fail("%s: %s", name, tool.Strerror(err))
		return false
	}
	return true
}

// read extracts, tests or lists. fi is nil for standard input.
func (g *gzipper) read(name, to string, in io.Reader, fi os.FileInfo) {
	counted := &tool.CountingReader{R: in}
	buffered := bufio.NewReader(counted)
	if head, _ := buffered.Peek(2); len(head) > 0 && Detect(head) != Gzip && g.stdoutAsIs() {
		if _, err := copyTo(g.env.Out, buffered); err != nil {
			g.tell(name, err)
		}
		return
	}
	z, err := newGzipReader(buffered)
	if err != nil {
		g.tell(name, err)
		return
	}
	header := counted.N - int64(buffered.Buffered()) + 8
	stamp, kept := z.member.ModTime, fromLatin1(z.member.Name)
	if g.naming == "N" && kept != "" {
		if i := strings.LastIndexByte(to, '/'); i >= 0 {
			kept = to[:i+1] + kept[strings.LastIndexByte(kept, '/')+1:]
		}
		to = kept[:min(len(kept), 255)]
	}
	if g.has("l") {
		g.list(name, to, z, counted, header, fi, stamp)
		return
	}
	if g.has("t") {
		if _, err := copyTo(io.Discard, z); err != nil {
			g.tell(name, err)
		} else if g.has("v") {
			g.env.Warn(name + ":\t OK")
		}
		return
	}
	if fi == nil || g.stdout {
		if _, err := copyTo(g.env.Out, z); err != nil {
			g.tell(name, err)
		}
		return
	}
	if g.naming == "N" && !stamp.IsZero() {
		fi = stamped{fi, stamp}
	}
	size := int64(0)
	extracted := g.replace(name, to, fi, func(w io.Writer) (err error) {
		size, err = copyTo(w, z)
		return err
	})
	if extracted && g.has("v") {
		g.env.Warn(fmt.Sprintf("%s:\t%s -- %s %s", name, ratio(size-(counted.N-header), size), g.replaced(), to))
	}
}

// stdoutAsIs is zcat -f, which shows other files as they are.
func (g *gzipper) stdoutAsIs() bool { return g.stdout && g.has("f") && !g.has("l") && !g.has("t") }

// stamped is a file with another time.
type stamped struct {
	os.FileInfo
	time time.Time
}

func (s stamped) ModTime() time.Time { return s.time }

func (g *gzipper) list(name, to string, z io.Reader, in *tool.CountingReader, header int64, fi os.FileInfo, stamp time.Time) {
	sum := crc32.NewIEEE()
	size, err := copyTo(sum, z)
	if err != nil && !errors.Is(err, ErrTrailing) {
		g.tell(name, err)
		return
	}
	if g.listed.files == 0 && !g.has("q") {
		if g.has("v") {
			g.env.Out.WriteString("method  crc     date  time  ")
		}
		g.env.Out.WriteString("         compressed        uncompressed  ratio uncompressed_name\n")
	}
	if g.has("v") {
		if fi != nil && (g.naming != "N" || stamp.IsZero()) {
			stamp = fi.ModTime()
		}
		fmt.Fprintf(g.env.Out, "defla %08x %s ", sum.Sum32(), stamp.In(clock.Zone(g.env)).Format("Jan _2 15:04"))
	}
	fmt.Fprintf(g.env.Out, "%19d %19d %s %s\n", in.N, size, ratio(size-(in.N-header), size), to)
	g.listed.files++
	g.listed.in += in.N
	g.listed.out += size
	g.listed.header = header
}

func (g *gzipper) listTotal() {
	l := g.listed
	if l.files < 2 || g.has("q") {
		return
	}
	if g.has("v") {
		g.env.Out.WriteString(strings.Repeat(" ", len("method  crc     date  time  ")))
	}
	fmt.Fprintf(g.env.Out, "%19d %19d %s (totals)\n", l.in, l.out, ratio(l.out-(l.in-l.header), l.out))
}

// ratio is what was saved, in percent.
func ratio(saved, of int64) string {
	if of == 0 {
		return "  0.0%"
	}
	return fmt.Sprintf("%5.1f%%", 100*float64(saved)/float64(of))
}

// latin1 makes each byte a character, since compress/gzip writes such text as bytes again. Real
// names are UTF-8, and their bytes are what gzip writes.
func latin1(s string) string {
	r := make([]rune, len(s))
	for i := range len(s) {
		r[i] = rune(s[i])
	}
	return string(r)
}

// fromLatin1 undoes it.
func fromLatin1(s string) string {
	p := make([]byte, 0, len(s))
	for _, c := range s {
		p = append(p, byte(c))
	}
	return string(p)
}
