package archive

import (
	"archive/tar"
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/compress"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/sys"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// An input is an archive that is read, member by member.
type input struct {
	job    *job
	file   io.Closer
	blocks *tool.CountingReader // the tar archive
	tar    *tar.Reader
	packed compress.Format
	header *tar.Header // of the current member
	found  bool        // there was a member, or the archive's end
	bad    bool        // what does not belong there was skipped
}

// open opens the archive to be read.
func (j *job) open(name string) (*input, error) {
	f, err := j.env.Input(name)
	if err != nil {
		return nil, j.fatal("%s: Cannot open: %s", name, strerror(err))
	}
	in := &input{job: j, file: f}
	buffered := bufio.NewReaderSize(f, 64<<10)
	head, err := buffered.Peek(6)
	if err != nil && err != io.EOF {
		f.Close()
		j.env.Errorf("%s: Cannot read: %s", name, strerror(err))
		j.env.Errorf("At beginning of tape, quitting now")
		j.env.Errorf("Error is not recoverable: exiting now")
		return nil, errTold
	}
	in.packed = j.format
	if found := compress.Detect(head); !j.explicit {
		in.packed = found
		if name == "-" && found != compress.None {
			return nil, j.fatal("Archive is compressed. Use -%c option", map[compress.Format]byte{compress.Gzip: 'z', compress.Bzip2: 'j', compress.XZ: 'J'}[found])
		}
	}
	r, err := compress.NewReader(in.packed, buffered)
	if err != nil {
		f.Close()
		return nil, in.broken(err)
	}
	in.blocks = &tool.CountingReader{R: r}
	in.tar = tar.NewReader(in.blocks)
	return in, nil
}

// broken ends the command because the compressed data is bad. The words are those of the program
// that tar would run.
func (in *input) broken(err error) error {
	status := in.unpackError(err)
	in.job.env.Errorf("Child returned status %d", status)
	in.job.env.Errorf("Error is not recoverable: exiting now")
	return errTold
}

// unpackError tells what is wrong with compressed data, and returns the status of the program that
// would say so.
func (in *input) unpackError(err error) int {
	say := func(text string) { in.job.env.Warn(text) }
	kind := func(format, cut, corrupt string) string {
		switch err {
		case compress.ErrFormat:
			return format
		case io.ErrUnexpectedEOF:
			return cut
		}
		return corrupt
	}
	switch {
	case err == compress.ErrTrailing:
		say("\ngzip: stdin: decompression OK, trailing garbage ignored")
		return 2
	case err == compress.ErrMemory || err == compress.ErrOptions:
		say("xz: (stdin): " + map[bool]string{true: "Memory usage limit reached", false: "Unsupported options"}[err == compress.ErrMemory])
	case in.packed == compress.Gzip:
		say("\ngzip: stdin: " + kind("not in gzip format", "unexpected end of file", "invalid compressed data--format violated"))
	case in.packed == compress.XZ:
		say("xz: (stdin): " + kind("File format not recognized", "Unexpected end of input", "Compressed data is corrupt"))
	case in.packed == compress.Bzip2:
		say("bzip2: " + kind("(stdin) is not a bzip2 file.", "Compressed file ends unexpectedly;\n\tperhaps it is corrupted?", "Data integrity error when decompressing."))
		return 2
	default:
		in.job.env.Errorf("%s: Cannot read: %s", in.job.archive, strerror(err))
	}
	return 1
}

// each calls f with each member that is left.
func (in *input) each(f func(*tar.Header) error) error {
	for {
		h, err := in.next()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = f(h)
		}
		if err != nil {
			return err
		}
	}
}

// next returns the next member's header, io.EOF at the end, or an error that has been told.
func (in *input) next() (*tar.Header, error) {
	if in.header != nil && !isSparse(in.header) {
		if _, err := io.Copy(io.Discard, in.tar); err != nil {
			return nil, in.cut(err)
		}
	}
	in.header = nil
	for {
		h, err := in.tar.Next()
		switch {
		case in.job.env.Stopped():
			return nil, errTold
		case h != nil && (err == nil || errors.Is(err, tar.ErrInsecurePath)):
			in.found, in.header = true, h
			if h.Typeflag == tar.TypeXGlobalHeader { // what git writes for all that follow
				continue
			}
			return h, nil
		case err == io.EOF, err == io.ErrUnexpectedEOF && (in.blocks.N < blockSize || in.found) && in.packed == compress.None:
			if in.blocks.N < blockSize {
				in.unlike()
				return nil, io.EOF
			}
			if err == io.EOF && in.job.flags["i"] && in.more() {
				continue
			}
			return nil, in.drain()
		case errors.Is(err, tar.ErrHeader):
			if !in.bad {
				if !in.found {
					in.unlike()
				}
				in.job.errorf("Skipping to next header")
			}
			in.bad = true
			in.tar = tar.NewReader(in.blocks)
		case in.packed != compress.None:
			return nil, in.broken(err)
		default:
			return nil, in.cut(err)
		}
	}
}

func (in *input) unlike() { in.job.errorf("This does not look like a tar archive") }

// more goes on behind an archive's end, for -i, and reports whether there is anything.
func (in *input) more() bool {
	r := bufio.NewReaderSize(in.blocks.R, 64<<10)
	in.blocks.R = r
	for {
		head, err := r.Peek(blockSize)
		if err != nil {
			return false
		}
		if strings.Trim(string(head), "\x00") != "" {
			in.tar = tar.NewReader(in.blocks)
			return true
		}
		r.Discard(blockSize)
	}
}

