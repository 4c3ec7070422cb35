package place

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"
)

// How long an engine may take for what it does at once, and to fetch an image.
const (
	engineLimit = time.Minute
	pullLimit   = time.Hour
)

// Prepare sees to it that the engine has the image, for this machine. pulling is told before it is
// fetched, which may take long. The error is in one line, with the engine's words.
func (i *Image) Prepare(ctx context.Context, pulling func()) error {
	ask := []string{"image", "inspect", "--format={{.Os}}/{{.Architecture}}", i.Name}
	has, err := i.ask(ctx, engineLimit, ask...)
	if errors.Is(err, errNoImage) {
		pulling()
		if _, err := i.ask(ctx, pullLimit, "pull", "--quiet", "--platform=linux/"+runtime.GOARCH, i.Name); err != nil {
			return err
		}
		has, err = i.ask(ctx, engineLimit, ask...)
	}
	if err != nil {
		return err
	}
	if want := "linux/" + runtime.GOARCH; strings.TrimSpace(has) != want {
		return &Failure{Place: i.String(), Text: fmt.Sprintf("it is for %.100q, and this program for %s: %s pull --platform=%s %s gets another one",
			strings.TrimSpace(has), want, i.Engine, want, i.Name)}
	}
	return nil
}

// Remove removes containers that may be gone already. It returns the names of those that were
// there, also with an error, which is about another one.
func (i *Image) Remove(ctx context.Context, names ...string) (removed []string, err error) {
	out, err := i.ask(ctx, engineLimit, append([]string{"rm", "--force"}, names...)...)
	for line := range strings.Lines(out) {
		if name := strings.TrimSpace(line); slices.Contains(names, name) {
			removed = append(removed, name)
		}
	}
	if err == nil || isGone(err) {
		return removed, nil
	}
	return removed, err
}

// isGone reports whether an engine has failed since a container is not there, or soon won't be.
func isGone(err error) bool {
	text := strings.ToLower(err.Error())
	return slices.ContainsFunc([]string{"no such container", "no container with name or id", "is already in progress"},
		func(words string) bool { return strings.Contains(text, words) })
}

// removeRounds is how often an engine is asked which containers are left. About 1,000 of them are
// read each time.
const removeRounds = 20

// ErrInUse is why containers were not removed: who has made one runs still.
var ErrInUse = errors.New("its containers are in use")

// RemoveAll removes all containers of the owner, and returns how many there were. The error is
// ErrInUse if runs reports that a Worker does which has made one.
func (i *Image) RemoveAll(ctx context.Context, runs func(worker string) bool) (n int, err error) {
	seen := make(map[string]bool) // the engine may name them for a while yet
	for range removeRounds {
		ids, more, err := i.list(ctx)
		if err != nil {
			return n, err
		}
		before := n
		for _, id := range ids {
			if seen[id] {
				continue
			}
			switch worker, err := i.workerOf(ctx, id); {
			case err != nil && !isGone(err):
				return n, err
			case err == nil && runs(worker):
				return n, ErrInUse
			}
			if _, err := i.Remove(ctx, id); err != nil {
				return n, err
			}
			seen[id] = true
			n++
		}
		if !more || n == before {
			return n, nil
		}
	}
	return n, &Failure{Place: i.String(), Text: fmt.Sprintf("%s ps prints more containers of ours than we remove at once: %d are gone, start again", i.Engine, n)}
}

// list returns containers of the owner, and whether there may be more than can be read at once.
func (i *Image) list(ctx context.Context) (ids []string, more bool, err error) {
	out, err := i.ask(ctx, engineLimit, "ps", "--all", "--quiet", "--no-trunc", "--filter=label="+ownerLabel+"="+i.Owner)
	if err != nil {
		return nil, false, err
	}
	if more = len(out) == maxSaid; more {
		out = out[:strings.LastIndexByte(out, '\n')+1] // what comes then is cut
	}
	for _, id := range strings.Fields(out) {
		if strings.Trim(id, "0123456789abcdef") != "" {
			return nil, false, &Failure{Place: i.String(), Text: fmt.Sprintf("%s ps prints %.100q in place of containers", i.Engine, id)}
		}
		ids = append(ids, id)
	}
	return ids, more, nil
}

// workerOf returns which process has made a container.
func (i *Image) workerOf(ctx context.Context, id string) (string, error) {
	worker, err := i.ask(ctx, engineLimit, "container", "inspect", `--format={{index .Config.Labels "`+workerLabel+`"}}`, id)
	return strings.TrimSpace(worker), err
}

// ask runs the engine, and returns the first of what it prints, also where it fails.
func (i *Image) ask(ctx context.Context, limit time.Duration, args ...string) (out string, err error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	p := &Place{name: i.String(), target: i.Name, argv: []string{i.Engine}, scheme: &engine, apart: true}
	out, err = p.ask(ctx, args...)
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return "", &Failure{Place: i.String(), Text: fmt.Sprintf("%s %s does not end within %v", i.Engine, args[0], limit)}
	}
	return out, err
}
