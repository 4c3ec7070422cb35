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
	"strings"
	"time"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/sys"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

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

// stampZip sets what CreateHeader would, and CreateRaw does not: the time, in the clock's form and
// that of Unix.
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
