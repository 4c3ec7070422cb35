package index

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"path"
	"regexp"
	"strings"
	"sync"

	"oras.land/oras-go/v2/registry"
)

// The schemes of sources.
const (
	NPM   = "npm"
	HTTPS = "https"
	OCI   = "oci"
	File  = "file"
)

// A Source is where a build is published.
type Source struct {
	Scheme  string
	Package string             // of NPM: "name", or "@scope/name"
	Version string             // of NPM
	URL     *url.URL           // of HTTPS
	Image   registry.Reference // of OCI: a registry, a name there, and a digest
	// where the file of File is, with slashes: relative to the index's directory, or absolute
	Path string
}

// maxSource is how long a source may be, in bytes.
const maxSource = 500

// npmSource is NAME@VERSION, with what npm allows in names today, and an exact
// version.
//
// https://docs.npmjs.com/cli/configuring-npm/package-json#name
var npmSource = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^((?:@[a-z0-9~-][a-z0-9._~-]*/)?[a-z0-9~-][a-z0-9._~-]*)@([0-9][0-9A-Za-z.+-]*)$`)
})

// ParseSource reads a source:
//
//	npm:@scope/name@1.2.3          a package of an npm registry, in this version
//	https://example.com/x.wasm     a module, or an archive .tgz or .tar.gz
//	oci:example.com/x@sha256:…     a layer of an artifact in a registry of
//	                               containers, whose manifest has that digest
//	file:x.wasm                    a file beside the index
func ParseSource(text string) (Source, error) {
	if err := checkText(text, maxSource); err != nil {
		return Source{}, err
	}
	scheme, rest, _ := strings.Cut(text, ":")
	switch scheme {
	case NPM:
		m := npmSource().FindStringSubmatch(rest)
		if m == nil {
			return Source{}, errors.New("want npm:NAME@VERSION, with an exact version")
		}
		return Source{Scheme: NPM, Package: m[1], Version: m[2]}, nil
	case "https", "http":
		u, err := ParseURL(text)
		return Source{Scheme: HTTPS, URL: u}, err
	case OCI:
		image, err := parseImage(rest)
		return Source{Scheme: OCI, Image: image}, err
	case File:
		if rest == "" || path.Clean(rest) != rest || strings.HasPrefix(rest, "//") {
			return Source{}, errors.New("want file:PATH, a clean path")
		}
		return Source{Scheme: File, Path: rest}, nil
	}
	return Source{}, errors.New("want npm:NAME@VERSION, https://…, oci:… or file:PATH")
}

// parseImage reads REGISTRY/NAME@sha256:DIGEST. A tag is refused: what it names changes.
func parseImage(text string) (registry.Reference, error) {
	image, err := registry.ParseReference(text)
	if err == nil {
		_, err = image.Digest()
	}
	if err != nil || image.String() != text || !strings.HasPrefix(image.Reference, "sha256:") {
		return registry.Reference{}, errors.New("want oci:REGISTRY/NAME@sha256:DIGEST, without a tag")
	}
	return image, CheckURL(RegistryURL(image))
}

// RegistryURL returns where an image's registry is asked: over https, or over http
// where it is this machine.
func RegistryURL(image registry.Reference) *url.URL {
	u := &url.URL{Scheme: "https", Host: image.Host()}
	if IsHere(u) {
		u.Scheme = "http"
	}
	return u
}

// IsArchive reports whether a source is an archive, which has the module among
// other files: a tar, packed by gzip.
func (s Source) IsArchive() bool {
	name := s.Path
	if s.URL != nil {
		name = s.URL.Path
	}
	return s.Scheme == NPM || strings.HasSuffix(name, ".tgz") || strings.HasSuffix(name, ".tar.gz")
}

// ParseURL reads an address that something is fetched from: https, or http where
// the server is this machine.
func ParseURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil {
		return nil, errors.New("not a URL")
	}
	return u, CheckURL(u)
}

// CheckURL says why nothing is fetched from u.
func CheckURL(u *url.URL) error {
	switch {
	case u.Host == "" || u.Opaque != "":
		return errors.New("not a URL with a host")
	case u.User != nil:
		return errors.New("a URL with a password in it")
	case u.Scheme == "http" && !IsHere(u):
		return fmt.Errorf("%s://: want https, or anybody on the way could read and change it", u.Scheme)
	case u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("%s://: want https", u.Scheme)
	}
	return nil
}

// IsHere reports whether u says by its name that the server is this machine.
func IsHere(u *url.URL) bool {
	host := u.Hostname()
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}
