package archive

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/clock"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/glob"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/sys"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// The statuses of zip.
const (
	zipFormat   = 3
	zipNothing  = 12
	zipOutput   = 15
	zipUsage    = 16
	zipMissing  = 18 // a file could not be read
	zipMaxWhole = 4 << 20
)

// zipper is one run of zip.
type zipper struct {
	env              *tool.Env
	log              io.Writer // where messages go
	flags            map[byte]bool
	level            int
	archive          string // "-" is standard output
	files            []string
	include, exclude []string
	zone             *time.Location
	status           int

	old      *zipFile // nil if the archive is new
	members  map[string]*zip.File
	entries  []entry
	byName   map[string]int // of entries
	in, size uint64         // bytes before and after, for -v
}

// An entry is a file to be put in.
type entry struct {
	name string // in the archive; a directory's ends with a slash
	path string // "" for standard input
	info fs.FileInfo
}

func zipCommand(env *tool.Env, args []string) int {
	z := &zipper{
		env: env, log: env.Out, flags: map[byte]bool{}, level: 6, zone: clock.Zone(env), members: map[string]*zip.File{}, byName: map[string]int{},
	}
	if !z.parse(args[1:]) {
		return z.status
	}
	if z.archive == "" {
		z.archive, z.files = "-", []string{"-"}
	}
	if z.archive == "-" {
		z.log = env.Stderr
	} else if path.Ext(z.archive) == "" {
		z.archive += ".zip"
	}
	if !z.openOld() {
		return z.status
	}
	if z.old != nil {
		defer z.old.close()
	}
	if z.flags['d'] {
		z.delete()
		return z.status
	}
	z.collect()
	z.add()
	return z.status
}

func (z *zipper) nothing() { z.complain("Nothing to do! ("+z.archive+")", zipNothing) }

func (z *zipper) warn(format string, a ...any) {
	fmt.Fprintf(z.log, "\tzip warning: "+format+"\n", a...)
}

// openOld reads the archive that is there already.
func (z *zipper) openOld() bool {
	if z.archive == "-" {
		return true
	}
	if fi, err := z.env.Stat(z.archive); err == nil && fi.Size() > 0 {
		old, err := openZip(z.env, z.archive)
		switch {
		case err == errManyMembers:
			z.complain(fmt.Sprintf("%s has %v", z.archive, err), zipFormat)
			return false
		case err != nil:
			z.complain("Zip file structure invalid ("+z.archive+")", zipFormat)
			return false
		}
		z.old = old
		for _, m := range old.File {
			z.members[m.Name] = m
		}
		return true
	}
	if z.flags['d'] || z.flags['u'] || z.flags['f'] {
		z.warn("%s not found or empty", z.archive)
	}
	return true
}

// collect finds the files to be put in.
func (z *zipper) collect() {
	if z.flags['@'] {
		lines := tool.NewLines(z.env.Stdin, '\n')
		for {
			line, ok := lines.Next()
			if !ok {
				break
			}
			z.files = append(z.files, string(line))
		}
	}
	if z.flags['f'] && len(z.files) == 0 && z.old != nil {
		for _, m := range z.old.File {
			if _, err := z.env.Stat(m.Name); err == nil {
				z.files = append(z.files, m.Name)
			}
		}
	}
	for _, name := range z.files {
		if name == "-" {
			z.entry(entry{name: "-"})
			continue
		}
		fi, err := z.look(name)
		if err != nil {
			z.warn("name not matched: %s", name)
			continue
		}
		z.walk(name, fi)
	}
}

func (z *zipper) look(name string) (fs.FileInfo, error) {
	if z.flags['y'] {
		return z.env.Lstat(name)
	}
	return z.env.Stat(name)
}

// memberName is the name that a file has in the archive.
func (z *zipper) memberName(name string) string {
	name = strings.TrimLeft(name, "/")
	for strings.HasPrefix(name, "./") {
		name = strings.TrimLeft(name[2:], "/")
	}
	if name == "." {
		return ""
	}
	if z.flags['j'] {
		return path.Base(name)
	}
	return name
}

// walk adds a file, or a directory and with -r what is in it.
func (z *zipper) walk(name string, fi fs.FileInfo) {
	if z.env.Stopped() {
		return
	}
	if !fi.IsDir() {
		if fi.Mode().IsRegular() || fi.Mode()&fs.ModeSymlink != 0 {
			z.entry(entry{z.memberName(name), name, fi})
		}
		return
	}
	name = strings.TrimRight(name, "/") + "/"
	if !z.flags['j'] && !z.flags['D'] {
		if member := z.memberName(name); member != "" {
			z.entry(entry{member, name, fi})
		}
	}
	if !z.flags['r'] {
		return
	}
	entries, err := z.env.ReadDir(name)
	if err != nil {
		z.warn("could not open for reading: %s", name)
		z.status = zipMissing
		return
	}
	for _, e := range entries {
		child := name + e.Name()
		fi, err := z.look(child)
		if err != nil {
			z.warn("could not open for reading: %s", child)
			z.status = zipMissing
			continue
		}
		z.walk(child, fi)
	}
}

