// Package dd is dd, which copies by blocks.
package dd

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"strconv"
	"syscall"
	"time"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// Commands returns this family's command.
func Commands() []tool.Command {
	return []tool.Command{{Name: "dd", Usage: "[OPERAND]...", Like: "GNU coreutils 9.1", Run: run}}
}

// maxBlock is the largest block, in bytes. Blocks pass through a small buffer: nothing of this size
// is held.
const maxBlock = 2 << 30

func run(env *tool.Env, args []string) int {
	opts, status := env.Options(args, "")
	if opts == nil {
		return status
	}
	p, status := parse(env, opts.Operands)
	if p == nil {
		return status
	}
	c := &copying{env: env, plan: p, inName: "standard input", outName: "standard output", buf: make([]byte, 64<<10), odd: -1}
	if status := c.open(); status != 0 {
		return status
	}
	defer c.in.Close()
	for _, b := range []struct {
		size int64
		name string
	}{{p.ibs, "input"}, {p.obs, "output"}} {
		if b.size > maxBlock {
			env.Errorf("memory exhausted by %s buffer of size %d bytes (%s)", b.name, b.size, scaled(b.size, 1024))
			c.out.Close()
			return 1
		}
	}
	c.start = time.Now()
	status = c.run()
	if err := c.close(); err != nil && status == 0 {
		env.Errorf("error writing %s: %s", tool.QuoteAlways(c.outName), tool.Strerror(err))
		status = 1
	}
	c.report()
	return status
}

// A copying is one run of dd.
type copying struct {
	*plan
	env             *tool.Env
	in              io.ReadCloser
	out             output
	inName, outName string
	buf             []byte
	start           time.Time

	// the last block's bytes if it was a short one, for a warning; -1 after it
	short                int64
	odd                  int // with swab, the byte that waits for its pair, or -1
	readFull, readPart   int64
	written              int64 // bytes
	wroteFull, wrotePart int64 // blocks, where they are those of the input
}

// An output is a file, or standard output.
type output struct {
	io.Writer
	seek  func(offset int64, whence int) (int64, error)
	Close func() error
}

func (c *copying) open() int {
	if c.from != "" {
		c.inName = c.from
	}
	fail := func(name string, err error) int {
		c.env.Errorf("failed to open %s: %s", tool.QuoteAlways(name), tool.Strerror(err))
		return 1
	}
	in, err := c.env.Input("-")
	if c.from != "" {
		in, err = c.env.Open(c.from)
	}
	if err != nil {
		return fail(c.from, err)
	}
	c.in = in
	if c.to == "" || c.to == "/dev/stdout" {
		c.out = output{Writer: c.env.Out, Close: c.env.Out.Flush, seek: func(int64, int) (int64, error) { return 0, syscall.ESPIPE }}
		if s, ok := c.env.Stdout.(io.Seeker); ok {
			c.out.seek = s.Seek
		}
		return 0
	}
	c.outName = c.to
	flags := os.O_WRONLY
	for name, flag := range map[string]int{"excl": os.O_EXCL, "append": os.O_APPEND} {
		if c.conv[name] || c.oflag[name] {
			flags |= flag
		}
	}
	if !c.conv["nocreat"] {
		flags |= os.O_CREATE
	}
	if !c.conv["notrunc"] && c.seek == 0 {
		flags |= os.O_TRUNC
	}
	f, err := c.env.OpenFile(c.to, flags, 0o666)
	if err != nil {
		in.Close()
		return fail(c.to, err)
	}
	if fi, err := f.Stat(); err == nil && fi.Mode().IsRegular() && c.seek > 0 && !c.conv["notrunc"] {
		if err := f.Truncate(c.seek); err != nil {
			c.env.Errorf("failed to truncate to %d bytes in output file %s: %s", c.seek, tool.QuoteAlways(c.to), tool.Strerror(err))
			in.Close()
			f.Close()
			return 1
		}
	}
	w := bufio.NewWriterSize(f, 64<<10)
	c.out = output{Writer: w, seek: f.Seek, Close: func() error { return errors.Join(w.Flush(), f.Close()) }}
	return 0
}

