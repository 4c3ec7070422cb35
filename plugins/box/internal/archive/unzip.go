package archive

import (
	"archive/zip"
	"bufio"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/clock"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/glob"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// The statuses of unzip.
const (
	unzipWarning     = 1
	unzipError       = 2
	unzipNoArchive   = 9
	unzipUsage       = 10
	unzipNoMatch     = 11
	unzipUnsupported = 81
	unzipEncrypted   = 82
)

// unzipper is one run of unzip or zipinfo.
type unzipper struct {
	env     *tool.Env
	flags   map[byte]bool
	quiet   int
	archive string
	members []string
	exclude []string
	dir     string
	zone    *time.Location
	status  int

	zip     *zipFile
	root    *os.Root
	answers *bufio.Reader
	all     byte // o or n, once it was said for all
	links   []deferred
	dirs    []madeDir
	matched map[string]bool
	errors  int
}

// deferred is a symbolic link that is made when all else is.
type deferred struct{ name, shown, target string }

func unzipCommand(env *tool.Env, args []string) int {
	u := &unzipper{env: env, flags: map[byte]bool{}, zone: clock.Zone(env), matched: map[string]bool{}}
	if !u.parse(args) {
		return u.status
	}
	z, err := openZip(env, u.archive)
	if err != nil {
		return u.noArchive(z, err)
	}
	defer z.close()
	u.zip = z
	switch {
	case u.flags['Z']:
		u.info()
	case u.flags['z']:
		u.title()
		env.Out.WriteString(comment(z))
	case u.flags['l'] || u.flags['v']:
		u.list()
	case u.flags['t']:
		u.test()
	default:
		u.extractAll()
	}
	return u.status
}

// parse reads the arguments. It returns false if the command is over.
func (u *unzipper) parse(args []string) bool {
	u.flags['Z'] = path.Base(args[0]) == "zipinfo"
	excluding, operands := false, false
	for i := 1; i < len(args); i++ {
		a := args[i]
		if operands || len(a) < 2 || a[0] != '-' {
			switch {
			case u.archive == "":
				u.archive = a
			case excluding:
				u.exclude = append(u.exclude, a)
			default:
				u.members = append(u.members, a)
			}
			continue
		}
		if a == "--" {
			operands = true
			continue
		}
		excluding = false
		for k := 1; k < len(a); k++ {
			switch c := a[k]; c {
			case 'd', 'P':
				value := a[k+1:]
				if value == "" && i+1 < len(args) {
					i++
					value = args[i]
				}
				if value == "" {
					u.env.Warn("error:  must specify directory to which to extract with -d option")
					u.status = unzipUsage
					return false
				}
				u.flags[c] = true
				if c == 'd' {
					u.dir = value
				}
				k = len(a)
			case 'x':
				excluding = true
			case 'q':
				u.quiet++
			case 'a', 'c', 'C', 'f', 'h', 'j', 'K', 'l', 'L', 'M', 'n', 'o', 'p', 't', 'T', 'u', 'U', 'v', 'V', 'X', 'z', 'Z', 'D', 'I', 'O', ':', '^', '1', '2', 'm', 's':
				u.flags[c] = true
			default:
				u.usage()
				u.status = unzipUsage
				return false
			}
		}
	}
	if u.archive == "" || u.flags['h'] {
		u.usage()
		return false
	}
	return true
}

func (u *unzipper) usage() {
	u.env.Out.WriteString("UnZip 6.00 (Terrarium box, works as Debian's).\n\n" +
		"Usage: unzip [-Z] [-opts[modifiers]] file[.zip] [list] [-x xlist] [-d exdir]\n" +
		"  -p  extract files to pipe, no messages     -l  list files (short format)\n" +
		"  -f  freshen existing files, create none    -t  test compressed archive data\n" +
		"  -u  update files, create if necessary      -z  display archive comment only\n" +
		"  -v  list verbosely                         -c  extract files to stdout with names\n" +
		"  -x  exclude files that follow (in xlist)   -d  extract files into exdir\n" +
		"  -n  never overwrite existing files         -q  quiet mode (-qq => quieter)\n" +
		"  -o  overwrite files WITHOUT prompting      -j  junk paths (do not make directories)\n" +
		"  -C  match filenames case-insensitively     -L  make (some) names lowercase\n")
}

// noArchive says why there is no archive to read.
func (u *unzipper) noArchive(z *zipFile, err error) int {
	who := "unzip:"
	if u.flags['Z'] {
		who = "zipinfo:"
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		u.env.Warn(fmt.Sprintf("%s  cannot find or open %s, %s.zip or %s.ZIP.", who, u.archive, u.archive, u.archive))
	case err == errManyMembers:
		u.env.Warn(fmt.Sprintf("%s  %s has %v.", who, u.archive, err))
	case z != nil:
		if u.zip = z; u.quiet > 0 {
			u.env.Warn("[" + z.name + "]")
		} else if !u.flags['p'] {
			u.title()
		}
		u.env.Warn("  End-of-central-directory signature not found.  Either this file is not\n" +
			"  a zipfile, or it constitutes one disk of a multi-part archive.  In the\n" +
			"  latter case the central directory and zipfile comment will be found on\n" +
			"  the last disk(s) of this archive.\n" +
			fmt.Sprintf("%s  cannot find zipfile directory in one of %s or\n        %s.zip, and cannot find %s.ZIP, period.", who, u.archive, u.archive, u.archive))
	default:
		u.env.Warn(fmt.Sprintf("%s  cannot open %s: %s", who, u.archive, tool.Strerror(err)))
	}
	return unzipNoArchive
}

// title writes the first line.
func (u *unzipper) title() {
	if u.quiet == 0 {
		u.env.Out.WriteString("Archive:  " + u.zip.name + "\n")
	}
}

func (u *unzipper) fail(status int) { u.status = max(u.status, status) }

// each calls f for each member that is asked for, and complains about what matches none.
func (u *unzipper) each(f func(*zip.File)) {
	for _, m := range u.zip.File {
		if u.env.Stopped() {
			return
		}
		if !u.matches(u.members, m.Name) && len(u.members) > 0 || u.matches(u.exclude, m.Name) {
			continue
		}
		f(m)
	}
}

func (u *unzipper) matches(patterns []string, name string) bool {
	found := false
	for _, p := range patterns {
		if glob.Match(p, name, u.flags['C']) {
			u.matched[p] = true
			found = true
		}
	}
	return found
}

// unmatched complains about operands that matched no member.
func (u *unzipper) unmatched(say bool) {
	for _, p := range u.members {
		if u.matched[p] {
			continue
		}
		if say {
			u.env.Warn("caution: filename not matched:  " + p)
		}
		u.fail(unzipNoMatch)
	}
	for _, p := range u.exclude {
		if !u.matched[p] && say {
			u.env.Warn("caution: excluded filename not matched:  " + p)
		}
	}
}

// test reads all and writes none of it.
func (u *unzipper) test() {
	u.title()
	u.each(func(m *zip.File) {
		line := "    testing: " + padded(u.shown(m.Name))
		err := u.copy(io.Discard, m)
		switch {
		case err == nil && u.quiet == 0:
			u.env.Out.WriteString(line + " OK\n")
		case err != nil:
			u.errors++
			u.fail(unzipError)
			u.env.Out.WriteString(line + u.problem(m, err) + "\n")
		}
	})
	u.unmatched(true)
	switch {
	case u.status != 0:
		u.env.Out.WriteString("At least one error was detected in " + u.zip.name + ".\n")
	case u.quiet < 2:
		u.env.Out.WriteString("No errors detected in compressed data of " + u.zip.name + ".\n")
	}
}

// shown is a name in messages, without control characters.
func (u *unzipper) shown(name string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return '?'
		}
		return r
	}, name)
}