// entry takes in a file, unless the patterns leave it out, or it is the archive itself.
func (z *zipper) entry(e entry) {
	if len(z.include) > 0 && !matchAny(z.include, e.name) || matchAny(z.exclude, e.name) {
		return
	}
	if e.info != nil && z.archive != "-" {
		if fi, err := z.env.Stat(z.archive); err == nil && os.SameFile(fi, e.info) {
			return
		}
	}
	if _, ok := z.byName[e.name]; ok {
		return
	}
	old, exists := z.members[e.name]
	if (z.flags['f'] || z.flags['u']) && exists && e.info != nil {
		if !e.info.ModTime().Truncate(time.Second).After(modified(&old.FileHeader, z.zone).Truncate(time.Second)) {
			return
		}
	}
	if z.flags['f'] && !exists {
		return
	}
	z.byName[e.name] = len(z.entries)
	z.entries = append(z.entries, e)
}

func matchAny(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return glob.Match(p, name, false) })
}

// add puts the files in: the old ones in their places, the new ones behind.
func (z *zipper) add() {
	if len(z.entries) == 0 && !(z.flags['z'] && z.old != nil) {
		switch {
		case z.flags['f'] || z.flags['u'] && z.old != nil:
			z.status = zipNothing
			return
		case len(z.include) == 0 || z.old != nil:
			z.nothing()
			return
		}
		z.warn("zip file empty")
	}
	done := z.write(func(w *zip.Writer) error {
		if z.old != nil {
			for _, m := range z.old.File {
				if _, again := z.byName[m.Name]; !again {
					if err := w.Copy(m); err != nil {
						return err
					}
				} else if err := z.put(w, z.entries[z.byName[m.Name]], "updating"); err != nil {
					return err
				}
			}
		}
		for _, e := range z.entries {
			if _, old := z.members[e.name]; old {
				continue
			}
			if err := z.put(w, e, "  adding"); err != nil {
				return err
			}
		}
		return nil
	})
	if !done {
		return
	}
	if z.flags['v'] {
		fmt.Fprintf(z.log, "total bytes=%d, compressed=%d -> %d%% savings\n", z.in, z.size, share(z.in, z.size))
	}
	if z.flags['T'] {
		fmt.Fprintf(z.log, "test of %s OK\n", z.archive)
	}
	if z.flags['m'] {
		for _, e := range slices.Backward(z.entries) {
			if e.path != "" {
				z.env.Remove(e.path)
			}
		}
	}
}

// delete takes members out.
func (z *zipper) delete() {
	if z.old == nil {
		z.nothing()
		return
	}
	gone := map[string]bool{}
	for _, p := range z.files {
		found := false
		for _, m := range z.old.File {
			if glob.Match(p, m.Name, false) && !matchAny(z.exclude, m.Name) {
				gone[m.Name], found = true, true
			}
		}
		if !found {
			z.warn("name not matched: %s", p)
		}
	}
	if len(gone) == 0 {
		z.nothing()
		return
	}
	z.write(func(w *zip.Writer) error {
		for _, m := range z.old.File {
			if gone[m.Name] {
				if !z.flags['q'] {
					fmt.Fprintf(z.log, "deleting: %s\n", m.Name)
				}
				continue
			}
			if err := w.Copy(m); err != nil {
				return err
			}
		}
		if len(gone) == len(z.old.File) {
			z.warn("zip file empty")
		}
		return nil
	})
}

// write makes the new archive, and puts it in the place of the old one when it is whole.
func (z *zipper) write(fill func(*zip.Writer) error) bool {
	if z.archive == "-" {
		return z.finish(z.env.Out, fill) == nil
	}
	temp := z.archive + ".new~"
	f, err := z.env.Create(temp, os.O_TRUNC)
	if err != nil {
		fmt.Fprintf(z.log, "zip I/O error: %s\nzip error: Could not create output file (%s)\n", tool.Strerror(err), z.archive)
		z.status = zipOutput
		return false
	}
	err = z.finish(f, fill)
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = z.env.Rename(temp, z.archive)
	}
	if err != nil {
		z.env.Remove(temp)
		if !z.env.Stopped() {
			fmt.Fprintf(z.log, "zip I/O error: %s\nzip error: Output file write failure (%s)\n", tool.Strerror(err), z.archive)
		}
		z.status = 14
		return false
	}
	return true
}

func (z *zipper) finish(out io.Writer, fill func(*zip.Writer) error) error {
	w := zip.NewWriter(out)
	if z.old != nil {
		w.SetComment(z.old.Comment)
	}
	if z.flags['z'] {
		text, _ := io.ReadAll(io.LimitReader(z.env.Stdin, 1<<16-1))
		w.SetComment(strings.TrimRight(string(text), "\n"))
	}
	if err := fill(w); err != nil {
		return err
	}
	return w.Close()
}

