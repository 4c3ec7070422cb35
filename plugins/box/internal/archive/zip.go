package archive

import (
	"archive/zip"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/clock"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/glob"
	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

// The statuses of zip.
const (
	zipFormat   = 3
	zipNothing  = 12
	zipOutput   = 15
	zipUsage    = 16
	zipMissing  = 18 // a file could not be read
	zipMaxWhole = 4 << 20
)

// zipper is one run of zip.
type zipper struct {
	env              *tool.Env
	log              io.Writer // where messages go
	flags            map[byte]bool
	level            int
	archive          string // "-" is standard output
	files            []string
	include, exclude []string
	zone             *time.Location
	status           int

	old      *zipFile // nil if the archive is new
	members  map[string]*zip.File
	entries  []entry
	byName   map[string]int // of entries
	in, size uint64         // bytes before and after, for -v
}

// An entry is a file to be put in.
type entry struct {
	name string // in the archive; a directory's ends with a slash
	path string // "" for standard input
	info fs.FileInfo
}

func zipCommand(env *tool.Env, args []string) int {
	z := &zipper{
		env: env, log: env.Out, flags: map[byte]bool{}, level: 6, zone: clock.Zone(env), members: map[string]*zip.File{}, byName: map[string]int{},
	}
	if !z.parse(args[1:]) {
		return z.status
	}
	if z.archive == "" {
		z.archive, z.files = "-", []string{"-"}
	}
	if z.archive == "-" {
		z.log = env.Stderr
	} else if path.Ext(z.archive) == "" {
		z.archive += ".zip"
	}
	if !z.openOld() {
		return z.status
	}
	if z.old != nil {
		defer z.old.close()
	}
	if z.flags['d'] {
		z.delete()
		return z.status
	}
	z.collect()
	z.add()
	return z.status
}

func (z *zipper) nothing() { z.complain("Nothing to do! ("+z.archive+")", zipNothing) }

func (z *zipper) warn(format string, a ...any) {
	fmt.Fprintf(z.log, "\tzip warning: "+format+"\n", a...)
}

// openOld reads the archive that is there already.
func (z *zipper) openOld() bool {
	if z.archive == "-" {
		return true
	}
	if fi, err := z.env.Stat(z.archive); err == nil && fi.Size() > 0 {
		old, err := openZip(z.env, z.archive)
		switch {
		case err == errManyMembers:
			z.complain(fmt.Sprintf("%s has %v", z.archive, err), zipFormat)
			return false
		case err != nil:
			z.complain("Zip file structure invalid ("+z.archive+")", zipFormat)
			return false
		}
		z.old = old
		for _, m := range old.File {
			z.members[m.Name] = m
		}
		return true
	}
	if z.flags['d'] || z.flags['u'] || z.flags['f'] {
		z.warn("%s not found or empty", z.archive)
	}
	return true
}

// collect finds the files to be put in.
func (z *zipper) collect() {
	if z.flags['@'] {
		lines := tool.NewLines(z.env.Stdin, '\n')
		for {
			line, ok := lines.Next()
			if !ok {
				break
			}
			z.files = append(z.files, string(line))
		}
	}
	if z.flags['f'] && len(z.files) == 0 && z.old != nil {
		for _, m := range z.old.File {
			if _, err := z.env.Stat(m.Name); err == nil {
				z.files = append(z.files, m.Name)
			}
		}
	}
	for _, name := range z.files {
		if name == "-" {
			z.entry(entry{name: "-"})
			continue
		}
		fi, err := z.look(name)
		if err != nil {
			z.warn("name not matched: %s", name)
			continue
		}
		z.walk(name, fi)
	}
}

func (z *zipper) look(name string) (fs.FileInfo, error) {
	if z.flags['y'] {
		return z.env.Lstat(name)
	}
	return z.env.Stat(name)
}

// memberName is the name that a file has in the archive.
func (z *zipper) memberName(name string) string {
	name = strings.TrimLeft(name, "/")
	for strings.HasPrefix(name, "./") {
		name = strings.TrimLeft(name[2:], "/")
	}
	if name == "." {
		return ""
	}
	if z.flags['j'] {
		return path.Base(name)
	}
	return name
}

// walk adds a file, or a directory and with -r what is in it.
func (z *zipper) walk(name string, fi fs.FileInfo) {
	if z.env.Stopped() {
		return
	}
	if !fi.IsDir() {
		if fi.Mode().IsRegular() || fi.Mode()&fs.ModeSymlink != 0 {
			z.entry(entry{z.memberName(name), name, fi})
		}
		return
	}
	name = strings.TrimRight(name, "/") + "/"
	if !z.flags['j'] && !z.flags['D'] {
		if member := z.memberName(name); member != "" {
			z.entry(entry{member, name, fi})
		}
	}
	if !z.flags['r'] {
		return
	}
	entries, err := z.env.ReadDir(name)
	if err != nil {
		z.warn("could not open for reading: %s", name)
		z.status = zipMissing
		return
	}
	for _, e := range entries {
		child := name + e.Name()
		fi, err := z.look(child)
		if err != nil {
			z.warn("could not open for reading: %s", child)
			z.status = zipMissing
			continue
		}
		z.walk(child, fi)
	}
}

// entry takes in a file, unless the patterns leave it out, or it is the archive itself.
func (z *zipper) entry(e entry) {
	if len(z.include) > 0 && !matchAny(z.include, e.name) || matchAny(z.exclude, e.name) {
		return
	}
	if e.info != nil && z.archive != "-" {
		if fi, err := z.env.Stat(z.archive); err == nil && os.SameFile(fi, e.info) {
			return
		}
	}
	if _, ok := z.byName[e.name]; ok {
		return
	}
	old, exists := z.members[e.name]
	if (z.flags['f'] || z.flags['u']) && exists && e.info != nil {
		if !e.info.ModTime().Truncate(time.Second).After(modified(&old.FileHeader, z.zone).Truncate(time.Second)) {
			return
		}
	}
	if z.flags['f'] && !exists {
		return
	}
	z.byName[e.name] = len(z.entries)
	z.entries = append(z.entries, e)
}

func matchAny(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return glob.Match(p, name, false) })
}

