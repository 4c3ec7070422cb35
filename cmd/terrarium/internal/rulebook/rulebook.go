package rulebook

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/terrarium-dev/terrarium/core"
	"github.com/terrarium-dev/terrarium/core/policy"
)

// Managed is the file of whoever runs the machine. It is always in force.
const Managed = "/etc/terrarium/policy.toml"

// ProjectFile is where a directory that a session hands over has its file.
const ProjectFile = ".terrarium/policy.toml"

// UserFile returns the user's file, which need not be there: terrarium/policy.toml in what
// os.UserConfigDir names.
func UserFile() (string, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("no place for the user's policy file: %w: set HOME", err)
	}
	return filepath.Join(dir, "terrarium", "policy.toml"), nil
}

// A Config says which files hold. The zero value is right for commands of this machine.
type Config struct {
	// Managed is read instead of the constant of that name, if not empty.
	Managed string
	// File is read and written instead of the user's file, if not empty. Other than that one it
	// has to be there: it is --policy's.
	File string
	// Path is the PATH of commands that are given none of their own. If empty, it is ours.
	Path string
	// Guests: commands are those of a sandbox, which are not looked up in a PATH of this machine,
	// and whose directory is none of it.
	Guests bool
	// Place is where commands run if that is not here, as the trusted places of files name it. They
	// are not looked up here either, and what Exec.Sandbox says is a claim: it counts only where
	// the user's file or a managed one trusts the place.
	Place string
	// Default is what becomes of a command where there is neither a managed nor a user's file.
	// Zero is policy.Allow.
	Default policy.Decision
	// Starter, if set, is a policy file that holds in place of the user's where there is neither
	// that nor a managed one. A user's file that Add makes then begins with it, or the first rule
	// would end what has held.
	Starter []byte
	// Warn, if set, is told of a file that can't be used when a command is denied for it: once for
	// each that is wrong in another way, of the first ones. It may be called by several goroutines.
	Warn func(error)
}

// A Book is a set of policy files. Any number of goroutines may use it.
type Book struct {
	config        Config
	managed, user *source
	noUser        error // why there is no user's file to write to
	starter       *policy.File

	mu       sync.Mutex         // guards what is below
	projects map[string]*source // by path
	policies map[string]*compiled
	lookups  map[string]*lookup
	warned   map[string]bool // what Config.Warn was told
}

// maxKept is how many project files, policies made of files, and lookups are kept in memory.
const maxKept = 64

// A compiled is a policy with the files that it was made of.
type compiled struct {
	files  []*policy.File
	policy *policy.Policy
}

// Open reads the managed and the user's file. An error says which of them is wrong, and where.
func Open(c Config) (*Book, error) {
	if c.Managed == "" {
		c.Managed = Managed
	}
	if c.Default == 0 {
		c.Default = policy.Allow
	}
	b := &Book{
		config: c, managed: &source{name: c.Managed, layer: policy.Managed},
		projects: map[string]*source{}, policies: map[string]*compiled{}, lookups: map[string]*lookup{},
		warned: map[string]bool{},
	}
	file := c.File
	if file == "" {
		file, b.noUser = UserFile()
	}
	if b.noUser == nil {
		abs, err := filepath.Abs(file)
		if err != nil {
			return nil, err
		}
		b.user = &source{name: abs, layer: policy.User}
	}
	if c.Starter != nil {
		var err error
		if b.starter, err = policy.Parse("starter policy", c.Starter, policy.User); err != nil {
			return nil, err
		}
	}
	for _, s := range b.own() {
		f, err := s.file()
		if s == b.user && c.File == "" && errors.Is(err, fs.ErrPermission) {
			err = fmt.Errorf("%w: set HOME to a directory that you may read", err)
		}
		if err == nil && f == nil && s == b.user && c.File != "" {
			err = &fs.PathError{Op: "policy", Path: s.name, Err: fs.ErrNotExist}
		}
		if err != nil {
			return nil, err
		}
	}
	return b, nil
}

// own are the sources that are no project's.
func (b *Book) own() []*source {
	if b.user == nil {
		return []*source{b.managed}
	}
	return []*source{b.managed, b.user}
}

// None reports whether there is neither a managed nor a user's file. Config.Starter then holds, or
// Config.Default is what becomes of a command, but for what a project's file tightens.
func (b *Book) None() bool {
	for _, s := range b.own() {
		if f, err := s.file(); f != nil || err != nil {
			return false
		}
	}
	return true
}

// Decide says what becomes of a command, by the files as they are now, and by more, which hold for
// this command beside them. e is not kept or changed.
func (b *Book) Decide(e *core.Exec, more ...*policy.File) policy.Verdict {
	var files []*policy.File
	var wrong error
	note := func(f *policy.File, err error) {
		if err != nil && wrong == nil {
			wrong = err
		}
		if f != nil {
			files = append(files, f)
		}
	}
	for _, s := range b.own() {
		note(s.file())
	}
	switch {
	case len(files) > 0:
	case b.starter != nil:
		files = append(files, b.starter)
	default:
		files = append(files, &policy.File{Name: "no policy file", Layer: policy.User, Default: b.config.Default})
	}
	files = append(files, more...)
	for _, s := range b.projectsOf(e) {
		note(s.file())
	}
	if wrong == nil && len(files) == 1 && len(files[0].Rules) == 0 && files[0].Default == policy.Allow {
		return policy.Verdict{Decision: policy.Allow} // no rule could say anything else
	}
	v := b.policy(files).Decide(e, b.context(e, files))
	if wrong != nil {
		v.Decision, v.Rule, v.Always = policy.Deny, nil, nil
		v.Reason = "a policy file can't be used: " + wrong.Error()
		b.warn(wrong)
	}
	return v
}

// warn tells of a file that is wrong. Commands may write a project's: there is an end to it.
func (b *Book) warn(wrong error) {
	if b.config.Warn == nil {
		return
	}
	b.mu.Lock()
	known := b.warned[wrong.Error()] || len(b.warned) == maxKept
	if !known {
		b.warned[wrong.Error()] = true
	}
	b.mu.Unlock()
	if !known {
		b.config.Warn(fmt.Errorf("commands are denied: a policy file can't be used: %w", wrong))
	}
}

// projectsOf are the project files that e's session may have.
func (b *Book) projectsOf(e *core.Exec) []*source {
	roots := e.Command.Roots
	if len(roots) == 0 && !b.config.Guests && e.Command.Cwd != "" {
		roots = []string{e.Command.Cwd}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	var list []*source
	for _, root := range roots {
		name := filepath.Join(root, ProjectFile)
		s := b.projects[name]
		if s == nil {
			if len(b.projects) >= maxKept {
				clear(b.projects)
			}
			s = &source{name: name, layer: policy.Project}
			b.projects[name] = s
		}
		if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

// policy returns the policy of files, a new one if they are not those of last time.
func (b *Book) policy(files []*policy.File) *policy.Policy {
	var key strings.Builder
	for _, f := range files {
		key.WriteString(f.Name)
		key.WriteByte(0)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	known := b.policies[key.String()]
	if known != nil && slices.Equal(known.files, files) {
		return known.policy
	}
	p, err := policy.New(files...)
	if err != nil {
		panic(err) // only a file that is nil is an error
	}
	if len(b.policies) >= maxKept {
		clear(b.policies)
	}
	b.policies[key.String()] = &compiled{files, p}
	return p
}

// errGone is a file that was in force, and is no longer there. To go on without it would loosen
// what it has denied.
var errGone = errors.New("it was in force, and is gone")