// put adds one file, and says what became of it.
func (z *zipper) put(w *zip.Writer, e entry, what string) error {
	if z.flags['f'] {
		what = "freshening"
	}
	h := &zip.FileHeader{Name: e.name, Method: zip.Store, Modified: time.Now().In(z.zone)}
	in := z.env.Stdin
	switch {
	case e.info == nil:
		h.SetMode(0o600)
	case e.info.IsDir():
		h.SetMode(fs.ModeDir | sys.FileMode(sys.Of(e.info).Mode))
		h.Modified = e.info.ModTime().In(z.zone)
		z.tell(what, h, 0, 0)
		_, err := w.CreateHeader(h)
		return err
	default:
		h.SetMode(e.info.Mode()&fs.ModeSymlink | sys.FileMode(sys.Of(e.info).Mode))
		h.Modified = e.info.ModTime().In(z.zone)
		f, err := z.open(e)
		if err != nil {
			z.warn("could not open for reading: %s", e.path)
			z.status = zipMissing
			return nil
		}
		defer f.Close()
		in = f
	}
	read := &readErrors{r: in}
	data, err := io.ReadAll(io.LimitReader(read, zipMaxWhole+1))
	if err == nil && len(data) > zipMaxWhole {
		err = z.stream(w, h, io.MultiReader(bytes.NewReader(data), read), what)
	} else if err == nil {
		err = z.whole(w, h, data, what)
	}
	if read.err != nil {
		z.warn("could not read: %s", e.name)
		z.status = zipMissing
		return nil
	}
	return err
}

func (z *zipper) open(e entry) (io.ReadCloser, error) {
	if e.info.Mode()&fs.ModeSymlink == 0 {
		return z.env.Open(e.path)
	}
	target, err := os.Readlink(z.env.Path(e.path))
	return io.NopCloser(strings.NewReader(target)), err
}

// tell says how a member was put in.
func (z *zipper) tell(what string, h *zip.FileHeader, size, packed uint64) {
	z.in += size
	z.size += packed
	if z.flags['q'] {
		return
	}
	how := "stored 0%"
	if h.Method == zip.Deflate {
		how = fmt.Sprintf("deflated %d%%", share(size, packed))
	}
	if z.flags['v'] {
		fmt.Fprintf(z.log, "%s: %s\t(in=%d) (out=%d) (%s)\n", what, h.Name, size, packed, how)
		return
	}
	fmt.Fprintf(z.log, "%s: %s (%s)\n", what, h.Name, how)
}

// whole adds a file that fits into memory, in the form that is smaller.
func (z *zipper) whole(w *zip.Writer, h *zip.FileHeader, data []byte, what string) error {
	packed := data
	if z.level > 0 {
		var b bytes.Buffer
		d, err := flate.NewWriter(&b, z.level)
		if err != nil {
			return err
		}
		d.Write(data)
		d.Close()
		if b.Len() < len(data) {
			packed, h.Method = b.Bytes(), zip.Deflate
		}
	}
	h.CRC32 = crc32.ChecksumIEEE(data)
	h.UncompressedSize64, h.CompressedSize64 = uint64(len(data)), uint64(len(packed))
	stampZip(h)
	out, err := w.CreateRaw(h)
	if err == nil {
		_, err = out.Write(packed)
	}
	if err == nil {
		z.tell(what, h, uint64(len(data)), uint64(len(packed)))
	}
	return err
}

// stampZip sets what CreateHeader would, and CreateRaw does not: the time, in the clock's form and that of Unix.
func stampZip(h *zip.FileHeader) {
	t := h.Modified
	//lint:ignore SA1019 CreateRaw writes this field
	h.ModifiedDate = uint16(t.Day() + int(t.Month())<<5 + max(0, t.Year()-1980)<<9)
	//lint:ignore SA1019 CreateRaw writes this field
	h.ModifiedTime = uint16(t.Second()/2 + t.Minute()<<5 + t.Hour()<<11)
	s := uint32(t.Unix())
	h.Extra = append(h.Extra, 0x55, 0x54, 5, 0, 1, byte(s), byte(s>>8), byte(s>>16), byte(s>>24))
}

// hasDescriptor marks a member whose sizes come behind its data.
const hasDescriptor = 8

// stream adds a file of any size.
func (z *zipper) stream(w *zip.Writer, h *zip.FileHeader, in io.Reader, what string) error {
	h.Flags |= hasDescriptor
	h.Method = zip.Deflate
	stampZip(h)
	out, err := w.CreateRaw(h)
	if err != nil {
		return err
	}
	packed := &tool.CountingWriter{W: out}
	d, err := flate.NewWriter(packed, z.level)
	if err != nil {
		return err
	}
	sum := crc32.NewIEEE()
	n, err := io.Copy(io.MultiWriter(d, sum), in)
	if err == nil {
		err = d.Close()
	}
	if err != nil {
		return err
	}
	// The writer looks at the header again when the next member begins.
	h.CRC32 = sum.Sum32()
	h.UncompressedSize64, h.CompressedSize64 = uint64(n), uint64(packed.N)
	//lint:ignore SA1019 CreateRaw writes these fields
	h.UncompressedSize, h.CompressedSize = clamp32(n), clamp32(packed.N)
	z.tell(what, h, uint64(n), uint64(packed.N))
	return nil
}

// clamp32 is a size in the field of 32 bits, which is full where another has the size.
func clamp32(n int64) uint32 { return uint32(min(n, 1<<32-1)) }
