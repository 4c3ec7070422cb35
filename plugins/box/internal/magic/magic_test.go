package magic_test

import (
	"testing"
	"unicode/utf8"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/files"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/magic"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool/tooltest"
)

func TestLikeFile(t *testing.T) {
	inputs := map[string]string{
		"gz":    "\x1f\x8b\b\b\x00\x00\x00\x00\x02\x03name\x00xxxxxxxxxxxx\x05\x00\x00\x00",
		"gz2":   "\x1f\x8b\b\x00\x01\x00\x00\x00\x00\x03xxxxxxxxxxxx\x05\x00\x00\x00",
		"empty": "", "x.py": "import os\n\ndef f(a, b):\n    return a\n"}
	tooltest.Compare(t, files.Commands(), inputs, []tooltest.Case{
		{"file -b -", "", "empty\n", "", 0},
		{"file -b -", "a\n", "ASCII text\n", "", 0},
		{"file -b -", "a", "very short file (no magic)\n", "", 0},
		{"file -b -", "é\n", "Unicode text, UTF-8 text\n", "", 0},
		{"file -b -", "\xe9\n", "ISO-8859 text\n", "", 0},
		{"file -b -", "\x80\n", "Non-ISO extended-ASCII text\n", "", 0},
		{"file -b -", "\ufeffa\n", "Unicode text, UTF-8 (with BOM) text\n", "", 0},
		{"file -b -", "\xff\xfea\x00\n\x00", "Unicode text, UTF-16, little-endian text\n", "", 0},
		{"file -b -", "\xfe\xff\x00a\x00\n", "Unicode text, UTF-16, big-endian text\n", "", 0},
		{"file -b -", "a\r\nb\n", "ASCII text, with CRLF, LF line terminators\n", "", 0},
		{"file -b -", "a\rb\r", "ASCII text, with CR line terminators\n", "", 0},
		{"file -b -", "\x1b[1mx\n", "ASCII text, with escape sequences\n", "", 0},
		{"file -b -", "#!/bin/sh\n", "POSIX shell script, ASCII text executable\n", "", 0},
		{"file -b -", "#!/usr/bin/env python3\nprint('é')\n", "Python script, Unicode text, UTF-8 text executable\n", "", 0},
		{"file -b -", "#!/usr/bin/perl -w\n", "Perl script text executable\n", "", 0},
		{"file -b -", "#!/opt/thing\n", "a /opt/thing script, ASCII text executable\n", "", 0},
		{"file -b -", "{\"a\": [1, 2]}\n", "JSON text data\n", "", 0},
		{"file -b -", "{\"a\": [1, 2}\n", "ASCII text\n", "", 0},
		{"file -b -", "<?xml version=\"1.0\"?>\n<a/>\n", "XML 1.0 document, ASCII text\n", "", 0},
		{"file -b -", "<?xml version=\"1.1\"?>\n<a>é</a>\n", "XML 1.1 document, Unicode text, UTF-8 text\n", "", 0},
		{"file -b -", "<!DOCTYPE html>\n<p>é\n", "HTML document, Unicode text, UTF-8 text\n", "", 0},
		{"file -b -", "a,b\n1,2\n3,4\n", "CSV text\n", "", 0},
		{"file -b -", "int main(void) { return 0; }\n", "C source, ASCII text\n", "", 0},
		{"file -b -", "#include <stdio.h>\nint main() {}\n", "C source, ASCII text\n", "", 0},
		{"file -b -", "--- a\n+++ b\n", "ASCII text\n", "", 0},
		{"file -b -", "--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n", "unified diff output, ASCII text\n", "", 0},
		{"file -b -", "diff --git a/x b/x\n", "diff output, ASCII text\n", "", 0},
		{"file -b -", "%PDF-1.7\n", "PDF document, version 1.7\n", "", 0},
		{"file -i -b -", "%PDF-1.7\n", "application/pdf; charset=us-ascii\n", "", 0},
		{"file -i -b -", "%PDF-1.7\n%\xe2\xe3\x00\n", "application/pdf; charset=binary\n", "", 0},
		{"file -b -", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x10\x00\x00\x00 \x08\x06\x00\x00\x00", "PNG image data, 16 x 32, 8-bit/color RGBA, non-interlaced\n", "", 0},
		{"file -b -", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x10\x00\x00\x00 \x01\x00\x00\x00\x01", "PNG image data, 16 x 32, 1-bit grayscale, interlaced\n", "", 0},
		{"file -b -", "GIF89a\x10\x00 \x00", "GIF image data, version 89a, 16 x 32\n", "", 0},
		{"file -b gz gz2", "", "gzip compressed data, was \"name\", max compression, from Unix, original size modulo 2^32 5\ngzip compressed data, last modified: Thu Jan  1 00:00:01 1970, from Unix, original size modulo 2^32 5\n", "", 0},
		{"file -b -", "BZh91AY&SY", "bzip2 compressed data, block size = 900k\n", "", 0},
		{"file -b -", "\xfd7zXZ\x00\x00\x04", "XZ compressed data, checksum CRC64\n", "", 0},
		{"file -b -", "\x00asm\x01\x00\x00\x00", "WebAssembly (wasm) binary module version 0x1 (MVP)\n", "", 0},
		{"file -b -", "\x00\x01\x02", "data\n", "", 0},
		{"file -i -b -", "\x00\x01\x02", "application/octet-stream; charset=binary\n", "", 0},
		{"file --mime-type -b -", "#!/bin/sh\n", "text/x-shellscript\n", "", 0},
		{"file --mime-encoding -b -", "é\n", "utf-8\n", "", 0},
		{"file empty x.py missing", "", "empty:   empty\nx.py:    Python script, ASCII text executable\nmissing: cannot open `missing' (No such file or directory)\n", "", 0},
		{"file -b -", "\x00", "very short file (no magic)\n", "", 0},
		{"file -b -i -", "a", "application/octet-stream; charset=binary\n", "", 0},
		{"file -b -", "#!/usr/bin/env node\n", "Node.js script executable, ASCII text\n", "", 0},
		{"file -b -", "#!/usr/bin/awk -f\n", "awk script, ASCII text executable\n", "", 0},
		{"file -b -", "<?php\n", "PHP script, ASCII text\n", "", 0},
		{"file -b -", "int main();\n", "ASCII text\n", "", 0},
		{"file -b -", "caf\xe9 \x80\n", "Non-ISO extended-ASCII text\n", "", 0},
		{"file -b -", "#!\n", "a  script, ASCII text executable\n", "", 0},
	})
}

// FuzzKind has whatever bytes there are come out as one line, of a bounded length.
func FuzzKind(f *testing.F) {
	for _, s := range []string{
		"", "a,b\n1,2\n3,4\n", "\x7fELF\x02\x01\x01", "\x1f\x8b\x08\x0c\x00\x00\x00\x00\x02\x03\xff\xffname", "PK\x03\x04\x14\x00\x00\x00\x08",
		"#!/bin/sh\n", "#!\n", "<?xml version=", "GIF8", "\x89PNG\r\n\x1a\n", "\xff\xfea\x00", "{\"a\": 1}", "%PDF-", "%PDF-1\x14R", "BZh\x1b", "BZh", "\xfd7zXZ\x00",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, p []byte) {
		k := magic.Of(p)
		if k.Text == "" || k.MIME == "" || k.Charset == "" || len(k.Text) > 200+4*len(p) {
			t.Errorf("%q: got %+v", p, k)
		}
		for _, c := range k.Text {
			if c < ' ' || c == 0x7f {
				t.Errorf("%q: got %q, which has a control character", p, k.Text)
			}
		}
		// It is called UTF-8 only where it is, but for an end that is cut off.
		if whole := append(p[:len(p):len(p)], "\n"...); k.Charset == "utf-8" && !utf8.Valid(p) && utf8.Valid(whole) {
			t.Errorf("%q: got %+v", p, k)
		}
	})
}
