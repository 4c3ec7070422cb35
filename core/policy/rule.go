package policy

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/terrarium-dev/terrarium/core"
)

// A Rule says what becomes of the commands that it names, under its conditions. In a file its
// fields have the names in brackets.
type Rule struct {
	// ID [id] names the rule in prompts and records.
	ID string
	// Argv [argv] is a pattern for the beginning of a simple command's words, after the shell has
	// removed quotes. Each element is the list of words that it takes; in a file a list of one may
	// be a string. The word "*" takes any one word, and "**" any number of them. After the last
	// element any words may follow, but with Allow only words that are known before the line runs:
	// what a variable or a glob becomes, only "*" and "**" take. Parse refuses a word with a blank
	// between other characters: it is most likely two.
	//
	// The first element is a command's name. With Allow it takes that bare name and no path. With
	// Ask and Deny it takes paths that end in the name too. These also ask where a command only
	// might match, as "git $x" might be "git push", look past options, as in "git -x push", and
	// take words as they stand in the line: "~", "$HOME".
	Argv [][]string
	// Bin [bin] has the first element mean this file: a path that is Bin, or a bare name if
	// Context.Find finds Bin for it. "~/bin/x" is a path below the home of whoever runs the
	// command, and takes only a word that stands in the line like that.
	Bin string
	// Decision [decision] is what becomes of the command. Deny wins over Ask, Ask over Allow.
	Decision Decision
	// Redirects [redirects] is what the command may be redirected to for the rule to hold: "none",
	// "read" (files it reads) or "any". If empty it is "read" with Allow and "any" otherwise.
	// /dev/null, copies of descriptors (2>&1) and here-documents do not count.
	Redirects string
	// Writes [writes: one or a list] are directories below which an Allow rule's command may be
	// redirected to files all the same: absolute paths, or "roots" for what the session hands over.
	// What the session hands over is below "roots" only, though it be below /tmp.
	// It goes by name, and links are not followed. Names with "..", names that begin with a dot and
	// files that tools run by themselves, such as a Makefile, are none of these.
	Writes []string
	// Files [files: one or a list] are such directories for a command whose words are files, as
	// those of mkdir: an Allow rule with it only holds if all of them lie below.
	Files []string
	// AnyEnv and Env [env_assign: "none", "any", or a list of names and of NAME=VALUE] are the
	// variables that may be set for the command for the rule to hold. Without, it is "none" with
	// Allow and "any" otherwise. Some that are known to do no harm, as LANG, do not count.
	AnyEnv bool
	Env    []string
	// Flags [flags] are options that an Allow rule passes although they execute or write. Those
	// that Argv has are passed anyway. See the table in flags.go.
	Flags []string
	// Cwd [cwd: one or a list] are the directories in or below which the rule holds: absolute
	// paths, or "roots" for what the session hands over. Empty is everywhere.
	Cwd []string
	// Session [session: one or a list] are the sessions in which the rule holds. Empty is all.
	Session []core.SessionID
	// Inside [inside] is the level of sandbox that has to be in force for the rule to hold:
	// "workspace" or "strict". Empty is any, and none.
	Inside string
	// Unknown [unknown] has an Allow rule also hold where it shows only when the line runs what the
	// command does: after assignments, behind launchers and options that aren't known, with flags
	// that execute or write. It needs Inside: there a sandbox holds what nobody has read. A name
	// that isn't known is still asked about, and so is a line that can't be parsed.
	Unknown bool
	// Reason [reason] tells people and agents why.
	Reason string
	// Match and NotMatch [match, not_match] are shell lines that fall under the rule, and others
	// that do not. Parse checks them in /project, as if the rule's Cwd, Session and Inside held.
	Match, NotMatch []string

	layer Layer
	file  string
}

// Layer says which layer's file the rule is from, and File what that file is called.
func (r *Rule) Layer() Layer { return r.layer }

// File is the name that was given to Parse.
func (r *Rule) File() string { return r.file }