// close writes what is left, and closes the output.
func (c *copying) close() error {
	if c.odd >= 0 {
		c.out.Write([]byte{byte(c.odd)})
		c.written++
	}
	return c.out.Close()
}

func (c *copying) run() int {
	if !c.skipInput() {
		return 1
	}
	if c.seek > 0 {
		if _, err := c.out.seek(c.seek, io.SeekCurrent); err != nil {
			c.env.Errorf("%s: cannot seek: %s", tool.QuoteName(c.outName), tool.Strerror(err))
			return 1
		}
	}
	status := 0
	for left := c.count; left > 0 && !c.env.Stopped(); {
		size := c.ibs
		if c.countBytes {
			size = min(size, left)
		}
		n, err := c.block(size)
		switch {
		case err == nil && n == 0:
			return status
		case err != nil:
			if !c.conv["noerror"] || c.status != "none" {
				c.env.Errorf("error reading %s: %s", tool.QuoteAlways(c.inName), tool.Strerror(err))
			}
			// What can't be passed over would be met for ever.
			if status = 1; !c.conv["noerror"] || errors.Is(err, syscall.EISDIR) || !c.pass(c.ibs) {
				return status
			}
		}
		if left--; c.countBytes {
			left -= n - 1
		}
	}
	return status
}

// skipInput passes over the beginning of the input, and reports whether the copying can go on.
func (c *copying) skipInput() bool {
	if c.skip == 0 {
		return true
	}
	missing := false
	switch size, at, ok := c.extent(); {
	case ok:
		missing = size-at < c.skip
		if !c.pass(min(c.skip, max(size-at, 0))) {
			return false
		}
	default:
		n, err := io.CopyN(io.Discard, c.in, c.skip)
		if err != nil && err != io.EOF {
			c.env.Errorf("error reading %s: %s", tool.QuoteAlways(c.inName), tool.Strerror(err))
			return false
		}
		missing = n < c.skip
	}
	if missing && c.status != "none" {
		c.env.Errorf("%s: cannot skip to specified offset", tool.QuoteName(c.inName))
	}
	return true
}

// extent returns the size of the input and how far it is read, if it is a regular file.
func (c *copying) extent() (size, at int64, ok bool) {
	fi, err := c.env.StatInput("-")
	if f, ok := c.in.(interface{ Stat() (fs.FileInfo, error) }); ok {
		fi, err = f.Stat()
	}
	if err != nil || !fi.Mode().IsRegular() {
		return 0, 0, false
	}
	s, ok := c.in.(io.Seeker)
	if !ok {
		return 0, 0, false
	}
	at, err = s.Seek(0, io.SeekCurrent)
	return fi.Size(), at, err == nil
}

// pass seeks forward in the input.
func (c *copying) pass(n int64) bool {
	s, ok := c.in.(io.Seeker)
	if !ok {
		return false
	}
	_, err := s.Seek(n, io.SeekCurrent)
	return err == nil
}

// block copies one block of the input. It is short where a read was, unless there is to be a full
// block.
func (c *copying) block(size int64) (int64, error) {
	n := int64(0)
	var failed error
	for n < size && failed == nil && !c.env.Stopped() {
		part := c.buf[:min(size-n, int64(len(c.buf)))]
		got, err := c.in.Read(part)
		c.write(part[:got])
		n += int64(got)
		if err == io.EOF || err == nil && got < len(part) && !c.iflag["fullblock"] {
			break
		}
		failed = err
	}
	c.warnShort(n, size)
	switch {
	case n == 0 && (failed == nil || !c.conv["noerror"] || !c.conv["sync"]):
		return 0, failed
	case n == c.ibs:
		c.readFull++
		c.wroteFull++
		return n, failed
	case n > 0:
		c.readPart++
	}
	if !c.conv["sync"] {
		c.wrotePart++
		return n, failed
	}
	c.wroteFull++
	clear(c.buf)
	for m := n; m < c.ibs; {
		pad := c.buf[:min(c.ibs-m, int64(len(c.buf)))]
		c.write(pad)
		m += int64(len(pad))
	}
	return n, failed
}

