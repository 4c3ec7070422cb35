package archive

import (
	"archive/zip"
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/sys"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
	modes "github.com/terrarium-dev/terrarium/plugins/fs"
)

// extractAll writes files, or with -p and -c to standard output.
func (u *unzipper) extractAll() {
	if u.flags['p'] {
		u.quiet = 2
	}
	u.title()
	if u.quiet == 0 {
		u.env.Out.WriteString(comment(u.zip))
	}
	if u.flags['p'] || u.flags['c'] {
		u.each(u.print)
		u.unmatched(true)
		return
	}
	if !u.openDir() {
		return
	}
	defer u.root.Close()
	u.each(u.extract)
	u.makeLinks()
	u.finishDirs()
	u.unmatched(true)
}

func (u *unzipper) print(m *zip.File) {
	if strings.HasSuffix(m.Name, "/") {
		return
	}
	if u.quiet == 0 {
		u.env.Out.WriteString(action(m) + padded(u.shown(m.Name)) + "\n")
	}
	if err := u.copy(u.env.Out, m); err != nil && !errors.As(err, new(tool.WriteError)) {
		u.env.Warn(u.problem(m, err))
		u.fail(unzipError)
	}
	if u.quiet == 0 {
		u.env.Out.WriteByte('\n')
	}
}

// action is what unzip says it does.
func action(m *zip.File) string {
	if m.Method == zip.Store {
		return " extracting: "
	}
	return "  inflating: "
}

// openDir opens the directory to extract into. It makes that of -d, but not those that it would be
// in.
func (u *unzipper) openDir() bool {
	dir := u.dir
	if dir == "" {
		dir = "."
	}
	err := u.env.Mkdir(dir, 0o777)
	if err == nil || errors.Is(err, fs.ErrExist) {
		u.root, err = os.OpenRoot(u.env.Path(dir))
	}
	if err != nil {
		u.env.Warn("checkdir:  cannot create extraction directory: " + dir + "\n           " + tool.Strerror(err))
		u.fail(unzipError)
		return false
	}
	return true
}

// extract writes one member.
func (u *unzipper) extract(m *zip.File) {
	name, warning := safeZipName(m.Name)
	if warning != "" {
		u.env.Out.WriteString(u.shown(warning) + "\n")
		u.fail(unzipWarning)
	}
	if u.flags['L'] && m.CreatorVersion>>8 == 0 {
		name = strings.ToLower(name)
	}
	isDir := strings.HasSuffix(m.Name, "/")
	if u.flags['j'] {
		if isDir {
			return
		}
		name = path.Base(name)
	}
	if name == "" {
		return
	}
	if isDir {
		u.makeDir(m, name)
		return
	}
	if name = u.choose(m, name); name == "" {
		return
	}
	if dir := path.Dir(name); dir != "." {
		if err := u.mkdirAll(dir); err != nil {
			u.noDir(dir, err)
			u.env.Warn("                 unable to process " + u.shown(m.Name) + ".")
			u.fail(unzipError)
			return
		}
	}
	if m.Mode()&fs.ModeSymlink != 0 {
		u.link(m, name)
		return
	}
	u.write(m, name)
}

// place is a name as it is shown: in the directory of -d.
func (u *unzipper) place(name string) string {
	if u.dir == "" {
		return u.shown(name)
	}
	return u.shown(strings.TrimRight(u.dir, "/") + "/" + name)
}

func (u *unzipper) makeDir(m *zip.File, name string) {
	if fi, err := u.root.Stat(name); err == nil && fi.IsDir() {
		return
	}
	if u.flags['f'] {
		return
	}
	if err := u.mkdirAll(name); err != nil {
		u.noDir(name, err)
		u.fail(unzipError)
		return
	}
	if u.quiet == 0 {
		u.env.Out.WriteString("   creating: " + u.place(name) + "/\n")
	}
	if mode := m.Mode().Perm(); m.CreatorVersion>>8 == 3 && mode != 0 {
		u.dirs = append(u.dirs, madeDir{name: name, mode: uint32(mode)})
	}
}

// finishDirs sets the permissions of directories, the innermost first. Before, all has to get into
// them.
func (u *unzipper) finishDirs() {
	for _, d := range slices.Backward(u.dirs) {
		if f, err := u.root.Open(d.name); err == nil {
			sys.Chmod(f, d.mode) // what can't be set is not
			f.Close()
		}
	}
}

// noDir says why a directory can't be made.
func (u *unzipper) noDir(name string, err error) {
	if strerror(err) == "Not a directory" {
		u.env.Warn("checkdir error:  " + u.place(name) + " exists but is not directory")
		return
	}
	u.env.Warn("checkdir error:  cannot create " + u.place(name) + "\n                 " + strerror(err))
}

