package workspace

import (
	"bufio"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// What each side keeps is in folders of its own below home: commands in a sandbox have no access to
// what is in terrarium, and shall have some to workspaces.
const (
	nearFolder = "terrarium/workspaces"
	farFolder  = "terrarium-workspaces"
)

// home returns a folder in the directory of programs' state, as the XDG base directory
// specification has it. It is no cache, which anybody may empty: what was changed over there is in
// it.
func home(folder string) (string, error) {
	base := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(base) {
		user, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("no folder for workspaces: %w: set XDG_STATE_HOME", err)
		}
		base = filepath.Join(user, ".local", "state")
	}
	return filepath.Join(base, folder), nil
}

// A State is what the near side remembers of a workspace.
type State struct {
	Dir   string  // its directory here, absolute
	Place string  // where it was handed over to
	ID    string  // what it is called there: random, in small letters and digits
	Base  Listing // what was handed over last
	Fresh bool    // it was not handed over yet

	file string
}

// maxHead is how long the first line of a state's file may be, in bytes.
const maxHead = 64 << 10

// stateHead is the first line of a state's file, which the listing follows.
type stateHead struct {
	Version int    `json:"version"`
	Dir     string `json:"dir"`
	Place   string `json:"place"`
	ID      string `json:"id"`
}

// LoadState returns what is known of a directory at a place. lockDir is a directory to lock while
// it is used and changed.
func LoadState(dir, place string) (s *State, lockDir string, err error) {
	if lockDir, err = nearDir(dir, place); err != nil {
		return nil, "", err
	}
	if err := os.MkdirAll(lockDir, 0o700); err != nil {
		return nil, "", err
	}
	s = &State{Dir: dir, Place: place, file: filepath.Join(lockDir, stateFile)}
	return s, lockDir, nil
}

// nearDir returns where the state of a directory at a place is.
func nearDir(dir, place string) (string, error) {
	base, err := home(nearFolder)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(dir + "\x00" + place))
	return filepath.Join(base, "near-"+hex.EncodeToString(sum[:16])), nil
}

// stateFile is what a state is called there.
const stateFile = "state"

// Above returns the nearest directory that dir is in and that was handed over to a place, or "".
// dir is absolute.
func Above(dir, place string) string {
	for up := filepath.Dir(dir); up != dir; dir, up = up, filepath.Dir(up) {
		near, err := nearDir(up, place)
		if err != nil {
			return ""
		}
		if _, err := os.Stat(filepath.Join(near, stateFile)); err == nil {
			return up
		}
	}
	return ""
}

// maxPlaces is how many states Places looks at.
const maxPlaces = 1000

// Places returns where dir was handed over to, as far as that is known. dir is absolute.
func Places(dir string) (places []string) {
	base, err := home(nearFolder)
	if err != nil {
		return nil
	}
	root, err := os.OpenRoot(base)
	if err != nil {
		return nil
	}
	defer root.Close()
	entries, _ := os.ReadDir(base)
	for _, e := range entries[:min(len(entries), maxPlaces)] {
		f, err := openFile(root, filepath.Join(e.Name(), stateFile))
		if err != nil {
			continue
		}
		var head stateHead
		line, err := bufio.NewReaderSize(f, maxHead).ReadSlice('\n')
		f.Close()
		if err == nil && json.Unmarshal(line, &head) == nil && head.Dir == dir {
			places = append(places, head.Place)
		}
	}
	slices.Sort(places)
	return places
}

// Read reads the state, under the lock. There is none yet, it is made up.
func (s *State) Read() error {
	root, err := os.OpenRoot(filepath.Dir(s.file))
	if err != nil {
		return err
	}
	defer root.Close()
	f, err := openFile(root, stateFile)
	if errors.Is(err, fs.ErrNotExist) {
		s.ID, s.Base, s.Fresh = strings.ToLower(rand.Text()), make(Listing), true
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, maxHead)
	line, err := r.ReadSlice('\n')
	var head stateHead
	if err == nil {
		err = json.Unmarshal(line, &head)
	}
	if err == nil && (head.Version != 1 || head.Dir != s.Dir || head.Place != s.Place || !isWorkspaceID(head.ID)) {
		err = errors.New("it is of another version or directory")
	}
	if err == nil {
		s.ID = head.ID
		s.Base, err = ReadListing(r)
	}
	if err != nil {
		return fmt.Errorf("%s: %w: remove it to begin anew", s.file, err)
	}
	return nil
}

// Save keeps the state.
func (s *State) Save() error {
	f, err := os.CreateTemp(filepath.Dir(s.file), "new-")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	line, err := json.Marshal(stateHead{1, s.Dir, s.Place, s.ID})
	if err == nil {
		_, err = f.Write(append(line, '\n'))
	}
	if err == nil {
		err = s.Base.Write(f)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), s.file)
}

// Forget removes the state.
func (s *State) Forget() error { return os.RemoveAll(filepath.Dir(s.file)) }

// isWorkspaceID reports whether s may be the name of a workspace.
func isWorkspaceID(s string) bool {
	return 16 <= len(s) && len(s) <= 64 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789") == ""
}