// add puts the files in: the old ones in their places, the new ones behind.
func (z *zipper) add() {
	if len(z.entries) == 0 && !(z.flags['z'] && z.old != nil) {
		switch {
		case z.flags['f'] || z.flags['u'] && z.old != nil:
			z.status = zipNothing
			return
		case len(z.include) == 0 || z.old != nil:
			z.nothing()
			return
		}
		z.warn("zip file empty")
	}
	done := z.write(func(w *zip.Writer) error {
		if z.old != nil {
			for _, m := range z.old.File {
				if _, again := z.byName[m.Name]; !again {
					if err := w.Copy(m); err != nil {
						return err
					}
				} else if err := z.put(w, z.entries[z.byName[m.Name]], "updating"); err != nil {
					return err
				}
			}
		}
		for _, e := range z.entries {
			if _, old := z.members[e.name]; old {
				continue
			}
			if err := z.put(w, e, "  adding"); err != nil {
				return err
			}
		}
		return nil
	})
	if !done {
		return
	}
	if z.flags['v'] {
		fmt.Fprintf(z.log, "total bytes=%d, compressed=%d -> %d%% savings\n", z.in, z.size, share(z.in, z.size))
	}
	if z.flags['T'] {
		fmt.Fprintf(z.log, "test of %s OK\n", z.archive)
	}
	if z.flags['m'] {
		for _, e := range slices.Backward(z.entries) {
			if e.path != "" {
				z.env.Remove(e.path)
			}
		}
	}
}

// delete takes members out.
func (z *zipper) delete() {
	if z.old == nil {
		z.nothing()
		return
	}
	gone := map[string]bool{}
	for _, p := range z.files {
		found := false
		for _, m := range z.old.File {
			if glob.Match(p, m.Name, false) && !matchAny(z.exclude, m.Name) {
				gone[m.Name], found = true, true
			}
		}
		if !found {
			z.warn("name not matched: %s", p)
		}
	}
	if len(gone) == 0 {
		z.nothing()
		return
	}
	z.write(func(w *zip.Writer) error {
		for _, m := range z.old.File {
			if gone[m.Name] {
				if !z.flags['q'] {
					fmt.Fprintf(z.log, "deleting: %s\n", m.Name)
				}
				continue
			}
			if err := w.Copy(m); err != nil {
				return err
			}
		}
		if len(gone) == len(z.old.File) {
			z.warn("zip file empty")
		}
		return nil
	})
}
