package wheel

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	pep440 "github.com/aquasecurity/go-pep440-version"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/plugin"
)

// A Requirement is a package that somebody wants, in certain versions.
type Requirement struct {
	Name   string // normalized
	Spec   string // such as ">=1.2,<2", or empty
	Marker string // when it counts, or empty: always
	fits   func(pep440.Version) bool
}

// requirement is NAME [EXTRAS] (SPEC) ; MARKER, where SPEC may be without brackets.
var requirement = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([A-Za-z0-9][A-Za-z0-9._-]*)\s*(\[[^\]]*\])?\s*(?:\(([^()]*)\)|([^();@]*))\s*(@[^;]*)?(?:;(.*))?$`)
})

// maxRequirement is how long a requirement may be, in bytes.
const maxRequirement = 2000

// ParseRequirement reads one, such as "pluggy>=1.5,<2; python_version < '4'". One of
// extras, or of an address, is refused.
//
// https://packaging.python.org/en/latest/specifications/dependency-specifiers/
func ParseRequirement(text string) (r Requirement, err error) {
	m := requirement().FindStringSubmatch(strings.TrimSpace(text))
	if m == nil || len(text) > maxRequirement {
		return r, fmt.Errorf("%s: want NAME, or NAME==VERSION", plugin.Printable(text))
	}
	if r.Name, err = Normalize(m[1]); err != nil {
		return r, err
	}
	switch {
	case strings.Trim(m[2], "[] ") != "":
		return r, fmt.Errorf("%s: extras are not known here: name the packages that they stand for", plugin.Printable(text))
	case m[5] != "":
		return r, fmt.Errorf("%s: packages come from an index, and not from addresses", plugin.Printable(text))
	}
	r.Spec, r.Marker = strings.TrimSpace(m[3]+m[4]), strings.TrimSpace(m[6])
	if r.fits, err = parseSpec(r.Spec); err != nil {
		return r, fmt.Errorf("%s: %w", r.Name, err)
	}
	return r, nil
}

// String returns a requirement without its marker.
func (r Requirement) String() string { return r.Name + r.Spec }