// newRule checks in. If it is wrong, key names the part of it that is.
func newRule(in *ruleTOML, layer Layer) (r *Rule, key string, err error) {
	r = &Rule{
		ID: in.ID, Bin: in.Bin, Redirects: in.Redirects, Flags: in.Flags, Inside: in.Inside,
		Unknown: in.Unknown, Reason: in.Reason, Match: in.Match, NotMatch: in.NotMatch, layer: layer,
	}
	if r.ID == "" {
		return nil, "id", errors.New("the rule has no id")
	}
	if len(r.ID) > maxID {
		return nil, "id", fmt.Errorf("the id is longer than %d bytes", maxID)
	}
	if len(r.Reason) > maxWhy {
		return nil, "reason", fmt.Errorf("the reason is longer than %d bytes", maxWhy)
	}
	if r.Decision, err = parseDecision(in.Decision); err != nil {
		return nil, "decision", err
	}
	if layer == Project && r.Decision == Allow {
		return nil, "decision", errProject
	}
	if r.Argv, err = argvPattern(in.Argv); err != nil {
		return nil, "argv", err
	}
	if r.Bin != "" && (!path.IsAbs(r.Bin) && !homely(r.Bin) || path.Clean(r.Bin) != r.Bin) {
		return nil, "bin", errors.New("bin is no absolute path in its shortest form, nor one below ~/")
	}
	if r.Redirects == "" {
		r.Redirects = redirectsOf(r.Decision)
	}
	if !slices.Contains([]string{"none", "read", "any"}, r.Redirects) {
		return nil, "redirects", errors.New(`redirects is none of "none", "read", "any"`)
	}
	switch env := in.EnvAssign.(type) {
	case nil:
		r.AnyEnv = r.Decision != Allow
	case string:
		if r.AnyEnv = env == "any"; !r.AnyEnv && env != "none" {
			return nil, "env_assign", errors.New(`env_assign is neither "none", nor "any", nor a list of names`)
		}
	default:
		if r.Env, err = oneOrMore(env); err != nil {
			return nil, "env_assign", err
		}
	}
	if r.Cwd, err = oneOrMore(in.Cwd); err != nil {
		return nil, "cwd", err
	}
	for _, dir := range r.Cwd {
		if dir != "roots" && !path.IsAbs(dir) {
			return nil, "cwd", fmt.Errorf(`cwd %q is neither absolute nor "roots"`, dir)
		}
	}
	for _, list := range []struct {
		key  string
		in   any
		into *[]string
	}{{"writes", in.Writes, &r.Writes}, {"files", in.Files, &r.Files}} {
		if *list.into, err = oneOrMore(list.in); err != nil {
			return nil, list.key, err
		}
		if len(*list.into) > 0 && r.Decision != Allow {
			return nil, list.key, fmt.Errorf("%s is for rules that allow", list.key)
		}
		for _, dir := range *list.into {
			if dir != "roots" && (!path.IsAbs(dir) || path.Clean(dir) != dir || dir == "/") {
				return nil, list.key, fmt.Errorf(`%s: %q is neither "roots" nor the absolute path of a directory in its shortest form`, list.key, dir)
			}
		}
	}
	sessions, err := oneOrMore(in.Session)
	if err != nil {
		return nil, "session", err
	}
	for _, s := range sessions {
		r.Session = append(r.Session, core.SessionID(s))
	}
	if r.Inside != "" && !slices.Contains(levels, r.Inside) {
		return nil, "inside", fmt.Errorf("inside: %q is no level of sandbox: use %s", r.Inside, strings.Join(levels, " or "))
	}
	if r.Unknown && (r.Decision != Allow || r.Inside == "") {
		return nil, "unknown", errors.New("unknown is for rules that allow inside a sandbox")
	}
	return r, "", nil
}

// levels are those of a sandbox, as Rule.Inside names them.
var levels = []string{"workspace", "strict"}

// redirectsOf is what Redirects is of a rule that says nothing of it.
func redirectsOf(d Decision) string {
	if d == Allow {
		return "read"
	}
	return "any"
}

func argvPattern(in []any) ([][]string, error) {
	if len(in) == 0 {
		return nil, errors.New("the rule has no argv")
	}
	if len(in) > maxWords {
		return nil, fmt.Errorf("argv has more than %d words", maxWords)
	}
	var pattern [][]string
	for i, v := range in {
		words, err := oneOrMore(v)
		if err != nil {
			return nil, fmt.Errorf("argv: %w", err)
		}
		for _, word := range words {
			any := word == "*" || word == "**"
			switch {
			case any && len(words) > 1:
				return nil, fmt.Errorf("argv: %q takes all, so it stands alone", word)
			case i == 0 && word == "":
				return nil, errors.New("argv: a command's name is empty")
			case i == 0 && strings.Contains(word, "/"):
				return nil, fmt.Errorf("argv: %q is a path; name the command, and its path in bin", word)
			case len(parts(word)) > 1:
				return nil, fmt.Errorf("argv: %q is one word with a blank: write %s", word, quoted(parts(word)))
			}
		}
		pattern = append(pattern, words)
	}
	return pattern, nil
}

// parts are those of a word that a shell would make words of its own.
func parts(word string) []string {
	return strings.FieldsFunc(word, func(r rune) bool { return r == ' ' || r == '\t' || r == '\n' })
}

// oneOrMore reads a string or a list of strings, at least one. nil is none.
func oneOrMore(v any) ([]string, error) {
	switch v := v.(type) {
	case nil:
		return nil, nil
	case string:
		return []string{v}, nil
	case []any:
		var list []string
		for _, e := range v {
			s, ok := e.(string)
			if !ok {
				return nil, fmt.Errorf("%v is no string", e)
			}
			list = append(list, s)
		}
		if len(list) == 0 {
			return nil, errors.New("a list is empty")
		}
		return list, nil
	}
	return nil, fmt.Errorf("%v is neither a string nor a list of strings", v)
}