// choose looks at what is there already, and asks. It returns the name to write to, "" for none.
func (u *unzipper) choose(m *zip.File, name string) string {
	for {
		fi, err := u.root.Lstat(name)
		if err != nil {
			if u.flags['f'] {
				return ""
			}
			return name
		}
		if (u.flags['u'] || u.flags['f']) && !modified(&m.FileHeader, u.zone).Truncate(time.Second).After(fi.ModTime().Truncate(time.Second)) {
			return ""
		}
		switch {
		case u.flags['n'] || u.all == 'n':
			return ""
		case u.flags['o'] || u.all == 'o':
			return name
		}
		answer, ok := u.ask("replace " + u.place(name) + "? [y]es, [n]o, [A]ll, [N]one, [r]ename: ")
		if !ok {
			u.env.Warn(" NULL\n(EOF or read error, treating as \"[N]one\" ...)")
			u.all = 'n'
			u.fail(unzipWarning)
			return ""
		}
		switch first := answer[:min(1, len(answer))]; first {
		case "y", "Y":
			return name
		case "n":
			return ""
		case "A":
			u.all = 'o'
		case "N":
			u.all = 'n'
		case "r":
			answer, ok := u.ask("new name: ")
			if safe, _ := safeZipName(answer); ok && safe != "" {
				name = safe
			}
		default:
			u.env.Warn("error:  invalid response [" + u.shown(answer) + "]")
		}
	}
}

func (u *unzipper) ask(question string) (string, bool) {
	u.env.Out.Flush()
	io.WriteString(u.env.Stderr, question)
	if u.answers == nil {
		u.answers = bufio.NewReader(u.env.Stdin)
	}
	line, err := u.answers.ReadString('\n')
	return strings.TrimSuffix(line, "\n"), err == nil
}

// write makes the file of one member.
func (u *unzipper) write(m *zip.File, name string) {
	shown := u.place(name)
	switch {
	case m.Flags&1 != 0:
		u.env.Warn("   skipping: " + padded(shown) + u.problem(m, errPassword))
		u.fail(unzipEncrypted)
		return
	case m.Method != zip.Store && m.Method != zip.Deflate:
		u.env.Warn("   skipping: " + padded(shown) + u.problem(m, zip.ErrAlgorithm))
		u.fail(unzipUnsupported)
		return
	}
	u.root.Remove(name)
	var f *os.File
	mode := u.mode(m)
	err := modes.Creating(mode, mode, func() (err error) {
		f, err = u.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fs.FileMode(mode))
		return err
	})
	if err != nil {
		u.env.Warn("error:  cannot create " + shown + "\n        " + strerror(err))
		u.fail(unzipError)
		return
	}
	if u.quiet == 0 {
		u.env.Out.WriteString(action(m) + padded(shown))
	}
	err = u.copy(f, m)
	if closing := f.Close(); err == nil && closing != nil {
		err = tool.WriteError{Err: closing}
	}
	var broken tool.WriteError
	switch {
	case errors.As(err, &broken):
		u.env.Warn("\n" + shown + ":  write error (" + tool.Strerror(broken.Err) + ")")
		u.fail(50)
	case err != nil:
		u.env.Warn(u.problem(m, err))
		u.fail(unzipError)
	case u.quiet == 0:
		u.env.Out.WriteByte('\n')
	}
	stamp := modified(&m.FileHeader, u.zone)
	u.root.Chtimes(name, stamp, stamp)
}

// mode returns the permissions that a member gets: those that it was put in with, or the usual
// ones.
func (u *unzipper) mode(m *zip.File) uint32 {
	if mode := m.Mode().Perm(); m.CreatorVersion>>8 == 3 && mode != 0 {
		return uint32(mode)
	}
	return 0o666 &^ u.env.Umask()
}

func (u *unzipper) mkdirAll(name string) error {
	mode := 0o777 &^ u.env.Umask()
	return modes.Creating(mode, mode, func() error { return u.root.MkdirAll(name, fs.FileMode(mode)) })
}

// link remembers a symbolic link. Until all is extracted nothing can be written through it.
func (u *unzipper) link(m *zip.File, name string) {
	r, err := m.Open()
	target := ""
	if err == nil {
		target, err = readSmall(r)
		r.Close()
	}
	if err != nil || target == "" {
		u.env.Warn("error:  can't read the link " + u.place(name))
		u.fail(unzipError)
		return
	}
	if u.quiet == 0 {
		u.env.Out.WriteString("    linking: " + padded(u.place(name)) + "-> " + u.shown(target) + " \n")
	}
	u.links = append(u.links, deferred{name, u.place(name), target})
}

func (u *unzipper) makeLinks() {
	if len(u.links) == 0 {
		return
	}
	if u.quiet == 0 {
		u.env.Out.WriteString("finishing deferred symbolic links:\n")
	}
	for _, l := range u.links {
		if u.quiet == 0 {
			u.env.Out.WriteString("  " + strings.TrimSuffix(padded(l.shown), " ") + "-> " + u.shown(l.target) + "\n")
		}
		u.root.Remove(l.name)
		if err := u.root.Symlink(l.target, l.name); err != nil {
			u.env.Warn("symlink error: " + strerror(err))
			u.fail(unzipError)
		}
	}
}
