package diff

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path"
	"strconv"
	"strings"

	"github.com/terrarium-dev/terrarium/plugins/box/internal/tool"
)

const patchOptions = "b,backup B,prefix= c,context d,directory= dry-run E,remove-empty-files f,force F,fuzz= g,get= i,input= l,ignore-whitespace " +
	"merge? n,normal N,forward o,output= p,strip= posix r,reject-file= R,reverse s,quiet,silent t,batch u,unified v verbose z,suffix= " +
	"Z,set-utc T,set-time no-backup-if-mismatch backup-if-mismatch follow-symlinks binary reject-format= read-only= quoting-style= x= D,ifdef= Y= V="

// A patcher is one patch at work.
type patcher struct {
	env                                                     *tool.Env
	backup, dryRun, force, batch, forward, reversed, silent bool
	removeEmpty, noMismatch                                 bool
	suffix, output, reject                                  string
	strip                                                   int // -1: only the last part of a name
	fuzz                                                    int
	status                                                  int
}

func patch(env *tool.Env, args []string) int {
	opts, status := options(env, args, patchOptions)
	if opts == nil {
		return status
	}
	p := &patcher{env: env, suffix: ".orig", strip: -1, fuzz: 2}
	input := "-"
	for _, o := range opts.Options {
		switch o.Name {
		case "b":
			p.backup = true
		case "z":
			p.suffix, p.backup = o.Arg, true
		case "d":
			if _, err := env.Stat(o.Arg); err != nil {
				return p.fatal("Can't change to directory %s : %s", o.Arg, tool.Strerror(err))
			}
			moved := *env
			moved.Dir = env.Path(o.Arg)
			p.env = &moved
		case "dry-run":
			p.dryRun = true
		case "E":
			p.removeEmpty = true
		case "f":
			p.force = true
		case "F", "p":
			n, err := strconv.Atoi(o.Arg)
			if err != nil || n < 0 {
				what := "fuzz factor"
				if o.Name == "p" {
					what = "strip count"
				}
				return p.fatal("%s %s is not a number", what, o.Arg)
			}
			if o.Name == "p" {
				p.strip = n
			} else {
				p.fuzz = n
			}
		case "i":
			input = o.Arg
		case "N":
			p.forward = true
		case "o":
			p.output = o.Arg
		case "r":
			p.reject = o.Arg
		case "R":
			p.reversed = true
		case "s":
			p.silent = true
		case "t":
			p.batch = true
		case "no-backup-if-mismatch":
			p.noMismatch = true
		}
	}
	files := opts.Operands
	if len(files) > 2 {
		return usage(env, files[2]+": extra operand")
	}
	target := ""
	if len(files) > 0 {
		target = files[0]
	}
	if len(files) == 2 {
		input = files[1]
	}
	text, err := p.env.ReadFile(input)
	if err != nil {
		return p.fatal("Can't open patch file %s : %s", input, tool.Strerror(err))
	}
	if len(text) == 0 {
		return 0
	}
	list, msg := parsePatch(text)
	if msg != "" {
		return p.fatal("%s", msg)
	}
	for i := range list {
		if p.env.Stopped() {
			break
		}
		if st := p.file(&list[i], target); st == trouble {
			return trouble
		}
	}
	return p.status
}

func (p *patcher) fatal(format string, a ...any) int {
	p.env.Errorf("**** "+format, a...)
	return trouble
}

// say tells what happens, beside what -o - writes to standard output.
func (p *patcher) say(format string, a ...any) {
	var to io.Writer = p.env.Out
	if p.output == "-" {
		to = p.env.Stderr
	}
	if !p.silent {
		fmt.Fprintf(to, format, a...)
	}
}

// stripped takes the leading folders off a name; "" if it has not so many.
func (p *patcher) stripped(name string) string {
	if name == "/dev/null" || name == "" {
		return ""
	}
	if p.strip < 0 {
		return path.Base(name)
	}
	for range p.strip {
		_, rest, ok := strings.Cut(name, "/")
		if !ok {
			return ""
		}
		name = strings.TrimLeft(rest, "/")
	}
	return name
}

// target chooses the file that f is about: of those that exist, the one with the shortest name.
func (p *patcher) target(f *filePatch) (string, bool) {
	best := ""
	for _, header := range []string{f.old, f.new} {
		name := p.stripped(header)
		if name == "" || !local(name) {
			continue
		}
		if _, err := p.env.Stat(name); err != nil {
			continue
		}
		if best == "" || strings.Count(name, "/") < strings.Count(best, "/") || len(name) < len(best) {
			best = name
		}
	}
	if best != "" {
		return best, true
	}
	if name := p.stripped(f.new); f.created && name != "" && local(name) {
		return name, true
	}
	return "", false
}

// local reports whether a name of a patch stays below the current directory.
func local(name string) bool {
	return !path.IsAbs(name) && name != ".." && !strings.HasPrefix(path.Clean(name), "../")
}

