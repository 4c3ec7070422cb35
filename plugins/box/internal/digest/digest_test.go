package digest

import (
	"bytes"
	"encoding/base64"
	"strings"
	"testing"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool/tooltest"
)

func TestLikeCoreutils(t *testing.T) {
	tooltest.Compare(t, Commands(), map[string]string{"a": "hello\n", "b": "other", `x\ny`: "z"}, []tooltest.Case{
		{"base64", "hello", "aGVsbG8=\n", "", 0},
		{"base64 -w 8", "hello world", "aGVsbG8g\nd29ybGQ=\n", "", 0},
		{"base64 -w 0", "hello", "aGVsbG8=", "", 0},
		{"base64", "", "", "", 0},
		{"base64 -d", "aGVs\nbG8=\n", "hello", "", 0},
		{"base64 -d", "eA#xSwo#\n", "x", "base64: invalid input\n", 1},
		{"base64 -d", "aGVsbG8", "hello", "base64: invalid input\n", 1},
		{"base64 -d", "aGVs=bG8", "hel", "base64: invalid input\n", 1},
		{"base64 -d", "aGVs====\n", "hel", "base64: invalid input\n", 1},
		{"base64 -d", "====\n", "", "base64: invalid input\n", 1},
		{"base64 -d", "A===\n", "", "base64: invalid input\n", 1},
		{"base64 -d", "AB=C\n", "\x00", "base64: invalid input\n", 1},
		{"base32 -d", "NBS=====\n", "h", "base32: invalid input\n", 1},
		{"base64 -d", "YQ==YmM=\n", "abc", "", 0},
		{"base64 -d", "YR==\n", "a", "", 0},
		{"base64 -d -i", "a G#V*s\n", "hel", "", 0},
		{"base64 -d -i", "CY=G9AC=\n", "\t", "base64: invalid input\n", 1},
		{"base64 -w x", "", "", "base64: invalid wrap size: ‘x’\n", 1},
		{"base64 a b", "", "", "base64: extra operand ‘b’\nTry 'base64 --help' for more information.\n", 1},
		{"base64 missing", "", "", "base64: missing: No such file or directory\n", 1},
		{"base32", "hello", "NBSWY3DP\n", "", 0},
		{"base32 -d", "NBSWY3DP\n", "hello", "", 0},
		{"base32 -d", "HA2==MIK\n", "8", "base32: invalid input\n", 1},
		{"base32 -d -i", "BIYUW=Q=\n", "\n1K", "base32: invalid input\n", 1},
		{"base32 -d", "NBSWY3D=\n", "hell", "", 0},
		{"base32 -d", "GEZDSOJQHA2==MIKFU3S4MRV\n", "129908", "base32: invalid input\n", 1},
		{"base32 -d", "nbswy3dp\n", "", "base32: invalid input\n", 1},
		{"md5sum", "hello\n", "b1946ac92492d2347c6235b4d2611184  -\n", "", 0},
		{"sha1sum -b", "hello\n", "f572d396fae9206628714fb2ce00f72e94f2258f *-\n", "", 0},
		{"sha224sum", "", "d14a028c2a3a2bc9476102bb288234c415a2b01f828ea62ac5b3e42f  -\n", "", 0},
		{"sha256sum", "hello\n", "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03  -\n", "", 0},
		{"sha384sum --tag", "hello\n", "SHA384 (-) = 1d0f284efe3edea4b9ca3bd514fa134b17eae361ccc7a1eefeff801b9bd6604e01f21f6bf249ef030599f0c218f2ba8c\n", "", 0},
		{"sha512sum", "", "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e  -\n", "", 0},
		{"b2sum", "hello\n", "f60ce482e5cc1229f39d71313171a8d9f4ca3a87d066bf4b205effb528192a75f14f3271e2c1a90e1de53f275b4d4793eef2f5e31ea90d2ce29d2e481c36435f  -\n", "", 0},
		{"b2sum -l 128", "hello\n", "ea41b4de6c03f13a95758b28dd75693e  -\n", "", 0},
		{"b2sum -l 12", "hello\n", "", "b2sum: invalid length: ‘12’\nb2sum: length is not a multiple of 8\n", 1},
		{"b2sum -l 1024", "", "", "b2sum: invalid length: ‘1024’\nb2sum: maximum digest length for ‘BLAKE2b’ is 512 bits\n", 1},
		{"cksum", "hello\n", "3015617425 6\n", "", 0},
		{"sum", "hello\n", "36979     1\n", "", 0},
		{"sum -s", "hello\n", "542 1\n", "", 0},
		{"md5sum a b missing", "", "b1946ac92492d2347c6235b4d2611184  a\n795f3202b17cb6bc3d4b771d8c6c9eaf  b\n", "md5sum: missing: No such file or directory\n", 1},
		{"md5sum -z a", "", "b1946ac92492d2347c6235b4d2611184  a\x00", "", 0},
		{"md5sum --tag a", "", "MD5 (a) = b1946ac92492d2347c6235b4d2611184\n", "", 0},
		{"md5sum -c", "b1946ac92492d2347c6235b4d2611184  a\n", "a: OK\n", "", 0},
		{"md5sum -c", "b1946ac92492d2347c6235b4d2611184  b\n", "b: FAILED\n", "md5sum: WARNING: 1 computed checksum did NOT match\n", 1},
		{"md5sum -c --quiet", "b1946ac92492d2347c6235b4d2611184 *a\n", "", "", 0},
		{"md5sum -c", "B1946AC92492D2347C6235B4D2611184  a\nrubbish\n", "a: OK\n", "md5sum: WARNING: 1 line is improperly formatted\n", 0},
		{"md5sum -c --strict", "b1946ac92492d2347c6235b4d2611184  a\nrubbish\n", "a: OK\n", "md5sum: WARNING: 1 line is improperly formatted\n", 1},
		{"md5sum -c -w", "b1946ac92492d2347c6235b4d2611184  a\nrubbish\n", "a: OK\n", "md5sum: 'standard input': 2: improperly formatted MD5 checksum line\nmd5sum: WARNING: 1 line is improperly formatted\n", 0},
		{"md5sum -c -w --status", "b1946ac92492d2347c6235b4d2611184  a\nrubbish\n", "", "", 0},
		{"md5sum -c --status -w", "b1946ac92492d2347c6235b4d2611184  a\nrubbish\n", "a: OK\n", "md5sum: 'standard input': 2: improperly formatted MD5 checksum line\nmd5sum: WARNING: 1 line is improperly formatted\n", 0},
		{"md5sum -c --quiet --status", "b1946ac92492d2347c6235b4d2611184  b\n", "", "", 1},
		{"md5sum -c --status --quiet", "b1946ac92492d2347c6235b4d2611184  b\n", "b: FAILED\n", "md5sum: WARNING: 1 computed checksum did NOT match\n", 1},
		{"md5sum -c", "b1946ac92492d2347c6235b4d2611184 a\n", "a: OK\n", "", 0},
		{"md5sum -c", "b1946ac92492d2347c6235b4d2611184  missing\n", "missing: FAILED open or read\n", "md5sum: missing: No such file or directory\nmd5sum: WARNING: 1 listed file could not be read\n", 1},
		{"md5sum -c --ignore-missing", "b1946ac92492d2347c6235b4d2611184  missing\n", "", "md5sum: 'standard input': no file was verified\n", 1},
		{"md5sum -c", "MD5 (a) = b1946ac92492d2347c6235b4d2611184\n", "a: OK\n", "", 0},
		{"md5sum -c", "", "", "md5sum: 'standard input': no properly formatted checksum lines found\n", 1},
		{"md5sum --strict a", "", "", "md5sum: the --strict option is meaningful only when verifying checksums\nTry 'md5sum --help' for more information.\n", 1},
		{"cksum -a md5 a", "", "MD5 (a) = b1946ac92492d2347c6235b4d2611184\n", "", 0},
		{"cksum -a sha1 --untagged a", "", "f572d396fae9206628714fb2ce00f72e94f2258f  a\n", "", 0},
		{"cksum a b", "", "3015617425 6 a\n910063178 5 b\n", "", 0},
		{"cksum --tag a", "", "3015617425 6 a\n", "", 0},
	})
}

