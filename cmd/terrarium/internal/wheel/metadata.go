package wheel

import (
	"errors"
	"fmt"
	"strings"
)

// What a wheel may say of itself.
const (
	maxMetadata = 1 << 20 // bytes, with what it says at length
	maxRequires = 500
)

// A Metadata is what a wheel says of itself.
type Metadata struct {
	Name, Version  string
	RequiresPython string
	Requires       []string // as they are written
	Licence        string
}

// parseMetadata reads the head of a METADATA.
//
// https://packaging.python.org/en/latest/specifications/core-metadata/
func parseMetadata(text string) (m Metadata, err error) {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if line == "" {
			break
		}
		key, value, ok := strings.Cut(line, ":")
		if !ok || strings.HasPrefix(line, " ") {
			continue // a line more of a value that we don't need
		}
		value = strings.TrimSpace(value)
		switch strings.ToLower(key) {
		case "name":
			m.Name, err = Normalize(value)
		case "version":
			m.Version = value
		case "requires-python":
			m.RequiresPython = value
		case "license-expression":
			m.Licence = value
		case "license":
			if m.Licence == "" {
				m.Licence = value
			}
		case "requires-dist":
			m.Requires = append(m.Requires, value)
			if len(m.Requires) > maxRequires {
				err = fmt.Errorf("needs more than %d packages", maxRequires)
			}
		}
		if err != nil {
			return m, err
		}
	}
	if m.Name == "" || m.Version == "" {
		return m, errors.New("its METADATA has no name or no version")
	}
	return m, nil
}
