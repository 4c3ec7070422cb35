package place

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"
)

// stallLimit is how long a copy may make no progress, and what only asks may take.
const stallLimit = 2 * time.Minute

// mark begins the lines of our scripts. What comes before them may be a message of the day.
const mark = "terrarium-place"

// where has a shell over there find our copy: $f in $d. A copy is whole if it is there, for it was
// renamed, and it is called after its sum.
// Like all scripts here it is one line, since csh lets no other pass through quotes.
const where = `case $XDG_CACHE_HOME in /*) d=$XDG_CACHE_HOME;; *) d=$HOME/.cache;; esac; ` +
	`d=$d/terrarium/bin; f=$d/terrarium-SUM; `

// probe tells what is over there: the system, the machine, whether there is a copy, and its path.
const probe = where + `h=lacks; if [ -f "$f" ] && [ -x "$f" ] && [ -O "$f" ] && [ -O "$d" ]; then h=has; fi; ` +
	`echo "` + mark + ` $(uname -s) $(uname -m) $h $f"`

// take makes a copy of what it reads.
const take = where + `set -e; umask 077; mkdir -p "$d"; ` +
	`if [ -O "$d" ]; then :; else echo "$d belongs to somebody else" >&2; exit 1; fi; t=$d/.new.$$; ` +
	`trap 'rm -f "$t"' EXIT; trap 'exit 1' HUP INT TERM; cat >"$t"; ` +
	`if command -v sha256sum >/dev/null 2>&1; then s=$(sha256sum <"$t"); ` +
	`elif command -v shasum >/dev/null 2>&1; then s=$(shasum -a 256 <"$t"); ` +
	`else s=$(openssl dgst -sha256 -r <"$t"); fi; ` +
	`case $s in SUM*) ;; *) echo "` + mark + ` differs $s"; exit 1;; esac; ` +
	`chmod 755 "$t"; mv -f "$t" "$f"; echo "` + mark + ` copied"`

// Install puts a copy of a program of this machine into the user's cache over there, unless it is
// there already, and returns its path. progress is told how many of all bytes were sent, if there
// is something to send.
func (p *Place) Install(ctx context.Context, program string, progress func(sent, all int64)) (path string, err error) {
	f, err := os.Open(program)
	if err != nil {
		return "", err
	}
	defer f.Close()
	hash := sha256.New()
	size, err := io.Copy(hash, f)
	if err != nil {
		return "", err
	}
	sum := hex.EncodeToString(hash.Sum(nil))
	words, err := p.script(ctx, strings.ReplaceAll(probe, "SUM", sum), nil)
	if err != nil {
		return "", err
	}
	system, machine, has := words[0], words[1], words[2] == "has"
	if !isOurs(system, machine) {
		return "", &Failure{Place: p.name, Text: fmt.Sprintf("it is %s on %s, and this program is for %s on %s: put a terrarium for it into its PATH",
			system, machine, runtime.GOOS, runtime.GOARCH)}
	}
	path = words[3]
	if !strings.HasPrefix(path, "/") {
		return "", &Failure{Place: p.name, Text: "its user has no home folder for a copy of terrarium: put one into its PATH"}
	}
	if has {
		return path, nil
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	taking := strings.ReplaceAll(take, "SUM", sum)
	words, err = p.script(ctx, taking, &sending{from: f, size: size, progress: progress})
	if failed, ok := errors.AsType[*Failure](err); ok && failed.wordless {
		_, again := p.script(ctx, taking, nil)
		err = failed.orWords(again)
	}
	switch {
	case err != nil:
		return "", err
	case words[0] != "copied":
		return "", &Failure{Place: p.name, Text: "the copy of terrarium that arrived is another one: " + strings.Join(words, " ")}
	}
	return path, nil
}

// isOurs reports whether a program of ours runs where uname says this.
func isOurs(system, machine string) bool {
	machines := map[string]string{"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64", "arm64": "arm64"}
	return strings.ToLower(system) == runtime.GOOS && machines[machine] == runtime.GOARCH
}

// script runs a script over there and returns the words of the line that it has marked.
func (p *Place) script(ctx context.Context, script string, in *sending) (words []string, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c, err := p.start(true, "sh", "-c", script)
	if err != nil {
		return nil, err
	}
	defer func() { // and no program is left behind
		c.Close()
		<-c.ended
	}()
	stalled := time.AfterFunc(stallLimit, cancel)
	defer stalled.Stop()
	defer context.AfterFunc(ctx, func() { c.Close() })()
	if in != nil {
		in.moved = func() { stalled.Reset(stallLimit) }
		if _, err := io.Copy(struct{ io.Writer }{c}, in); err != nil && ctx.Err() == nil {
			// What the program says is why.
			<-c.ended
			return nil, notCopied(c.explain(""))
		}
	}
	c.in.Close()
	out, err := io.ReadAll(io.LimitReader(c, maxSaid))
	if ctx.Err() != nil {
		return nil, &Failure{Place: p.name, Text: "to copy terrarium there takes too long, or was given up"}
	}
	for line := range bytes.Lines(out) {
		words := strings.SplitN(strings.TrimRight(string(line), "\r\n"), " ", 5)
		if len(words) > 1 && words[0] == mark {
			return checked(p, words[1:])
		}
	}
	if failed, ok := errors.AsType[*Failure](err); ok {
		return nil, notCopied(failed)
	}
	return nil, &Failure{Place: p.name, Text: "terrarium can't be copied there: its shell does not answer"}
}

// notCopied returns what it means that a script has failed so.
func notCopied(failed *Failure) *Failure {
	if errors.Is(failed, ErrMissing) {
		return &Failure{Place: failed.Place, Text: "terrarium can't be copied there, since there is no sh in its PATH: put a terrarium or a shell there"}
	}
	return &Failure{Place: failed.Place, Text: "terrarium can't be copied there: " + failed.Text, wordless: failed.wordless}
}

// maxSaid is how much of what a script prints is looked at, in bytes.
const maxSaid = 64 << 10

// checked returns the words of a script if they can be those.
func checked(p *Place, words []string) ([]string, error) {
	if words[0] == "copied" || words[0] == "differs" || len(words) == 4 && (words[2] == "has" || words[2] == "lacks") {
		return words, nil
	}
	return nil, &Failure{Place: p.name, Text: "terrarium can't be copied there: its shell answers something else"}
}

// A sending is a file that is read, and tells how much of it was.
type sending struct {
	from     io.Reader
	size     int64
	sent     int64
	progress func(sent, all int64)
	moved    func()
}

func (s *sending) Read(p []byte) (int, error) {
	n, err := s.from.Read(p)
	s.sent += int64(n)
	s.moved()
	s.progress(s.sent, s.size)
	return n, err
}