// warnShort warns once, at the block after a short one, that blocks were counted which are not
// full.
func (c *copying) warnShort(n, size int64) {
	switch {
	case n == 0, c.short < 0, c.twoBuffers, c.iflag["fullblock"], c.skip == 0 && c.count == math.MaxInt64:
		return
	case c.short == 0 && n < size:
		c.short = n
		return
	case c.short > 0 && c.status != "none":
		plural := "s"
		if c.short == 1 {
			plural = ""
		}
		c.env.Errorf("warning: partial read (%d byte%s); suggest iflag=fullblock", c.short, plural)
		c.short = -1
	}
}

// write converts p and writes it. An error is the output's until it is closed.
func (c *copying) write(p []byte) {
	if c.conv["ucase"] || c.conv["lcase"] {
		first, last := byte('a'), byte('z')
		if c.conv["lcase"] {
			first, last = 'A', 'Z'
		}
		for i, b := range p {
			if first <= b && b <= last {
				p[i] = b ^ 0x20
			}
		}
	}
	if c.conv["swab"] {
		p = c.swapped(p)
	}
	n, _ := c.out.Write(p)
	c.written += int64(n)
}

// swapped returns p with each two bytes swapped; the last one waits if it is alone.
func (c *copying) swapped(p []byte) []byte {
	out := make([]byte, 0, len(p)+1)
	for _, b := range p {
		if c.odd < 0 {
			c.odd = int(b)
			continue
		}
		out = append(out, b, byte(c.odd))
		c.odd = -1
	}
	return out
}

// report writes how much was copied.
func (c *copying) report() {
	if c.status == "none" {
		return
	}
	full, part := c.wroteFull, c.wrotePart
	if c.twoBuffers {
		full, part = c.written/c.obs, min(c.written%c.obs, 1)
	}
	c.env.Warn(fmt.Sprintf("%d+%d records in\n%d+%d records out", c.readFull, c.readPart, full, part))
	if c.status == "noxfer" {
		return
	}
	seconds := max(time.Since(c.start).Seconds(), 1e-9)
	plural := "s"
	if c.written == 1 {
		plural = ""
	}
	sizes := ""
	switch {
	case c.written >= 1024:
		sizes = " (" + scaled(c.written, 1000) + ", " + scaled(c.written, 1024) + ")"
	case c.written >= 1000:
		sizes = " (" + scaled(c.written, 1000) + ")"
	}
	c.env.Warn(fmt.Sprintf("%d byte%s%s copied, %s s, %s", c.written, plural, sizes,
		strconv.FormatFloat(seconds, 'g', 6, 64), rate(float64(c.written)/seconds)))
}

// scaled writes a size with the unit that suits it: 1.0 MB, or 1.0 MiB with a base of 1024.
func scaled(n, base int64) string {
	v, units, end := float64(n), "kMGTPE", "B"
	if base == 1024 {
		units, end = "KMGTPE", "iB"
	}
	i := -1
	for v >= float64(base) && i < len(units)-1 {
		v /= float64(base)
		i++
	}
	switch {
	case i < 0:
		return strconv.FormatInt(n, 10) + " B"
	case v < 9.95:
		return fmt.Sprintf("%.1f %c%s", v, units[i], end)
	}
	return fmt.Sprintf("%.0f %c%s", v, units[i], end)
}

// rate writes bytes per second.
func rate(v float64) string {
	units := "kMGTPE"
	i := 0
	for v /= 1000; v >= 1000 && i < len(units)-1; i++ {
		v /= 1000
	}
	if v < 99.95 {
		return fmt.Sprintf("%.1f %cB/s", v, units[i])
	}
	return fmt.Sprintf("%.0f %cB/s", v, units[i])
}
