package index

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/plugin"
)

// Bounds of an index.
const (
	MaxBytes   = 1 << 20
	maxEntries = 1000
)

// format is the version of the format that Parse knows.
const format = 1

// An Index is a list of plugins that can be had.
type Index struct {
	Dir     string // see Parse
	Entries []Entry
	names   map[string]*Entry // by name and alias
}

// Find returns the entry that answers to a name, or nil.
func (x *Index) Find(name string) *Entry { return x.names[name] }

// Names returns all names that an entry answers to.
func (x *Index) Names() []string {
	var names []string
	for _, e := range x.Entries {
		names = append(names, e.Manifest().Names()...)
	}
	return names
}

// Search returns the entries that have word in a name, or in the description,
// in capital letters or not. An empty word is in all of them.
func (x *Index) Search(word string) []*Entry {
	word = strings.ToLower(word)
	var found []*Entry
	for i := range x.Entries {
		e := &x.Entries[i]
		text := strings.Join(append(e.Manifest().Names(), e.Description), "\n")
		if strings.Contains(strings.ToLower(text), word) {
			found = append(found, e)
		}
	}
	return found
}

// An Error says where an index is wrong.
type Error struct {
	File  string
	Line  int    // from 1; 0 if the index as a whole is wrong
	Entry string // its name, if it is about one that has one
	Err   error
}

func (e *Error) Error() string {
	at := plugin.Printable(e.File)
	if e.Line > 0 {
		at = fmt.Sprintf("%s:%d", at, e.Line)
	}
	if e.Entry != "" {
		at += ": plugin " + plugin.Printable(e.Entry)
	}
	return at + ": " + e.Err.Error()
}

func (e *Error) Unwrap() error { return e.Err }

// A file is what an index holds.
type file struct {
	Format  int     `toml:"format"`
	Plugins []Entry `toml:"plugin"`
}

// Parse reads an index, which is TOML. name is what errors call it, and dir the
// directory of the files that it names; if that is empty, it must name none.
// An index with an error is refused whole, with an *Error. data is not kept.
//
//	format = 1
//
//	[[plugin]]
//	name = "python"
//	aliases = ["python3"]            # may be left out, as may module to needs
//	version = "3.12.0"
//	description = "CPython"
//	licence = "PSF-2.0"
//	source = "npm:python-wasi@3.12.0"
//	sha256 = "…"                     # of what is downloaded
//	size = 11863708                  # of it, in bytes
//	module = "package/python.wasm"   # in it, if it is an archive
//	files = "package/library.tar"    # in it, of files that it needs
//	at = "/usr"                      # where commands read them
//	box = ["cc"]                     # names by which our box answers for it
//	memory = 536870912               # in bytes
//	env = ["PYTHONDONTWRITEBYTECODE=1"]
//	needs = ["pure Python only"]     # for people
//	smoke = ["-c", "print(6*7)"]     # arguments, after which it must write
//	answer = "42"                    # this, among others, and exit with 0
func Parse(name string, data []byte, dir string) (*Index, error) {
	if len(data) > MaxBytes {
		return nil, &Error{File: name, Err: fmt.Errorf("longer than %d bytes", MaxBytes)}
	}
	if err := checkShape(data); err != nil {
		err.File = name
		return nil, err
	}
	var in file
	if err := toml.Unmarshal(data, &in); err != nil {
		return nil, decodeError(name, data, err)
	}
	at := findLines(data)
	if in.Format != format {
		return nil, &Error{File: name, Line: at.line(-1, "format"), Err: fmt.Errorf("format %d: want format = %d", in.Format, format)}
	}
	x := &Index{Dir: dir, Entries: in.Plugins, names: make(map[string]*Entry)}
	for i := range x.Entries {
		e := &x.Entries[i]
		key, err := e.check(dir)
		if err != nil && key != "" {
			err = fmt.Errorf("%s: %w", key, err)
		}
		if err == nil {
			key, err = x.claim(e)
		}
		if err != nil {
			return nil, &Error{File: name, Line: at.line(i, key), Entry: e.Name, Err: err}
		}
	}
	return x, nil
}

// claim gives an entry its names.
func (x *Index) claim(e *Entry) (key string, err error) {
	for i, name := range slices.Concat([]string{e.Name}, e.Aliases, e.Box) {
		switch {
		case i == 0:
			key = "name"
		case i <= len(e.Aliases):
			key = "aliases"
		default:
			key = "box"
		}
		if other := x.names[name]; other != nil && (other != e || key != "box") {
			return key, fmt.Errorf("%s: %s: another plugin answers to it", key, name)
		}
		x.names[name] = e
	}
	return "", nil
}

// decodeError says what a person has to write instead of what err, of the
// decoder, is about.
func decodeError(name string, data []byte, err error) error {
	out := &Error{File: name, Err: errors.New(plugin.Printable(strings.TrimPrefix(err.Error(), "toml: ")))}
	var at *toml.DecodeError
	if !errors.As(err, &at) {
		return out
	}
	out.Line, _ = at.Position()
	path := at.Key()
	switch {
	case len(path) == 0:
	case toml.Unmarshal(data, &map[string]any{}) == nil: // it is TOML
		out.Err = fmt.Errorf("%s: want %s", path[len(path)-1], wanted(path[len(path)-1]))
	}
	return out
}

// wanted says what kind of value a key has.
func wanted(key string) string {
	switch key {
	case "plugin":
		return "[[plugin]], with two brackets on each side"
	case "format", "size", "memory":
		return "a whole number"
	case "aliases", "box", "env", "needs", "smoke":
		return "a list of texts in quotes"
	}
	return "text in quotes"
}

// lines are where the keys of an index stand, from 1: of each plugin, by name,
// and "" for its head.
type lines map[int]map[string]int

// top has the keys before all plugins.
const top = -1

// line returns where a plugin's key stands, or else its head.
func (l lines) line(plugin int, key string) int {
	if line, ok := l[plugin][key]; ok {
		return line
	}
	return l[plugin][""]
}

// findLines reads data, which is known to be good TOML.
func findLines(data []byte) lines {
	found := lines{top: {}}
	n := top           // of the plugin whose keys come
	line, done := 1, 0 // the line at data[done]
	p := unstable.Parser{}
	p.Reset(data)
	for p.NextExpression() {
		e := p.Expression()
		key := e.Key()
		if !key.Next() {
			continue
		}
		offset := int(key.Node().Raw.Offset)
		line, done = line+bytes.Count(data[done:offset], []byte("\n")), offset
		switch {
		case e.Kind != unstable.KeyValue && string(key.Node().Data) == "plugin":
			n++
			found[n] = map[string]int{"": line}
		case e.Kind == unstable.KeyValue:
			found[n][string(key.Node().Data)] = line
		}
	}
	return found
}
