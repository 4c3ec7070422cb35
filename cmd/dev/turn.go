package main

import (
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"os/exec"
	"strings"
)

// A turn is a commit's share of what takes long and seldom finds anything: each commit has another
// part of it, and all parts have their turn in time. A commit always has the same one, so that a
// run that failed can be repeated.
type turn struct {
	commit string
	number uint32
	left   []string // what was left out, for print
}

// commitTurn returns the turn of the commit that is checked out, or nil, which has everything: with
// TERRARIUM_LONG, and outside a repository.
func commitTurn(ctx context.Context) *turn {
	if os.Getenv("TERRARIUM_LONG") != "" {
		return nil
	}
	out, err := exec.CommandContext(ctx, "git", "rev-parse", "HEAD").Output()
	if err != nil {
		return nil
	}
	return newTurn(strings.TrimSpace(string(out)))
}

func newTurn(commit string) *turn {
	h := fnv.New32a()
	io.WriteString(h, commit)
	return &turn{commit: commit, number: h.Sum32()}
}

// share returns one of so many parts of the names, of which none is larger than another by more
// than one name. A nil turn has all names.
func (t *turn) share(what string, parts int, names []string) (mine []string) {
	if t == nil {
		return names
	}
	var left []string
	for i, name := range names {
		if uint32(i%parts) == t.number%uint32(parts) {
			mine = append(mine, name)
		} else {
			left = append(left, name)
		}
	}
	t.left = append(t.left, fmt.Sprintf("%s: %s", what, strings.Join(left, ", ")))
	return mine
}

// environ tells tests that are not in Go whose turn it is: they read TERRARIUM_TURN, and have
// everything without it.
func (t *turn) environ() []string {
	if t == nil {
		return nil
	}
	return []string{fmt.Sprintf("TERRARIUM_TURN=%d", t.number)}
}

// print tells what was left out.
func (t *turn) print(w io.Writer) {
	if t == nil {
		return
	}
	for _, left := range t.left {
		fmt.Fprintf(w, "NOT THE TURN of %.12s, but with TERRARIUM_LONG=1: %s\n", t.commit, left)
	}
}
