package plugin

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
)

// A Manifest says what a module does not. All of it is optional.
type Manifest struct {
	// Name is the command's; without, it is that of the file.
	Name string `json:"name,omitempty"`
	// Aliases are other names, where no command has them for its own.
	Aliases []string `json:"aliases,omitempty"`
	// Memory is how much it wants, in bytes.
	Memory int64 `json:"memory,omitempty"`
	// Needs are for people: variables to set, files to mount.
	Needs       []string `json:"needs,omitempty"`
	Description string   `json:"description,omitempty"`
	Version     string   `json:"version,omitempty"`
	// SHA256 is the module's sum, in hexadecimal: Install writes it, and another
	// module is refused. Without, any is accepted.
	SHA256 string `json:"sha256,omitempty"`
}

// What a manifest may have.
const (
	maxManifest = 64 << 10 // bytes
	maxList     = 16       // aliases, and needs
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
	for _, a := range m.Aliases {
		if err := CheckName(a); err != nil {
			return fmt.Errorf("alias %w", err)
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
	if sum, err := hex.DecodeString(m.SHA256); err != nil || len(sum) != 0 && len(sum) != sha256.Size {
		return fmt.Errorf("sha256 %s: want 64 hexadecimal digits", Printable(m.SHA256))
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
	case strings.ContainsFunc(text, unprintable):
		return fmt.Errorf("%s: has a character that can't be shown", field)
	}
	return nil
}

func unprintable(r rune) bool { return r == unicode.ReplacementChar || !unicode.IsPrint(r) }