// drain reads compressed data to its end, where its checksum is, and returns io.EOF if all is well.
func (in *input) drain() error {
	if in.packed == compress.None {
		return io.EOF
	}
	buf := make([]byte, 32<<10)
	for !in.job.env.Stopped() {
		if _, err := in.blocks.Read(buf); err == io.EOF {
			return io.EOF
		} else if err != nil {
			return in.broken(err)
		}
	}
	return errTold
}

// cut ends the command because the archive ends within a member.
func (in *input) cut(err error) error {
	if in.job.env.Stopped() {
		return errTold
	}
	if err != io.ErrUnexpectedEOF || in.packed != compress.None {
		in.unpackError(err)
	}
	return in.job.fatal("Unexpected EOF in archive")
}

func isSparse(h *tar.Header) bool {
	return h.Typeflag == tar.TypeGNUSparse || h.PAXRecords["GNU.sparse.major"] != "" || h.PAXRecords["GNU.sparse.map"] != "" ||
		h.PAXRecords["GNU.sparse.size"] != ""
}

// read lists, extracts or compares.
func (j *job) read() error {
	in, err := j.open(j.archive)
	if err != nil {
		return err
	}
	defer in.file.Close()
	act, finish, err := j.action()
	if err != nil {
		return err
	}
	found := make([]int, len(j.steps))
	for {
		h, err := in.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			finish()
			return err
		}
		i, ok := j.wanted(h.Name)
		if !ok || excluded(j.excludes, h.Name) {
			if i < len(found) && ok && i >= 0 {
				found[i]++
			}
			continue
		}
		if i >= 0 {
			if found[i]++; j.occurrence > 0 && found[i] != j.occurrence {
				continue
			}
		}
		if err := act(h, in); err != nil {
			finish()
			return err
		}
		if j.occurrence > 0 && !slices.ContainsFunc(found, func(n int) bool { return n < j.occurrence }) {
			break // nobody wants the rest
		}
	}
	finish()
	j.missing(found)
	return nil
}

// action returns what is done with each member, and what at the end.
func (j *job) action() (func(*tar.Header, *input) error, func(), error) {
	switch j.verb {
	case extract:
		x, err := j.newExtractor()
		if err != nil {
			return nil, nil, err
		}
		return x.extract, x.finish, nil
	case compare:
		return j.compare, func() {}, nil
	}
	return func(h *tar.Header, _ *input) error {
		name := h.Name
		j.safeName(name, false)
		if h.Typeflag == tar.TypeLink {
			j.safeName(h.Linkname, true)
		}
		if j.flags["show-transformed-names"] {
			name, _ = stripped(j.transformed(name), j.strip)
		}
		j.show(h, name)
		return nil
	}, func() {}, nil
}

// missing complains about operands that no member was found for.
func (j *job) missing(found []int) {
	for i, s := range j.steps {
		if found[i] > 0 {
			continue
		}
		if !j.wildcards && !j.literal && !j.warned && strings.ContainsAny(s.name, "*?[") {
			j.warned = true
			j.env.Errorf("Pattern matching characters used in file names")
			j.env.Errorf("Use --wildcards to enable pattern matching, or --no-wildcards to suppress this warning")
		}
		j.errorf("%s: Not found in archive", quoted(s.name))
	}
}

// quoted shows a name in messages and listings.
func quoted(name string) string { return tool.Escape(name) }

// show writes a member's name, or with two -v, or one -v in a listing, all that is known of it.
func (j *job) show(h *tar.Header, name string) {
	if level := j.verbose; level == 0 || level == 1 && j.verb != list {
		io.WriteString(j.log, quoted(name)+"\n")
		return
	}
	user, group := h.Uname, h.Gname
	if user == "" || j.flags["numeric-owner"] {
		user = strconv.Itoa(h.Uid)
	}
	if group == "" || j.flags["numeric-owner"] {
		group = strconv.Itoa(h.Gid)
	}
	size := strconv.FormatInt(h.Size, 10)
	if h.Typeflag == tar.TypeChar || h.Typeflag == tar.TypeBlock {
		size = fmt.Sprintf("%d,%d", h.Devmajor, h.Devminor)
	}
	owner := user + "/" + group
	j.width = max(j.width, len(owner)+1+len(size))
	layout := "2006-01-02 15:04"
	if j.flags["full-time"] {
		layout = "2006-01-02 15:04:05"
	}
	line := modeString(h) + " " + owner + " " + strings.Repeat(" ", j.width-len(owner)-1-len(size)) + size + " " +
		h.ModTime.In(j.zone).Format(layout) + " " + quoted(name)
	switch h.Typeflag {
	case tar.TypeSymlink:
		line += " -> " + quoted(h.Linkname)
	case tar.TypeLink:
		line += " link to " + quoted(h.Linkname)
	}
	io.WriteString(j.log, line+"\n")
}

func modeString(h *tar.Header) string {
	letter := byte('-')
	switch h.Typeflag {
	case tar.TypeDir:
		letter = 'd'
	case tar.TypeSymlink:
		letter = 'l'
	case tar.TypeLink:
		letter = 'h'
	case tar.TypeChar:
		letter = 'c'
	case tar.TypeBlock:
		letter = 'b'
	case tar.TypeFifo:
		letter = 'p'
	}
	return string(letter) + sys.Info{Mode: sys.Regular | uint32(h.Mode&0o7777)}.ModeString()[1:]
}
