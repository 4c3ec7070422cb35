package workspace

import (
	"archive/tar"
	"fmt"
	"io"
	"os"
	"strconv"
)

// Records of a tar's members, in the PAX headers of an extended tar (POSIX.1-2024, pax).
const (
	recordWas  = "TERRARIUM.was"  // an Entry: what has to be there for the change to be made
	recordNow  = "TERRARIUM.now"  // an Entry: what will be there, also for what a tar can't say
	recordBlob = "TERRARIUM.blob" // the id of an object of git that has the content
	recordEnd  = "TERRARIUM.end"  // how many members were before: the last has it
)

// Pack writes changes to w, with the content of files from root. Files that blobs has are left to
// git: see Scan.Blobs. sent, if not nil, is told how many bytes of files were written by now.
func Pack(w io.Writer, root *os.Root, changes []Change, blobs map[string]string, sent func(int64)) error {
	t := tar.NewWriter(w)
	var done int64
	for _, c := range changes {
		h := &tar.Header{
			Name: c.Path, Typeflag: tar.TypeReg, Mode: 0o644, Format: tar.FormatPAX,
			PAXRecords: map[string]string{recordWas: c.Was.String(), recordNow: c.Now.String()},
		}
		id, isBlob := blobs[c.Path]
		switch {
		case c.Now.Kind == Link:
			h.Typeflag, h.Linkname = tar.TypeSymlink, c.Now.Target
		case c.Now.Kind == Dir:
			h.Typeflag, h.Mode = tar.TypeDir, 0o755
		case isBlob && c.Now.IsFile():
			h.PAXRecords[recordBlob] = id
		case c.Now.IsFile():
			h.Size = c.Now.Size
		}
		if c.Now.Kind == Executable {
			h.Mode = 0o755
		}
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		if h.Size == 0 {
			continue
		}
		f, err := openFile(root, c.Path)
		if err != nil {
			return err
		}
		// That it is the same as before shows where it arrives.
		n, err := io.Copy(t, &Counted{R: io.LimitReader(f, h.Size), N: done, Tell: sent})
		f.Close()
		done += n
		switch {
		case err != nil:
			return err
		case n != h.Size:
			return &PathError{c.Path, "it was changed just now"}
		}
	}
	err := t.WriteHeader(&tar.Header{
		Typeflag: tar.TypeXGlobalHeader, PAXRecords: map[string]string{recordEnd: strconv.Itoa(len(changes))},
	})
	if err != nil {
		return fmt.Errorf("tar: %w", err)
	}
	return t.Close()
}

// A Counted tells how much was read of R.
type Counted struct {
	R    io.Reader
	N    int64       // bytes that were read by now, or before
	Tell func(int64) // is told N after each read; or nil
}

// Read implements io.Reader.
func (c *Counted) Read(p []byte) (int, error) {
	n, err := c.R.Read(p)
	c.N += int64(n)
	if c.Tell != nil {
		c.Tell(c.N)
	}
	return n, err
}

// Size returns how many bytes of files Pack writes for them.
func Size(changes []Change, blobs map[string]string) (n int64) {
	for _, c := range changes {
		if _, isBlob := blobs[c.Path]; c.Now.IsFile() && !isBlob {
			n += c.Now.Size
		}
	}
	return n
}
