package repo

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-git/go-git/v6/plumbing"
	"github.com/go-git/go-git/v6/plumbing/format/reflog"
)

// LogHead notes in HEAD's reflog that it was moved from old to where it is now, and why.
func (r *Repo) LogHead(old plumbing.Hash, why string) error {
	return r.Log("HEAD", old, r.Head(), why)
}

// Log notes in a reference's reflog that it was moved, and why.
func (r *Repo) Log(name string, old, now plumbing.Hash, why string) error {
	if now == Zero || !r.logs() {
		return nil
	}
	who, err := r.Identity("COMMITTER")
	if errors.Is(err, ErrNoIdentity) { // only a commit needs to know
		who, err = Signature{Name: "user", Email: "user@terrarium.(none)", When: time.Now()}, nil
	}
	if err != nil {
		return err
	}
	why = strings.Join(strings.Fields(why), " ")
	return r.store.AppendReflog(plumbing.ReferenceName(name), &reflog.Entry{
		OldHash: old, NewHash: now, Message: why,
		Committer: reflog.Signature{Name: crud(who.Name), Email: crud(who.Email), When: who.When},
	})
}

// Reflog returns what is noted of a reference, the last first.
func (r *Repo) Reflog(name string) ([]*reflog.Entry, error) {
	list, err := r.store.Reflog(plumbing.ReferenceName(name))
	if err != nil {
		return nil, err
	}
	slices.Reverse(list)
	return list, nil
}

// SetReflog replaces what is noted of a reference by what list has, the last first. Nothing removes
// the notes.
func (r *Repo) SetReflog(name string, list []*reflog.Entry) error {
	if err := r.store.DeleteReflog(plumbing.ReferenceName(name)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	for _, e := range slices.Backward(list) {
		if err := r.store.AppendReflog(plumbing.ReferenceName(name), e); err != nil {
			return err
		}
	}
	return nil
}

// LastSwitch returns what the last switch of HEAD was to, and the commit that this was then; Zero
// if there was none.
func (r *Repo) LastSwitch() (name string, h plumbing.Hash) {
	list, err := r.Reflog("HEAD")
	if err != nil {
		return "", Zero
	}
	for _, e := range list {
		move, ok := strings.CutPrefix(e.Message, "checkout: moving from ")
		if _, to, isMove := strings.Cut(move, " to "); ok && isMove {
			return to, e.NewHash
		}
	}
	return "", Zero
}

// logs reports whether moves of HEAD are noted: git-config(1), core.logAllRefUpdates.
func (r *Repo) logs() bool {
	switch value, _ := r.Config.Get("core.logallrefupdates"); strings.ToLower(value) {
	case "":
		return r.Top != ""
	case "false", "no", "off", "0":
		_, err := os.Stat(r.headLog())
		return err == nil
	}
	return true
}

func (r *Repo) headLog() string { return filepath.Join(r.Dir, "logs", "HEAD") }

// Prior returns what the Nth last switch left, which "@{-N}" stands for: a branch, or a commit if
// HEAD was on none. It reports whether name has this form and there was such a switch.
func (r *Repo) Prior(name string) (string, bool) {
	digits, ok := strings.CutPrefix(name, "@{-")
	digits, closed := strings.CutSuffix(digits, "}")
	n, err := strconv.Atoi(digits)
	if !ok || !closed || err != nil || n < 1 {
		return "", false
	}
	log, err := os.ReadFile(r.headLog())
	if err != nil {
		return "", false
	}
	for _, line := range slices.Backward(strings.Split(string(log), "\n")) {
		_, message, _ := strings.Cut(line, "\t")
		move, ok := strings.CutPrefix(message, "checkout: moving from ")
		from, _, isMove := strings.Cut(move, " to ")
		if !ok || !isMove {
			continue
		}
		if n--; n == 0 {
			return from, true
		}
	}
	return "", false
}
