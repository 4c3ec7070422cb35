package fetch

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/terrarium-dev/terrarium/cmd/terrarium/internal/index"
)

// defaultRegistry is npm's own.
const defaultRegistry = "https://registry.npmjs.org/"

// maxConfig is how long a file of npm's settings may be, in bytes.
const maxConfig = 64 << 10

// npmConfig is what this user has set npm to: npm_config_* in the environment,
// and the user's .npmrc. A project's .npmrc counts for nothing here: what lies in
// a directory that an agent works in must not choose a server.
//
// https://docs.npmjs.com/cli/configuring-npm/npmrc
type npmConfig map[string]string

// readNPMConfig returns what is set. A file that is not there sets nothing.
func readNPMConfig() (npmConfig, error) {
	c := make(npmConfig)
	file := os.Getenv("NPM_CONFIG_USERCONFIG")
	if file == "" {
		file = os.Getenv("npm_config_userconfig")
	}
	if file == "" {
		if home, err := os.UserHomeDir(); err == nil {
			file = filepath.Join(home, ".npmrc")
		}
	}
	if b, err := readConfig(file); err == nil {
		c.parse(b)
	} else if !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("npm's settings: %w", err)
	}
	for _, kv := range os.Environ() {
		name, value, _ := strings.Cut(kv, "=")
		const prefix = "npm_config_"
		if len(name) > len(prefix) && strings.EqualFold(name[:len(prefix)], prefix) && value != "" {
			c[name[len(prefix):]] = value
		}
	}
	if value := c["REGISTRY"]; value != "" {
		c["registry"] = value
	}
	return c, nil
}

func readConfig(file string) ([]byte, error) {
	info, err := os.Stat(file) // first: to open a FIFO would wait for a writer
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: not a regular file", file)
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxConfig+1))
	if err == nil && len(b) > maxConfig {
		err = fmt.Errorf("%s: more than %d bytes", file, maxConfig)
	}
	return b, err
}

// parse reads lines of NAME = VALUE, in which ${VARIABLE} stands for one of the
// environment.
func (c npmConfig) parse(b []byte) {
	for lines := bufio.NewScanner(bytes.NewReader(b)); lines.Scan(); {
		line := strings.TrimSpace(lines.Text())
		if strings.HasPrefix(line, ";") || strings.HasPrefix(line, "#") {
			continue
		}
		if name, value, ok := strings.Cut(line, "="); ok {
			value = strings.Trim(strings.TrimSpace(value), `"'`)
			c[strings.TrimSpace(name)] = expand(value)
		}
	}
}

// expand puts variables of the environment in. One that is not set stays.
func expand(value string) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(value, "${")
		name, after, closed := strings.Cut(rest, "}")
		b.WriteString(before)
		switch set, found := os.LookupEnv(name); {
		case !ok:
			return b.String()
		case !closed:
			return b.String() + "${" + rest
		case found:
			b.WriteString(set)
		default:
			b.WriteString("${" + name + "}")
		}
		value = after
	}
}

// tarball returns where a package's archive is, and the token for its registry,
// if there is one. Where registries keep archives is a custom that all of them
// that we know follow, and npm's lock files depend on.
func (c npmConfig) tarball(s index.Source) (u *url.URL, token string, err error) {
	base := defaultRegistry
	if set := c["registry"]; set != "" {
		base = set
	}
	if scope, _, ok := strings.Cut(s.Package, "/"); ok && c[scope+":registry"] != "" {
		base = c[scope+":registry"]
	}
	u, err = index.ParseURL(base)
	if err != nil {
		return nil, "", fmt.Errorf("npm's registry %s: %w", base, err)
	}
	u.Path = strings.TrimSuffix(u.Path, "/") + "/"
	token = c["//"+u.Host+u.Path+":_authToken"]
	u.Path += s.Package + "/-/" + path.Base(s.Package) + "-" + s.Version + ".tgz"
	return u, token, nil
}
