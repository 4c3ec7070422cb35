package archive

import (
	"archive/zip"
	"fmt"
	"io/fs"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/sys"
)

// list writes what is in the archive, as -l or -v do.
func (u *unzipper) list() {
	out := u.env.Out
	u.title()
	if u.quiet == 0 {
		out.WriteString(comment(u.zip))
	}
	if u.quiet < 2 {
		if u.flags['v'] {
			out.WriteString(" Length   Method    Size  Cmpr    Date    Time   CRC-32   Name\n" +
				"--------  ------  ------- ---- ---------- ----- --------  ----\n")
		} else {
			out.WriteString("  Length      Date    Time    Name\n---------  ---------- -----   ----\n")
		}
	}
	var size, packed uint64
	files := 0
	u.each(func(m *zip.File) {
		files++
		size += m.UncompressedSize64
		packed += m.CompressedSize64
		stamp := modified(&m.FileHeader, u.zone).Format("2006-01-02 15:04")
		if !u.flags['v'] {
			fmt.Fprintf(out, "%9d  %s   %s\n", m.UncompressedSize64, stamp, u.shown(m.Name))
			return
		}
		fmt.Fprintf(out, "%8d  %-6s %8d %3d%% %s %08x  %s\n", m.UncompressedSize64, methodName(&m.FileHeader), m.CompressedSize64,
			share(m.UncompressedSize64, m.CompressedSize64), stamp, m.CRC32, u.shown(m.Name))
	})
	if u.quiet < 2 {
		count := plural(files)
		if u.flags['v'] {
			fmt.Fprintf(out, "--------          -------  ---                            -------\n%8d         %8d %3d%%                            %s\n",
				size, packed, share(size, packed), count)
		} else {
			fmt.Fprintf(out, "---------                     -------\n%9d                     %s\n", size, count)
		}
	}
	u.unmatched(false)
}

func plural(files int) string {
	if files == 1 {
		return "1 file"
	}
	return fmt.Sprintf("%d files", files)
}

// info is zipinfo: a line like those of ls for each member.
func (u *unzipper) info() {
	out := u.env.Out
	short := u.flags['1']
	whole := !short && len(u.members) == 0 && len(u.exclude) == 0
	if whole {
		fmt.Fprintf(out, "Archive:  %s\nZip file size: %d bytes, number of entries: %d\n", u.zip.name, u.zip.size, len(u.zip.File))
	}
	var size, packed uint64
	files := 0
	u.each(func(m *zip.File) {
		files++
		size += m.UncompressedSize64
		packed += m.CompressedSize64
		if short {
			out.WriteString(u.shown(m.Name) + "\n")
			return
		}
		fmt.Fprintf(out, "%s  %d.%d %s %8d %s %s %s %s\n", zipMode(m), m.CreatorVersion&0xff/10, m.CreatorVersion&0xff%10, system(m), m.UncompressedSize64,
			traits(m), packing(m), modified(&m.FileHeader, u.zone).Format("06-Jan-02 15:04"), u.shown(m.Name))
	})
	if whole {
		ratio := 0.0
		if size > 0 {
			ratio = 100 * (float64(size) - float64(packed)) / float64(size)
		}
		fmt.Fprintf(out, "%s, %d bytes uncompressed, %d bytes compressed:  %.1f%%\n", plural(files), size, packed, ratio)
	}
	u.unmatched(true)
}

func zipMode(m *zip.File) string {
	mode := uint32(m.Mode().Perm())
	switch {
	case m.Mode().IsDir():
		mode |= sys.Dir
	case m.Mode()&fs.ModeSymlink != 0:
		mode |= sys.Symlink
	}
	return strings.Replace(sys.Info{Mode: mode}.ModeString(), "?", "-", 1)
}

func system(m *zip.File) string {
	switch m.CreatorVersion >> 8 {
	case 0:
		return "fat"
	case 3:
		return "unx"
	case 11:
		return "ntf"
	case 19:
		return "osx"
	}
	return "???"
}

// traits are whether a member has extra fields and a descriptor behind its data. Whether it is text
// is in a field that package zip does not show.
func traits(m *zip.File) string {
	text := "b"
	if m.Flags&1 != 0 {
		text = strings.ToUpper(text)
	}
	extra, descriptor := len(m.Extra) > 0, m.Flags&8 != 0
	switch {
	case extra && descriptor:
		return text + "X"
	case extra:
		return text + "x"
	case descriptor:
		return text + "l"
	}
	return text + "-"
}

func packing(m *zip.File) string {
	switch m.Method {
	case zip.Store:
		return "stor"
	case zip.Deflate:
		return "def" + string("NXFS"[m.Flags>>1&3])
	}
	return fmt.Sprintf("u%03d", m.Method)
}