// file applies one file's patch.
func (p *patcher) file(f *filePatch, name string) int {
	if p.reversed {
		f.reverse()
	}
	if name == "" {
		var ok bool
		if name, ok = p.target(f); !ok {
			return p.lost(f)
		}
	}
	old, err := p.env.ReadFile(name)
	if err != nil && !f.created && !os.IsNotExist(err) {
		return p.fatal("Can't open file %s : %s", name, tool.Strerror(err))
	}
	doing := "patching"
	if p.dryRun {
		doing = "checking"
	}
	shown := name
	out := name
	if p.output != "" {
		out = p.output
		shown = out + " (read from " + name + ")"
	}
	p.say("%s file %s\n", doing, shown)

	ignored, mismatch := false, false
	a := &applier{lines: newText(old).lines}
	if len(f.hunks) > 0 && !p.force && p.isReversed(f, a.lines) {
		switch {
		case p.forward:
			p.say("Reversed (or previously applied) patch detected!  Skipping patch.\n")
			ignored = true
		case p.batch:
			p.say("Reversed (or previously applied) patch detected!  Assuming -R.\n")
			f.reverse()
			mismatch = true
		default:
			p.say("Reversed (or previously applied) patch detected!  Assume -R? [n] \nApply anyway? [n] \nSkipping patch.\n")
			ignored = true
		}
	}
	var rejected []patchHunk
	for i, h := range f.hunks {
		if ignored {
			rejected = append(rejected, h)
			continue
		}
		res := a.apply(h, p.fuzz)
		if !res.ok {
			p.say("Hunk #%d FAILED at %d.\n", i+1, h.new+a.offset)
			rejected = append(rejected, h)
			continue
		}
		if res.fuzz > 0 || res.offset != 0 {
			mismatch = true
			p.say("Hunk #%d succeeded at %d%s%s.\n", i+1, res.line, fuzzText(res.fuzz), offsetText(res.offset))
		}
	}
	if len(rejected) > 0 {
		mismatch = true
		p.status = 1
		if err := p.saveRejects(f, rejected, out, ignored); err != nil {
			return p.fatal("%v", err)
		}
	}
	if p.dryRun || ignored {
		return p.status
	}
	if err := p.write(f, name, out, old, a.rest(), mismatch, err == nil); err != nil {
		return p.fatal("%v", err)
	}
	return p.status
}

func fuzzText(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" with fuzz %d", n)
}

func offsetText(n int) string {
	switch n {
	case 0:
		return ""
	case 1, -1:
		return fmt.Sprintf(" (offset %d line)", n)
	}
	return fmt.Sprintf(" (offset %d lines)", n)
}

// isReversed reports whether the first hunk does not fit but its reverse does.
func (p *patcher) isReversed(f *filePatch, lines [][]byte) bool {
	if (&applier{lines: lines}).apply(f.hunks[0], p.fuzz).ok && !(f.created && len(lines) > 0) {
		return false
	}
	r := filePatch{hunks: []patchHunk{f.hunks[0]}}
	r.reverse()
	return (&applier{lines: lines}).apply(r.hunks[0], 0).ok
}

// lost tells that no file was found for a patch.
func (p *patcher) lost(f *filePatch) int {
	p.status = 1
	p.say("can't find file to patch at input line %d\n", f.line)
	if p.strip < 0 {
		p.say("Perhaps you should have used the -p or --strip option?\n")
	} else {
		p.say("Perhaps you used the wrong -p or --strip option?\n")
	}
	p.say("The text leading up to this was:\n--------------------------\n")
	for _, l := range f.lead {
		p.say("|%s", l)
	}
	p.say("--------------------------\n")
	if p.force || p.batch {
		p.say("No file to patch.  Skipping patch.\n")
	} else {
		p.say("File to patch: \nSkip this patch? [y] \nSkipping patch.\n")
	}
	p.say("%s\n", countHunks(len(f.hunks), len(f.hunks), "ignored"))
	return 1
}

func countHunks(n, of int, what string) string {
	s := "s"
	if of == 1 {
		s = ""
	}
	return fmt.Sprintf("%d out of %d hunk%s %s", n, of, s, what)
}

// saveRejects writes what did not fit to FILE.rej.
func (p *patcher) saveRejects(f *filePatch, rejected []patchHunk, out string, ignored bool) error {
	what := "FAILED"
	if ignored {
		what = "ignored"
	}
	name := out + ".rej"
	if p.reject != "" {
		name = p.reject
	}
	p.say("%s", countHunks(len(rejected), len(f.hunks), what))
	if p.dryRun {
		p.say("\n")
		return nil
	}
	p.say(" -- saving rejects to file %s\n", name)
	var b bytes.Buffer
	b.Write(f.oldHead)
	b.Write(f.newHead)
	for _, h := range rejected {
		fmt.Fprintf(&b, "@@ -%s +%s @@\n", patchRange(h.old, h.nOld), patchRange(h.new, h.nNew))
		for _, l := range h.lines {
			b.Write(l)
			if l[len(l)-1] != '\n' {
				b.WriteString("\n\\ No newline at end of file\n")
			}
		}
	}
	return p.save(name, b.Bytes())
}

func patchRange(first, n int) string {
	if n == 1 {
		return strconv.Itoa(first)
	}
	return fmt.Sprintf("%d,%d", first, n)
}

func (p *patcher) save(name string, data []byte) error {
	f, err := p.env.Create(name, os.O_TRUNC)
	if err != nil {
		return &pathError{name, err}
	}
	_, err = f.Write(data)
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return &pathError{name, err}
	}
	return nil
}

// A pathError is a file that can't be written.
type pathError struct {
	name string
	err  error
}

func (e *pathError) Error() string {
	return "Can't create file " + e.name + " : " + tool.Strerror(e.err)
}

// write puts the new content in place, keeps the old one where that is wanted, and removes what a
// patch removed.
func (p *patcher) write(f *filePatch, name, out string, old, data []byte, mismatch, existed bool) error {
	if out == "-" && p.output == out {
		p.env.Out.Write(data)
		return nil
	}
	if p.backup || mismatch && !p.noMismatch && p.output == "" {
		if err := p.save(name+p.suffix, old); err != nil {
			return err
		}
	}
	if len(data) == 0 && (f.removed || p.removeEmpty) && p.output == "" {
		if err := p.env.Remove(name); err != nil && existed {
			return &pathError{name, err}
		}
		return nil
	}
	if !existed {
		if dir := path.Dir(out); dir != "." {
			p.env.MkdirAll(dir)
		}
	}
	return p.save(out, data)
}
