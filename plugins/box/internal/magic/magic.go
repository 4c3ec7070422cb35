// Package magic says what a file holds, in the words of file(1).
package magic

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Kind is what file(1) says of some bytes.
type Kind struct {
	Text    string
	MIME    string
	Charset string
}

// Of returns the kind of a file that begins with p. What the Text has of p can be shown.
func Of(p []byte) Kind {
	k := kind(p)
	k.Text = shown(k.Text)
	return k
}

// shown is s with three octal digits in the place of each byte that is no character to be shown, as
// file(1) writes them.
func shown(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 || unicode.IsControl(r) {
			for _, c := range []byte(s[i : i+n]) {
				fmt.Fprintf(&b, "\\%03o", c)
			}
		} else {
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	return b.String()
}

func kind(p []byte) Kind {
	if len(p) == 0 {
		return Kind{"empty", "inode/x-empty", "binary"}
	}
	for _, m := range formats {
		if m.at+len(m.magic) > len(p) || string(p[m.at:m.at+len(m.magic)]) != m.magic {
			continue
		}
		text := m.text
		if m.more != nil {
			text += m.more(p)
		}
		charset := "binary"
		if _, name, ok := encoding(p); ok { // such as a PDF of text
			charset = name
		}
		return Kind{text, m.mime, charset}
	}
	if len(p) == 1 {
		return Kind{"very short file (no magic)", "application/octet-stream", "binary"}
	}
	if k, ok := textKind(p); ok {
		return k
	}
	return Kind{"data", "application/octet-stream", "binary"}
}

// A format is known by bytes at a fixed place.
type format struct {
	at    int
	magic string
	text  string
	mime  string
	more  func(p []byte) string
}

var formats = []format{
	{0, "\x7fELF", "ELF", "application/x-executable", elf},
	{0, "\x00asm\x01\x00\x00\x00", "WebAssembly (wasm) binary module version 0x1 (MVP)", "application/wasm", nil},
	{0, "\x89PNG\r\n\x1a\n", "PNG image data", "image/png", png},
	{0, "GIF8", "GIF image data, version 8", "image/gif", gif},
	{0, "\xff\xd8\xff", "JPEG image data", "image/jpeg", nil},
	{0, "RIFF", "RIFF (little-endian) data", "application/octet-stream", nil},
	{0, "BM", "PC bitmap", "image/bmp", nil},
	{0, "%PDF-", "PDF document", "application/pdf", pdf},
	{0, "\x1f\x8b", "gzip compressed data", "application/gzip", gzip},
	{0, "\xfd7zXZ\x00", "XZ compressed data", "application/x-xz", xz},
	{0, "BZh", "bzip2 compressed data", "application/x-bzip2", bzip2},
	{0, "\x28\xb5\x2f\xfd", "Zstandard compressed data (v0.8+), Dictionary ID: None", "application/zstd", nil},
	{0, "PK\x03\x04", "Zip archive data", "application/zip", zip},
	{0, "PK\x05\x06", "Zip archive data (empty)", "application/zip", nil},
	{0, "7z\xbc\xaf\x27\x1c", "7-zip archive data", "application/x-7z-compressed", nil},
	{0, "SQLite format 3\x00", "SQLite 3.x database", "application/vnd.sqlite3", nil},
	{257, "ustar  \x00", "POSIX tar archive (GNU)", "application/x-tar", nil},
	{257, "ustar\x00", "POSIX tar archive", "application/x-tar", nil},
	{0, "!<arch>\n", "current ar archive", "application/x-archive", nil},
	{0, "\xca\xfe\xba\xbe", "compiled Java class data", "application/x-java-applet", nil},
	{0, "MZ", "MS-DOS executable", "application/x-dosexec", nil},
}

func png(p []byte) string {
	if len(p) < 29 {
		return ""
	}
	kinds := map[byte]string{0: "grayscale", 2: "/color RGB", 3: " colormap", 4: "gray+alpha", 6: "/color RGBA"}
	depth := fmt.Sprintf("%d-bit", p[24])
	kind := kinds[p[25]]
	if kind != "" && kind[0] != '/' && kind[0] != ' ' {
		kind = " " + kind
	}
	interlaced := "non-interlaced"
	if p[28] == 1 {
		interlaced = "interlaced"
	}
	return fmt.Sprintf(", %d x %d, %s%s, %s", binary.BigEndian.Uint32(p[16:]), binary.BigEndian.Uint32(p[20:]), depth, kind, interlaced)
}

func gif(p []byte) string {
	if len(p) < 10 {
		return ""
	}
	return fmt.Sprintf("%s, %d x %d", p[4:6], binary.LittleEndian.Uint16(p[6:]), binary.LittleEndian.Uint16(p[8:]))
}

func pdf(p []byte) string {
	if len(p) < 8 {
		return ""
	}
	return fmt.Sprintf(", version %s", bytes.TrimSpace(p[5:8]))
}

func bzip2(p []byte) string {
	if len(p) < 4 {
		return ""
	}
	return fmt.Sprintf(", block size = %c00k", p[3])
}

func xz(p []byte) string {
	if len(p) < 8 {
		return ""
	}
	check, ok := map[byte]string{0: "NONE", 1: "CRC32", 4: "CRC64", 10: "SHA-256"}[p[7]&15]
	if !ok {
		return ""
	}
	return ", checksum " + check
}

func zip(p []byte) string {
	if len(p) < 10 {
		return ""
	}
	v := p[4]
	method := map[byte]string{0: "store", 8: "deflate"}[p[8]]
	return fmt.Sprintf(", at least v%d.%d to extract, compression method=%s", v/10, v%10, method)
}
