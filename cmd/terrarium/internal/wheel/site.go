package wheel

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/dirlock"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/plugin"
)

// At is where commands read a Site.
const At = "/opt/python"

// usercustomize is what python executes when it starts.
//
//go:embed usercustomize.py
var usercustomize []byte

// pip is what "python -m pip" executes.
//
//go:embed pip.py
var pip []byte

// transport has Python's module socket fetch by HTTP, where it is allowed, and tls
// is its module ssl, which its builds for WASI are without.
//
//go:embed terrarium_http.py
var transport []byte

//go:embed ssl.py
var tls []byte

// A Site is a directory with the packages of a python, each in a directory of its own,
// and with what python has to know to find them:
//
//	packages.json                              what there is
//	packages/NAME-VERSION-SUM                  what a wheel has
//	lib/python3.N/site-packages/terrarium.pth  which of these python looks into
//	bin/NAME                                   the commands of packages
//
// What there is changes by the rename of packages.json; all other files follow it.
type Site struct {
	dir string
}

// SiteOf returns the site in a folder of plugins. It need not be there.
func SiteOf(plugins string) *Site { return &Site{filepath.Join(plugins, "python.site")} }

// Dir returns the site's directory.
func (s *Site) Dir() string { return s.dir }

// A Package is what there is.
type Package struct {
	Name     string   `json:"name"`
	Version  string   `json:"version"`
	File     string   `json:"file"` // the wheel's name
	SHA256   string   `json:"sha256"`
	Source   string   `json:"source"` // where it came from
	Licence  string   `json:"licence,omitempty"`
	Requires []string `json:"requires,omitempty"`
	Scripts  []Script `json:"scripts,omitempty"`
}

// dir returns the name of a package's directory below packages.
func (p *Package) dir() string { return p.Name + "-" + p.Version + "-" + p.SHA256[:12] }

// maxRecord is how long packages.json may be, in bytes.
const maxRecord = 4 << 20