var errPassword = errors.New("encrypted")

// copy writes a member's data to w. The errors of w are marked.
func (u *unzipper) copy(w io.Writer, m *zip.File) error {
	if m.Flags&1 != 0 {
		return errPassword
	}
	r, err := m.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	_, err = io.Copy(tool.MarkWrites(w), struct{ io.Reader }{r})
	return err
}

// padded is a name in a column, which counts bytes.
func padded(name string) string { return name + strings.Repeat(" ", max(0, 22-len(name))) + "  " }

// problem says what is wrong with a member's data.
func (u *unzipper) problem(m *zip.File, err error) string {
	switch {
	case err == errPassword:
		return "unable to get password"
	case errors.Is(err, zip.ErrChecksum):
		return fmt.Sprintf(" bad CRC %08x  (should be %08x)", u.sum(m), m.CRC32)
	case errors.Is(err, zip.ErrAlgorithm):
		return fmt.Sprintf("unsupported compression method %d", m.Method)
	}
	return " invalid compressed data to inflate"
}

// sum reads a member whose sum is not what it should be once more.
func (u *unzipper) sum(m *zip.File) uint32 {
	sum := crc32.NewIEEE()
	if r, err := m.Open(); err == nil {
		io.Copy(sum, r)
		r.Close()
	}
	return sum.Sum32()
}
