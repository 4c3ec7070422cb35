package plugin

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/terrarium-dev/terrarium/plugins"
)

// A Manifest says what a module does not. All of it is optional.
type Manifest struct {
	// Name is the command's; without, it is that of the file.
	Name string `json:"name,omitempty"`
	// Aliases are other names, where no command has them for its own.
	Aliases []string `json:"aliases,omitempty"`
	// Box are names by which the box answers for the plugin: it starts what the
	// plugin's own commands can't. They are of plugins.Optional.
	Box []string `json:"box,omitempty"`
	// Memory is how much it wants, in bytes.
	Memory int64 `json:"memory,omitempty"`
	// Needs are for people: variables to set, files to mount.
	Needs []string `json:"needs,omitempty"`
	// Env are variables as NAME=value, which all commands of the sandbox get.
	Env         []string `json:"env,omitempty"`
	Description string   `json:"description,omitempty"`
	Version     string   `json:"version,omitempty"`
	// Files is a directory beside the manifest, with files that commands read at At,
	// a path in the sandbox: a library, say.
	Files string `json:"files,omitempty"`
	At    string `json:"at,omitempty"`
	// SHA256 is the module's sum, in hexadecimal: Install writes it, and another
	// module is refused. Without, any is accepted.
	SHA256 string `json:"sha256,omitempty"`
	// Source says where a plugin of an index came from, and Download is the sum
	// of what was downloaded.
	Source   string `json:"source,omitempty"`
	Download string `json:"download,omitempty"`
}

// What a manifest may have.
const (
	maxManifest = 64 << 10 // bytes
	maxList     = 16       // aliases, needs, and variables
	maxText     = 500      // bytes of a description or need
	maxVersion  = 64       // bytes
	maxMemory   = 4<<30 - 64<<10
)

// parse reads a manifest.
func parse(b []byte) (m Manifest, err error) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields() // a slip in a name would be lost
	if err := d.Decode(&m); err != nil {
		return Manifest{}, errors.New("not a manifest: " + Printable(strings.TrimPrefix(err.Error(), "json: ")))
	}
	if _, err := d.Token(); err != io.EOF {
		return Manifest{}, errors.New("not a manifest: there is more after its end")
	}
	return m, m.Check()
}

// Names returns all names that the plugin answers to, its own first.
func (m Manifest) Names() []string {
	names := []string{m.Name}
	for _, name := range slices.Concat(m.Aliases, m.Box) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// Check says what is out of bounds.
func (m Manifest) Check() error {
	if m.Name != "" {
		if err := CheckName(m.Name); err != nil {
			return fmt.Errorf("name %w", err)
		}
	}
	if len(m.Aliases) > maxList || len(m.Needs) > maxList {
		return fmt.Errorf("more than %d aliases or needs", maxList)
	}
	if len(m.Env) > maxList {
		return fmt.Errorf("more than %d variables", maxList)
	}
	for _, a := range m.Aliases {
		if err := CheckName(a); err != nil {
			return fmt.Errorf("alias %w", err)
		}
	}
	for _, name := range m.Box {
		if !slices.Contains(plugins.Optional, name) {
			return fmt.Errorf("box %s: the box has no such command for a plugin", Printable(name))
		}
	}
	if m.Memory < 0 || m.Memory > maxMemory {
		return fmt.Errorf("memory %d: out of range: at most %d bytes", m.Memory, int64(maxMemory))
	}
	for _, n := range m.Needs {
		if err := checkText("needs", n, maxText); err != nil {
			return err
		}
	}
	for _, kv := range m.Env {
		if err := checkVariable(kv); err != nil {
			return fmt.Errorf("env: %w", err)
		}
	}
	if err := m.checkFiles(); err != nil {
		return err
	}
	if err := checkSum("sha256", m.SHA256); err != nil {
		return err
	}
	if err := checkSum("download", m.Download); err != nil {
		return err
	}
	if err := checkText("source", m.Source, maxText); err != nil {
		return err
	}
	if err := checkText("version", m.Version, maxVersion); err != nil {
		return err
	}
	return checkText("description", m.Description, maxText)
}

func checkText(field, text string, most int) error {
	switch {
	case len(text) > most:
		return fmt.Errorf("%s: %d bytes: at most %d", field, len(text), most)
	case strings.ContainsFunc(text, Unprintable):
		return fmt.Errorf("%s: has a character that can't be shown", field)
	}
	return nil
}

// checkSum says why text is neither a sum nor empty.
func checkSum(field, text string) error {
	if sum, err := hex.DecodeString(text); err != nil || len(sum) != 0 && len(sum) != sha256.Size {
		return fmt.Errorf("%s %s: want 64 hexadecimal digits", field, Printable(text))
	}
	return nil
}

// sandboxOwn are variables that the sandbox sets, or that say how it works.
var sandboxOwn = []string{"HOME", "LANG", "PATH", "PWD", "TERM", "TMPDIR"}

var variableName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`) })

// checkVariable says why kv is no variable that a plugin may set.
func checkVariable(kv string) error {
	name, value, ok := strings.Cut(kv, "=")
	switch {
	case !ok || !variableName().MatchString(name):
		return fmt.Errorf("%s: want NAME=value", Printable(kv))
	case slices.Contains(sandboxOwn, name):
		return fmt.Errorf("%s is the sandbox's own", name)
	}
	return checkText(name, value, maxText)
}

// Unprintable reports whether r is nothing to show on a terminal.
func Unprintable(r rune) bool { return r == unicode.ReplacementChar || !unicode.IsPrint(r) }
