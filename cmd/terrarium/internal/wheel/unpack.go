package wheel

import (
	"archive/zip"
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/plugin"
)

// What a wheel may hold.
const (
	maxFiles   = 20_000    // and as many directories
	maxBytes   = 256 << 20 // unpacked, together
	maxPath    = 1000      // bytes of a file's name with its directories
	maxScripts = 50
)

// An archive is a wheel's file that is open.
type archive struct {
	zip  *zip.ReadCloser
	info string // the directory of its metadata, NAME-VERSION.dist-info
}

// openArchive opens a wheel. Close it.
func openArchive(file string) (*archive, error) {
	z, err := zip.OpenReader(file)
	if err != nil {
		return nil, fmt.Errorf("not a wheel: %w", err)
	}
	a := &archive{zip: z}
	if err := a.check(); err != nil {
		z.Close()
		return nil, err
	}
	return a, nil
}

func (a *archive) Close() error { return a.zip.Close() }

// check looks at all names before anything is unpacked.
func (a *archive) check() error {
	if len(a.zip.File) > maxFiles {
		return fmt.Errorf("more than %d files", maxFiles)
	}
	dirs := make(map[string]bool) // a name alone may stand for thousands
	for _, f := range a.zip.File {
		name := strings.TrimSuffix(f.Name, "/")
		switch {
		case len(name) > maxPath:
			return fmt.Errorf("%s: a name of more than %d bytes", plugin.Printable(f.Name), maxPath)
		case !filepath.IsLocal(filepath.FromSlash(name)) || path.Clean(name) != name,
			strings.ContainsFunc(name, plugin.Unprintable), strings.Contains(name, `\`):
			return fmt.Errorf("%s: not a name of a file below", plugin.Printable(f.Name))
		case !f.Mode().IsRegular() && !f.Mode().IsDir():
			return fmt.Errorf("%s: neither a file nor a directory", plugin.Printable(f.Name))
		}
		for dir := path.Dir(name); dir != "." && !dirs[dir]; dir = path.Dir(dir) {
			dirs[dir] = true
		}
		if len(dirs) > maxFiles {
			return fmt.Errorf("more than %d directories", maxFiles)
		}
		dir, base := path.Split(name)
		if base == "METADATA" && strings.Count(dir, "/") == 1 && strings.HasSuffix(dir, ".dist-info/") {
			if a.info != "" {
				return errors.New("two METADATA")
			}
			a.info = strings.TrimSuffix(dir, "/")
		}
	}
	if a.info == "" {
		return errors.New("not a wheel: no METADATA")
	}
	return nil
}

// text returns a file of the metadata, or nothing if there is none.
func (a *archive) text(name string) (string, error) {
	f, err := a.zip.Open(a.info + "/" + name)
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxMetadata+1))
	if err == nil && len(b) > maxMetadata {
		err = fmt.Errorf("%s: more than %d bytes", name, maxMetadata)
	}
	return string(b), err
}

// metadata returns what the wheel says of itself. One that has code for a machine is
// refused, whatever its file is called.
func (a *archive) metadata() (Metadata, error) {
	how, err := a.text("WHEEL")
	if err != nil {
		return Metadata{}, err
	}
	if !pureWheel().MatchString(how) {
		return Metadata{}, errors.New("its WHEEL does not say Root-Is-Purelib: true: it has code for a machine")
	}
	text, err := a.text("METADATA")
	if err != nil {
		return Metadata{}, err
	}
	return parseMetadata(text)
}

var pureWheel = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?mi)^Root-Is-Purelib:\s*true\s*$`) })

// unpack makes dir, and puts there what python imports. Other data of a wheel, such
// as manual pages, has no place in the sandbox and is left out.
func (a *archive) unpack(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	left := int64(maxBytes)
	for _, f := range a.zip.File {
		name, ok := a.place(f.Name)
		if !ok {
			continue
		}
		n, err := unpackOne(root, f, name, left)
		if err != nil {
			return fmt.Errorf("%s: %w", plugin.Printable(f.Name), err)
		}
		left -= n
	}
	return nil
}

// place returns where a file of a wheel belongs below its directory.
func (a *archive) place(name string) (string, bool) {
	data := strings.TrimSuffix(a.info, ".dist-info") + ".data/"
	rest, ok := strings.CutPrefix(name, data)
	if !ok {
		return name, true
	}
	for _, library := range []string{"purelib/", "platlib/"} {
		if below, ok := strings.CutPrefix(rest, library); ok && below != "" {
			return below, true
		}
	}
	return "", false
}

// unpackOne returns how many bytes it has written, of at most left.
func unpackOne(root *os.Root, f *zip.File, name string, left int64) (int64, error) {
	if f.Mode().IsDir() {
		return 0, root.MkdirAll(filepath.FromSlash(strings.TrimSuffix(name, "/")), 0o700)
	}
	name = filepath.FromSlash(name)
	if err := root.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return 0, err
	}
	in, err := f.Open()
	if err != nil {
		return 0, err
	}
	defer in.Close()
	out, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return 0, err
	}
	n, err := io.Copy(out, io.LimitReader(in, left+1))
	if err == nil && n > left {
		err = fmt.Errorf("more than %d bytes in all", maxBytes)
	}
	return n, errors.Join(err, out.Close())
}

// A Script is a command that a package brings: a function of a module.
type Script struct {
	Name     string `json:"name"`
	Module   string `json:"module"`
	Function string `json:"function"`
}

var (
	scriptLine = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^([A-Za-z0-9][A-Za-z0-9._-]*)\s*=\s*([A-Za-z_][A-Za-z0-9_.]*)\s*:\s*([A-Za-z_][A-Za-z0-9_.]*)$`)
	})
	section = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\[(.*)\]$`) })
)

// scripts returns the commands that a wheel brings. A line that can't be read is
// passed over: the package is of use without it.
//
// https://packaging.python.org/en/latest/specifications/entry-points/
func (a *archive) scripts() ([]Script, error) {
	text, err := a.text("entry_points.txt")
	if err != nil {
		return nil, err
	}
	var found []Script
	in := ""
	for lines := bufio.NewScanner(strings.NewReader(text)); lines.Scan() && len(found) < maxScripts; {
		line := strings.TrimSpace(lines.Text())
		if m := section().FindStringSubmatch(line); m != nil {
			in = strings.TrimSpace(m[1])
		} else if m := scriptLine().FindStringSubmatch(line); m != nil && in == "console_scripts" && plugin.CheckName(m[1]) == nil {
			found = append(found, Script{m[1], m[2], m[3]})
		}
	}
	return found, nil
}