// Packages returns what there is, by name.
func (s *Site) Packages() ([]Package, error) {
	b, err := os.ReadFile(filepath.Join(s.dir, "packages.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list []Package
	if err := json.Unmarshal(b, &list); err != nil || len(b) > maxRecord {
		return nil, fmt.Errorf("%s: not a list of packages", plugin.Printable(filepath.Join(s.dir, "packages.json")))
	}
	for _, p := range list {
		// They become names of files, and lines that python reads.
		_, _, _, ok := parseFile(p.File)
		_, err := parseVersion(p.Version)
		name, wrong := Normalize(p.Name)
		if !ok || err != nil || wrong != nil || name != p.Name || len(p.SHA256) != 64 || !filepath.IsLocal(p.dir()) {
			return nil, fmt.Errorf("%s: %s is no package", plugin.Printable(s.dir), plugin.Printable(p.Name))
		}
	}
	return list, nil
}

// Add unpacks wheels and adds them, in place of other versions of theirs. Before the
// last step, what there is stays as it was.
func (s *Site) Add(from *Simple, chosen []*Chosen, python string) error {
	staged, err := os.MkdirTemp(from.Dir, "unpacked-")
	if err != nil {
		return err
	}
	var added []Package
	for _, c := range chosen {
		p := c.pack()
		if err := from.unpack(&c.Wheel, filepath.Join(staged, p.dir())); err != nil {
			return fmt.Errorf("%s: %w", plugin.Printable(c.File), err)
		}
		added = append(added, p)
	}
	return s.change(python, func(list []Package) ([]Package, error) {
		if err := os.MkdirAll(filepath.Join(s.dir, "packages"), 0o700); err != nil {
			return nil, err
		}
		for _, p := range added {
			place := filepath.Join(s.dir, "packages", p.dir())
			// It was left by a process that was killed, or it is of this very wheel.
			if err := os.RemoveAll(place); err != nil {
				return nil, err
			}
			if err := os.Rename(filepath.Join(staged, p.dir()), place); err != nil {
				return nil, err
			}
			list = slices.DeleteFunc(list, func(old Package) bool { return old.Name == p.Name })
		}
		return append(list, added...), nil
	})
}

// pack returns what is kept of a package.
func (c *Chosen) pack() Package {
	at := *c.URL
	at.RawQuery, at.Fragment, at.User = "", "", nil
	p := Package{Name: c.Wheel.Name, Version: c.Wheel.Version, File: c.File, SHA256: c.SHA256,
		Source: at.String(), Licence: plugin.Printable(c.Licence), Scripts: c.Scripts}
	for _, q := range c.requires {
		p.Requires = append(p.Requires, q.String())
	}
	return p
}

// unpack unpacks a wheel that was downloaded into dir, which it makes.
func (s *Simple) unpack(w *Wheel, dir string) error {
	a, err := openArchive(filepath.Join(s.Dir, w.SHA256+".whl"))
	if err != nil {
		return err
	}
	defer a.Close()
	return a.unpack(dir)
}

// Remove removes packages by name. One that another needs is not removed without it.
func (s *Site) Remove(names []string, python string) (removed []Package, err error) {
	err = s.change(python, func(list []Package) ([]Package, error) {
		var stay []Package
		for _, p := range list {
			if slices.Contains(names, p.Name) {
				removed = append(removed, p)
			} else {
				stay = append(stay, p)
			}
		}
		for _, name := range names {
			if !slices.ContainsFunc(removed, func(p Package) bool { return p.Name == name }) {
				return nil, fmt.Errorf("package %s: none of that name was added", plugin.Printable(name))
			}
			for _, p := range stay {
				for _, text := range p.Requires {
					if q, err := ParseRequirement(text); err == nil && q.Name == name {
						return nil, fmt.Errorf("package %s: %s %s needs it: remove both", name, p.Name, plugin.Printable(p.Version))
					}
				}
			}
		}
		return stay, nil
	})
	return removed, err
}

// change replaces what there is by what edit makes of it, one after another.
func (s *Site) change(python string, edit func([]Package) ([]Package, error)) error {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	unlock, err := dirlock.Lock(s.dir)
	if err != nil {
		return err
	}
	defer unlock()
	list, err := s.Packages()
	if err != nil {
		return err
	}
	if list, err = edit(list); err != nil {
		return err
	}
	slices.SortFunc(list, func(a, b Package) int { return strings.Compare(a.Name, b.Name) })
	text, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		return err
	}
	if err := s.write("packages.json", append(text, '\n'), 0o600); err != nil {
		return err
	}
	if err := s.refresh(list, python); err != nil {
		return err
	}
	return s.sweep("packages", func(name string) bool {
		return slices.ContainsFunc(list, func(p Package) bool { return p.dir() == name })
	})
}

// Refresh makes python's own files of a site be what the packages are and this program
// has. python is its version, as "3.12". Where nothing has changed nothing is written.
func (s *Site) Refresh(python string) error {
	list, err := s.Packages()
	if err != nil {
		return err
	}
	return s.refresh(list, python)
}

func (s *Site) refresh(list []Package, python string) error {
	library := path.Join("lib", "python"+python, "site-packages")
	var pth strings.Builder
	scripts := make(map[string]Script)
	for _, p := range list {
		fmt.Fprintf(&pth, "%s/packages/%s\n", At, p.dir())
		for _, script := range p.Scripts {
			scripts[script.Name] = script
		}
	}
	err := errors.Join(
		s.write(path.Join(library, "usercustomize.py"), usercustomize, 0o600),
		s.write(path.Join(library, "pip.py"), pip, 0o600),
		s.write(path.Join(library, "terrarium_http.py"), transport, 0o600),
		s.write(path.Join(library, "ssl.py"), tls, 0o600),
		s.write(path.Join(library, "terrarium.pth"), []byte(pth.String()), 0o600))
	for name, script := range scripts {
		text := fmt.Sprintf("#!/usr/bin/env python3\nimport sys\nimport %s\nsys.exit(%[1]s.%s())\n", script.Module, script.Function)
		err = errors.Join(err, s.write(path.Join("bin", name), []byte(text), 0o700))
	}
	return errors.Join(err, s.sweep("bin", func(name string) bool { return scripts[name].Name != "" }))
}

// Env returns the variables with which commands find a site, and work with what it has.
func (s *Site) Env() []string {
	env := []string{"PYTHONUSERBASE=" + At}
	list, _ := s.Packages() // an error means that there are none
	for _, p := range list {
		if len(p.Scripts) > 0 {
			env = append(env, "PATH=/bin:"+At+"/bin")
			break
		}
	}
	if slices.ContainsFunc(list, func(p Package) bool { return p.Name == "pytest" }) {
		// WASI can't copy descriptors.
		env = append(env, "PYTEST_ADDOPTS=--capture=sys -p no:faulthandler")
	}
	return env
}

// write makes a file of a site have a text, all at once.
func (s *Site) write(name string, text []byte, mode fs.FileMode) error {
	file := filepath.Join(s.dir, filepath.FromSlash(name))
	if old, err := os.ReadFile(file); err == nil && bytes.Equal(old, text) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(s.dir, ".new-")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // unless it has become the file
	_, err = f.Write(text)
	if err := errors.Join(err, f.Chmod(mode), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), file)
}

// sweep removes what is in a directory of a site, but for what is kept.
func (s *Site) sweep(dir string, keep func(name string) bool) error {
	files, err := os.ReadDir(filepath.Join(s.dir, dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, f := range files {
		if !keep(f.Name()) {
			err = errors.Join(err, os.RemoveAll(filepath.Join(s.dir, dir, f.Name())))
		}
	}
	return err
}
