package rulebook

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/terrarium-dev/terrarium/core/policy"
)

// Add appends rules to the user's file, or to Config.File, and returns which file that is. What is
// there stays as it is, comments too. A rule that the file has already is left out, and an id that
// it has gets a number. The rules hold for this Book from now on.
//
// The file is made if it is not there, for this user alone. A file that is wrong is not touched.
// Other processes may add at the same time. Where the file is a symbolic link, as those who keep
// their settings in a repository have it, what it leads to is changed and the link stays.
func (b *Book) Add(rules []*policy.Rule) (file string, err error) {
	if b.user == nil {
		return "", b.noUser
	}
	name := b.user.name
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return "", named(filepath.Dir(name), err)
	}
	target, err := targetOf(name)
	if err != nil {
		return "", named(name, err)
	}
	unlock, err := lock(target + ".lock")
	if err != nil {
		return "", named(target+".lock", err)
	}
	defer unlock()
	if err := b.add(target, rules); err != nil {
		return "", err
	}
	_, err = b.user.file()
	return name, err
}

// targetOf follows symbolic links. A link that leads nowhere is an error: what should be there is
// perhaps not mounted.
func targetOf(name string) (string, error) {
	to, err := filepath.EvalSymlinks(name)
	if err == nil {
		return to, nil
	}
	if info, statErr := os.Lstat(name); statErr == nil && info.Mode()&fs.ModeSymlink != 0 {
		return "", fmt.Errorf("it is a symbolic link that can't be followed: %w", errors.Unwrap(err))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return name, nil
	}
	return "", err
}

// add changes target, which is locked and no link.
func (b *Book) add(target string, rules []*policy.Rule) error {
	data, _, err := read(target)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return named(target, err)
	}
	if err != nil && b.None() {
		data = b.config.Starter
	}
	old, err := policy.Parse(target, data, policy.User)
	if err != nil {
		return err
	}
	data, want := appendRules(data, old.Rules, rules)
	if len(want) == len(old.Rules) {
		return nil
	}
	changed, err := policy.Parse(target, data, policy.User)
	if err == nil && !sameRules(changed.Rules, want) {
		err = errors.New("a rule can't be written as TOML")
	}
	if err != nil {
		return fmt.Errorf("%s: rules can't be added: %w", target, err)
	}
	return replace(target, data)
}

// appendRules returns data, a file that has the rules old, with more, and the rules that it then
// has.
func appendRules(data []byte, old, more []*policy.Rule) ([]byte, []*policy.Rule) {
	data, all := bytes.Clone(data), append([]*policy.Rule(nil), old...)
	ids, known := map[string]bool{}, map[string]bool{}
	for _, r := range old {
		ids[r.ID], known[anonymous(r)] = true, true
	}
	for _, r := range more {
		if known[anonymous(r)] {
			continue
		}
		known[anonymous(r)] = true
		named := *r
		for n := 2; ids[named.ID]; n++ {
			named.ID = r.ID + "-" + strconv.Itoa(n)
		}
		ids[named.ID] = true
		all = append(all, &named)
		if len(data) > 0 && data[len(data)-1] != '\n' {
			data = append(data, '\n')
		}
		if len(data) > 0 {
			data = append(data, '\n')
		}
		data = named.AppendTOML(data)
	}
	return data, all
}

// anonymous is what r says, whatever it is called.
func anonymous(r *policy.Rule) string {
	c := *r
	c.ID = ""
	return string(c.AppendTOML(nil))
}

func sameRules(a, b []*policy.Rule) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !bytes.Equal(a[i].AppendTOML(nil), b[i].AppendTOML(nil)) {
			return false
		}
	}
	return true
}

// replace gives the file name new content, all at once, and keeps its owner and permissions.
func replace(name string, data []byte) (err error) {
	dir := filepath.Dir(name)
	f, err := os.CreateTemp(dir, ".policy-*.toml")
	if err != nil {
		return named(dir, err)
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
			err = named(name, err)
		}
	}()
	if info, err := os.Stat(name); err == nil {
		if err := f.Chmod(info.Mode().Perm()); err != nil {
			return err
		}
		if err := keepOwner(f, info); err != nil {
			return err
		}
	}
	if _, err := f.Write(data); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), name); err != nil {
		return err
	}
	if d, err := os.Open(dir); err == nil { // or the name may be lost in a power cut
		d.Sync()
		d.Close()
	}
	return nil
}