// TestLongInputs has digests of what takes more than a block, where the blocks end in all ways:
// the last one may be full. What is wanted was said by b2sum and cksum.
func TestLongInputs(t *testing.T) {
	for _, c := range []struct {
		n                  int
		blake, sysv, posix string
	}{
		{0, "786a02f742015903", "0 0", "4294967295 0"},
		{1, "0909377ad35110ca", "120 1", "12738659 1"},
		{127, "acc1cd9ebcd76c8f", "15240 1", "2973891477 127"},
		{128, "082b91ea2e15d155", "15360 1", "389077782 128"},
		{129, "362a53bbe2ec0809", "15480 1", "3351739092 129"},
		{255, "e3e955c92e4a9b12", "30600 1", "3276814060 255"},
		{256, "26066ae992ec734e", "30720 1", "3985556000 256"},
		{4096, "cb995e97e0583c03", "32775 8", "2004897607 4096"},
		{5000, "20bad0c4b582d330", "10185 10", "2875136608 5000"},
	} {
		in := strings.Repeat("x", c.n)
		for command, want := range map[string]string{"b2sum": c.blake, "sum -s": c.sysv, "cksum": c.posix} {
			got := tooltest.Run(Commands(), "", in, strings.Fields(command)...)
			if !strings.HasPrefix(got.Stdout, want) {
				t.Errorf("%s of %d bytes: got %q, want %q", command, c.n, got.Stdout, want)
			}
		}
	}
}

// FuzzBase64 has what is encoded come back, in lines of any width, and compares with a decoder that
// wants all at once where that has no complaint.
func FuzzBase64(f *testing.F) {
	f.Add([]byte("hello"), uint8(4))
	f.Add([]byte("aGVsbG8="), uint8(0))
	f.Add([]byte("eA#xSwo#"), uint8(76))
	f.Fuzz(func(t *testing.T, p []byte, width uint8) {
		for _, name := range []string{"base64", "base32"} {
			text := tooltest.Run(Commands(), "", string(p), name, "-w", string([]byte{'0' + width/100, '0' + width/10%10, '0' + width%10}))
			back := tooltest.Run(Commands(), "", text.Stdout, name, "-d")
			if back.Stdout != string(p) || back.Status != 0 {
				t.Errorf("%s of %q: got %q, %q", name, p, back.Stdout, back.Stderr)
			}
		}
		want, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(string(p), "\r", "#"))
		got := tooltest.Run(Commands(), "", string(p), "base64", "-d")
		if err == nil && (got.Status != 0 || !bytes.Equal([]byte(got.Stdout), want)) {
			t.Errorf("%q: got %q, %q, want %q", p, got.Stdout, got.Stderr, want)
		}
	})
}
