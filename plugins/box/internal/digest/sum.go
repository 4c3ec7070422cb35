package digest

import (
	"encoding/hex"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

const sumOptions = "b,binary c,check tag t,text z,zero ignore-missing quiet status strict w,warn"

// sum is md5sum and its kin.
func sum(env *tool.Env, args []string, a algorithm) int {
	spec := sumOptions
	if a.any != nil {
		spec += " l,length="
	}
	opts, status := env.Options(args, spec)
	if opts == nil {
		return status
	}
	for _, o := range opts.Options {
		if o.Name != "l" {
			continue
		}
		shorter, ok := a.shortened(env, o.Arg)
		if !ok {
			return 1
		}
		if !opts.Has("c") { // which goes by what it reads
			a = shorter
		}
	}
	files := opts.Operands
	if len(files) == 0 {
		files = []string{"-"}
	}
	if opts.Has("c") {
		c := &checker{env: env, algorithm: a, ignoreMissing: opts.Has("ignore-missing"), strict: opts.Has("strict")}
		for _, o := range opts.Options {
			switch o.Name { // the last one counts
			case "quiet", "status", "w":
				c.quiet, c.silent, c.warn = o.Name == "quiet", o.Name == "status", o.Name == "w"
			}
		}
		for _, name := range files {
			if !c.file(name) {
				status = 1
			}
		}
		return status
	}
	for _, option := range []string{"ignore-missing", "quiet", "status", "strict", "w"} {
		if opts.Has(option) {
			if option == "w" {
				option = "warn"
			}
			return env.UsageError("the --%s option is meaningful only when verifying checksums", option)
		}
	}
	mark, end := " ", "\n"
	if opts.Has("b") && !opts.Has("t") {
		mark = "*"
	}
	if opts.Has("z") {
		end = "\x00"
	}
	for _, name := range files {
		digest, err := a.of(env, name)
		if err != nil {
			env.FileError(name, err)
			status = 1
			continue
		}
		escaped, prefix := name, ""
		if end == "\n" && strings.ContainsAny(name, "\\\n\r") {
			escaped, prefix = strings.NewReplacer("\\", "\\\\", "\n", "\\n", "\r", "\\r").Replace(name), "\\"
		}
		if opts.Has("tag") {
			env.Out.WriteString(prefix + a.tag + a.bits + " (" + escaped + ") = " + digest + end)
			continue
		}
		env.Out.WriteString(prefix + digest + " " + mark + escaped + end)
	}
	return status
}

// of returns the digest of a file in hexadecimal.
func (a algorithm) of(env *tool.Env, name string) (string, error) {
	r, err := env.Input(name)
	if err != nil {
		return "", err
	}
	defer r.Close()
	h := a.make()
	if _, err := io.Copy(h, struct{ io.Reader }{r}); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// A checker verifies the files that lists name.
type checker struct {
	env                                        *tool.Env
	algorithm                                  algorithm
	ignoreMissing, quiet, silent, strict, warn bool
}

// file verifies all that one list names, and reports whether everything is as it should be.
func (c *checker) file(list string) bool {
	p, err := c.env.ReadFile(list)
	if err != nil {
		c.env.FileError(list, err)
		return false
	}
	shown := tool.QuoteName(list)
	if list == "-" {
		shown = "'standard input'"
	}
	good, malformed, unreadable, failed, matched := 0, 0, 0, 0, 0
	for i, line := range strings.Split(strings.TrimSuffix(string(p), "\n"), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		digest, name, ok := c.parse(line)
		if !ok {
			malformed++
			if c.warn {
				c.env.Errorf("%s: %d: improperly formatted %s checksum line", shown, i+1, c.algorithm.tag)
			}
			continue
		}
		good++
		got, err := c.algorithm.sized(len(digest)/2).of(c.env, name)
		switch {
		case err != nil:
			if _, e := c.env.Stat(name); c.ignoreMissing && e != nil {
				continue
			}
			c.env.FileError(name, err)
			unreadable++
			if !c.silent {
				c.env.Out.WriteString(name + ": FAILED open or read\n")
			}
		case got == strings.ToLower(digest):
			matched++
			if !c.quiet && !c.silent {
				c.env.Out.WriteString(name + ": OK\n")
			}
		default:
			failed++
			if !c.silent {
				c.env.Out.WriteString(name + ": FAILED\n")
			}
		}
	}
	if good == 0 {
		c.env.Errorf("%s: no properly formatted checksum lines found", shown)
		return false
	}
	if !c.silent {
		c.count(malformed, "line is improperly formatted", "lines are improperly formatted")
		c.count(unreadable, "listed file could not be read", "listed files could not be read")
		c.count(failed, "computed checksum did NOT match", "computed checksums did NOT match")
		if c.ignoreMissing && matched == 0 {
			c.env.Errorf("%s: no file was verified", shown)
		}
	}
	return failed == 0 && unreadable == 0 && !(c.strict && malformed > 0) && !(c.ignoreMissing && matched == 0)
}

func (c *checker) count(n int, one, many string) {
	if n == 0 {
		return
	}
	what := one
	if n > 1 {
		what = many
	}
	c.env.Errorf("WARNING: %d %s", n, what)
}

// parse reads "DIGEST  NAME", "DIGEST *NAME" or "TAG (NAME) = DIGEST".
func (c *checker) parse(line string) (digest, name string, ok bool) {
	line, escaped := strings.CutPrefix(line, "\\")
	digest, name, ok = c.algorithm.tagged(line)
	if !ok {
		digest, name, ok = strings.Cut(line, " ")
		if name == "" {
			return "", "", false
		}
		if len(name) > 1 && (name[0] == ' ' || name[0] == '*') { // else it is BSD's, of one blank
			name = name[1:]
		}
	}
	if _, err := hex.DecodeString(digest); err != nil || !ok || !c.algorithm.fits(len(digest)/2) {
		return "", "", false
	}
	if escaped {
		name = strings.NewReplacer("\\\\", "\\", "\\n", "\n", "\\r", "\r").Replace(name)
	}
	return digest, name, true
}

// tagged reads "TAG (NAME) = DIGEST", where the tag may tell how many bits the digest has.
func (a algorithm) tagged(line string) (digest, name string, ok bool) {
	rest, ok := strings.CutPrefix(line, a.tag)
	i := strings.LastIndex(rest, ") = ")
	if !ok || i < 0 {
		return "", "", false
	}
	digest = rest[i+len(") = "):]
	bits, name, ok := strings.Cut(rest[:i], " (")
	return digest, name, ok && (bits == "" || a.any != nil && bits == "-"+strconv.Itoa(4*len(digest)))
}

// cksum prints POSIX's checksum, or with -a that of another command.
func cksum(env *tool.Env, args []string) int {
	opts, status := env.Options(args, "a,algorithm= l,length= tag untagged z,zero c,check")
	if opts == nil {
		return status
	}
	for _, o := range opts.Options {
		if o.Name != "a" || o.Arg == "crc" {
			continue
		}
		for _, a := range algorithms {
			if strings.ToLower(a.tag) != o.Arg {
				continue
			}
			rest := []string{args[0]}
			if !opts.Has("untagged") {
				rest = append(rest, "--tag")
			}
			for _, o := range opts.Options {
				if o.Name == "l" {
					rest = append(rest, "-l", o.Arg)
				}
			}
			return sum(env, append(rest, opts.Operands...), a)
		}
		env.Errorf("invalid argument %s for %s", env.Quote(o.Arg), env.Quote("--algorithm"))
		return env.TryHelp()
	}
	return eachSum(env, opts.Operands, func(p []byte, name string) {
		fmt.Fprintf(env.Out, "%d %d%s\n", posixCRC(p), len(p), name)
	})
}

// posixCRC is the CRC of POSIX.1-2017, cksum: over the bytes, then over their number.
func posixCRC(p []byte) uint32 {
	crc := uint32(0)
	add := func(c byte) { crc = crc<<8 ^ crcTable[byte(crc>>24)^c] }
	for _, c := range p {
		add(c)
	}
	for n := len(p); n > 0; n >>= 8 {
		add(byte(n))
	}
	return ^crc
}

var crcTable = func() (t [256]uint32) {
	for i := range t {
		crc := uint32(i) << 24
		for range 8 {
			if crc&(1<<31) != 0 {
				crc = crc<<1 ^ 0x04c11db7
			} else {
				crc <<= 1
			}
		}
		t[i] = crc
	}
	return t
}()

// bsdSum prints the 16-bit checksum of BSD, or with -s of System V.
func bsdSum(env *tool.Env, args []string) int {
	opts, status := env.Options(args, "r s,sysv")
	if opts == nil {
		return status
	}
	many := len(opts.Operands) > 0
	return eachSum(env, opts.Operands, func(p []byte, name string) {
		if opts.Has("s") {
			n := uint32(0)
			for _, c := range p {
				n += uint32(c)
			}
			n = n&0xffff + n>>16
			fmt.Fprintf(env.Out, "%d %d%s\n", n&0xffff+n>>16, (len(p)+511)/512, name)
			return
		}
		n := uint16(0)
		for _, c := range p {
			n = (n>>1 | n<<15) + uint16(c)
		}
		if !many {
			name = ""
		}
		fmt.Fprintf(env.Out, "%05d %5d%s\n", n, (len(p)+1023)/1024, name)
	})
}

// eachSum calls f with the content of each file, and with " NAME", or "" for standard input that
// was not named.
func eachSum(env *tool.Env, files []string, f func(p []byte, name string)) int {
	return env.Each(files, func(name string, r io.Reader) error {
		p, err := tool.ReadAll(r)
		if err != nil {
			return err
		}
		label := ""
		if len(files) > 0 {
			label = " " + name
		}
		f(p, label)
		return nil
	})
}
