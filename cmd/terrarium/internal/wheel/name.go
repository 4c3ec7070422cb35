package wheel

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	pep440 "github.com/aquasecurity/go-pep440-version"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/plugin"
)

// Bounds of texts, in bytes.
const (
	maxName    = 100
	maxVersion = 64
	maxFile    = 255
	maxSpec    = 500
)

var (
	nameOf     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$`) })
	separators = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[-_.]+`) })
)

// Normalize returns the one way to write a package's name. The error is that it is
// none.
//
// https://packaging.python.org/en/latest/specifications/name-normalization/
func Normalize(name string) (string, error) {
	if len(name) > maxName || !nameOf().MatchString(name) {
		return "", fmt.Errorf("%s: not the name of a package", plugin.Printable(name))
	}
	return strings.ToLower(separators().ReplaceAllString(name, "-")), nil
}

// parseVersion reads a version.
//
// https://packaging.python.org/en/latest/specifications/version-specifiers/
func parseVersion(text string) (pep440.Version, error) {
	if len(text) > maxVersion {
		return pep440.Version{}, fmt.Errorf("%s: not a version", plugin.Printable(text))
	}
	v, err := pep440.Parse(text)
	if err != nil {
		return v, fmt.Errorf("%s: not a version", plugin.Printable(text))
	}
	return v, nil
}

// parseSpec reads what versions have to be, such as ">=1.2,<2". All are, if it is
// empty. Versions before a release count as others do.
func parseSpec(text string) (func(pep440.Version) bool, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return func(pep440.Version) bool { return true }, nil
	}
	text = strings.Trim(text, ", ")
	if len(text) > maxSpec || strings.ContainsAny(text, "|") {
		return nil, fmt.Errorf("%s: not what a version can be", plugin.Printable(text))
	}
	s, err := pep440.NewSpecifiers(text, pep440.WithPreRelease(true))
	if err != nil {
		return nil, fmt.Errorf("%s: not what a version can be", plugin.Printable(text))
	}
	return s.Check, nil
}

// parseFile reads the name of a wheel's file, NAME-VERSION[-BUILD]-PYTHON-ABI-PLATFORM.whl.
// pure is that it has nothing but Python of version 3; ok, that it is a wheel.
//
// https://packaging.python.org/en/latest/specifications/binary-distribution-format/
func parseFile(file string) (name, version string, pure, ok bool) {
	stem, ok := strings.CutSuffix(file, ".whl")
	parts := strings.Split(stem, "-")
	if !ok || len(file) > maxFile || len(parts) < 5 || len(parts) > 6 {
		return "", "", false, false
	}
	name, err := Normalize(parts[0])
	if err != nil {
		return "", "", false, false
	}
	tags := parts[len(parts)-3:]
	for python := range strings.SplitSeq(tags[0], ".") {
		if python == "py3" {
			pure = tags[1] == "none" && tags[2] == "any"
		}
	}
	return name, parts[1], pure, true
}
