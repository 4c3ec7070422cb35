package wheel

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	pep440 "github.com/aquasecurity/go-pep440-version"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/fetch"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/index"
	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/plugin"
)

// What an index may take.
const (
	maxPage    = 32 << 20 // bytes of what it says of one package: large ones have 10 MB
	maxWheel   = 64 << 20 // bytes of a wheel
	maxWheels  = 256 << 20
	simpleJSON = "application/vnd.pypi.simple.v1+json"
)

// A Wheel is a file that an index has of a package, with nothing but Python in it.
type Wheel struct {
	Name    string // of the package, normalized
	Version string
	File    string // its name
	SHA256  string
	URL     *url.URL
	Size    int64 // in bytes, once it was downloaded
	version pep440.Version
	python  func(pep440.Version) bool
}

// A Simple is a simple index: a server that says for each package which files there are.
// It downloads wheels to Dir, each once.
//
// https://packaging.python.org/en/latest/specifications/simple-repository-api/
type Simple struct {
	URL *url.URL
	Dir string
	// Downloading, if not nil, is told of a wheel, and how many bytes of it have come.
	Downloading func(file string, n int64)

	came  int64 // bytes of wheels, at most maxWheels
	pages map[string]*page
}

// A page is what an index has of a package.
type page struct {
	wheels []Wheel
	others int // files that are not nothing but Python
}

// page returns what the index has of a package.
func (s *Simple) page(ctx context.Context, name string) (*page, error) {
	if p := s.pages[name]; p != nil {
		return p, nil
	}
	u := *s.URL
	u.Path = strings.TrimSuffix(u.Path, "/") + "/" + name + "/"
	b, at, err := fetch.Accept(ctx, &u, simpleJSON, maxPage)
	if errors.Is(err, fetch.ErrNotFound) {
		return nil, fmt.Errorf("%s: no package of that name was found: %w", name, err)
	}
	if err != nil {
		return nil, err
	}
	p, err := parsePage(name, b, at)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", plugin.Printable(at.String()), err)
	}
	if s.pages == nil {
		s.pages = make(map[string]*page)
	}
	s.pages[name] = p
	return p, nil
}

// parsePage reads an answer that came from at. Files that we can't use count only.
func parsePage(name string, b []byte, at *url.URL) (*page, error) {
	var answer struct {
		Meta struct {
			Version string `json:"api-version"`
		} `json:"meta"`
		Files []struct {
			Filename       string            `json:"filename"`
			URL            string            `json:"url"`
			Hashes         map[string]string `json:"hashes"`
			RequiresPython string            `json:"requires-python"`
			Yanked         any               `json:"yanked"`
		} `json:"files"`
	}
	if err := json.Unmarshal(b, &answer); err != nil {
		return nil, errors.New("not the JSON of a simple index")
	}
	if !strings.HasPrefix(answer.Meta.Version, "1.") {
		return nil, fmt.Errorf("a simple index of version %s: want 1", plugin.Printable(answer.Meta.Version))
	}
	p := &page{}
	for _, f := range answer.Files {
		of, version, pure, ok := parseFile(f.Filename)
		v, err := parseVersion(version)
		python, wrong := parseSpec(f.RequiresPython)
		yanked := f.Yanked != nil && f.Yanked != false
		if !ok || !pure || of != name || err != nil || wrong != nil || yanked {
			p.others++
			continue
		}
		sum := f.Hashes["sha256"]
		if b, err := hex.DecodeString(sum); err != nil || len(b) != 32 {
			return nil, fmt.Errorf("%s: has no sha256, and is not believed without", plugin.Printable(f.Filename))
		}
		u, err := at.Parse(f.URL)
		if err != nil {
			return nil, fmt.Errorf("%s: not a URL", plugin.Printable(f.Filename))
		}
		p.wheels = append(p.wheels, Wheel{
			Name: name, Version: v.String(), File: f.Filename, SHA256: strings.ToLower(sum), URL: u, version: v, python: python,
		})
	}
	return p, nil
}

// open downloads a wheel, unless it is there, and returns it.
func (s *Simple) open(ctx context.Context, w *Wheel) (*archive, error) {
	name := filepath.Join(s.Dir, w.SHA256+".whl")
	if info, err := os.Stat(name); err == nil {
		w.Size = info.Size()
		return openArchive(name)
	}
	if err := index.CheckURL(w.URL); err != nil {
		return nil, fmt.Errorf("%s: %w", plugin.Printable(w.URL.Redacted()), err)
	}
	if index.IsHere(w.URL) && !index.IsHere(s.URL) {
		return nil, errors.New("an index elsewhere sends us to this machine")
	}
	part := name + ".part"
	f, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	n, err := fetch.Sum(ctx, w.URL, w.SHA256, min(maxWheel, maxWheels-s.came), f, func(n int64) {
		if s.Downloading != nil {
			s.Downloading(w.File, n)
		}
	})
	s.came += n
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	w.Size = n
	if err := os.Rename(part, name); err != nil {
		return nil, err
	}
	return openArchive(name)
}
