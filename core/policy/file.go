package policy

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// Bounds of a file.
const (
	maxFile  = 1 << 20 // bytes
	maxRules = 4096
	maxWords = 32 // of a rule's argv, each with at most maxRules alternatives
	maxID    = 200
	maxWhy   = 1000 // bytes of a rule's reason

	maxTrusted = 256     // places
	maxPlace   = 4 << 10 // bytes of each
)

// A File is a policy file that has been read and found right.
type File struct {
	Name  string
	Layer Layer
	// Default is what becomes of a command that no rule names. Zero if the file says nothing.
	Default Decision
	// Trusted [trusted] are the places, as --on names them, whose word for their sandbox counts:
	// elsewhere no rule with Inside holds. A project's file has none.
	Trusted []string
	Rules   []*Rule
}

// A FileError says where a policy file is wrong.
type FileError struct {
	File         string
	Line, Column int    // from 1; zero if the file as a whole is wrong
	Rule         string // the rule's id, if it is one of a rule and has one
	Err          error
}

func (e *FileError) Error() string {
	at := e.File
	if e.Line > 0 {
		at = fmt.Sprintf("%s:%d:%d", e.File, e.Line, e.Column)
	}
	if e.Rule != "" {
		at += ": rule " + shortened(e.Rule)
	}
	return at + ": " + shortened(e.Err.Error())
}

// shortened returns s, or as much of it as a person reads: a file may have a key of a megabyte.
func shortened(s string) string {
	const most = 300 // bytes
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

func (e *FileError) Unwrap() error { return e.Err }

// fileTOML and ruleTOML are what a file holds.
type fileTOML struct {
	Default string     `toml:"default"`
	Trusted []string   `toml:"trusted"`
	Rules   []ruleTOML `toml:"rule"`
}

type ruleTOML struct {
	ID        string   `toml:"id"`
	Argv      []any    `toml:"argv"`
	Bin       string   `toml:"bin"`
	Decision  string   `toml:"decision"`
	Redirects string   `toml:"redirects"`
	Writes    any      `toml:"writes"`
	Files     any      `toml:"files"`
	EnvAssign any      `toml:"env_assign"`
	Flags     []string `toml:"flags"`
	Cwd       any      `toml:"cwd"`
	Session   any      `toml:"session"`
	Inside    string   `toml:"inside"`
	Unknown   bool     `toml:"unknown"`
	Reason    string   `toml:"reason"`
	Match     []string `toml:"match"`
	NotMatch  []string `toml:"not_match"`
}

// Parse reads a policy file, which is TOML, and checks all of it, the examples of its rules too. A
// file with any error is refused whole, with a *FileError; name is what that calls the file. data
// is not kept.
//
//	default = "ask"             # what no rule names; "ask" if left out everywhere
//
//	[[rule]]
//	id = "git-read"             # required, and the only one of that name in the file
//	argv = ["git", ["status", "log"]]
//	decision = "allow"
//	match = ["git status -sb"]  # lines that must fall under the rule, and others that must not
//	not_match = ["git push"]
//
// The other keys are described at Rule.
func Parse(name string, data []byte, layer Layer) (*File, error) {
	if len(data) > maxFile {
		return nil, &FileError{File: name, Err: fmt.Errorf("it is longer than %d bytes", maxFile)}
	}
	var in fileTOML
	if err := toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields().Decode(&in); err != nil {
		return nil, tomlError(name, data, err)
	}
	at := findKeys(data)
	f := &File{Name: name, Layer: layer}
	wrong := func(rule int, key string, err error) error {
		e := &FileError{File: name, Err: err}
		if rule >= 0 {
			e.Rule = in.Rules[rule].ID
		}
		e.Line, e.Column = at.position(rule, key)
		return e
	}

	if in.Default != "" {
		d, err := parseDecision(in.Default)
		if err == nil && layer == Project && d == Allow {
			err = errProject
		}
		if err != nil {
			return nil, wrong(-1, "default", err)
		}
		f.Default = d
	}
	if err := checkTrusted(in.Trusted, layer); err != nil {
		return nil, wrong(-1, "trusted", err)
	}
	f.Trusted = in.Trusted
	if len(in.Rules) > maxRules {
		return nil, &FileError{File: name, Err: fmt.Errorf("it has more than %d rules", maxRules)}
	}
	for i := range in.Rules {
		r, key, err := newRule(&in.Rules[i], layer)
		if err == nil && slices.ContainsFunc(f.Rules, func(o *Rule) bool { return o.ID == r.ID }) {
			key, err = "id", errors.New("another rule has this id")
		}
		if err == nil {
			r.file = name
			key, err = r.checkExamples()
		}
		if err != nil {
			return nil, wrong(i, key, err)
		}
		f.Rules = append(f.Rules, r)
	}
	return f, nil
}

// checkTrusted says what is wrong with the places that a file trusts.
func checkTrusted(places []string, layer Layer) error {
	switch {
	case layer == Project && len(places) > 0:
		return errors.New("a project's file can't trust a place: that is for the user's file")
	case len(places) > maxTrusted:
		return fmt.Errorf("more than %d places", maxTrusted)
	}
	for _, place := range places {
		if place == "" || len(place) > maxPlace {
			return fmt.Errorf("a place has 1 to %d bytes, as in ssh:box", maxPlace)
		}
	}
	return nil
}

var errProject = errors.New(`a project's file can only tighten: "ask" or "deny"`)

// tomlError says what a person has to write instead of what err, of a decoder, is about.
func tomlError(name string, data []byte, err error) error {
	out := &FileError{File: name, Err: err}
	var unknown *toml.StrictMissingError
	var at *toml.DecodeError
	switch {
	case errors.As(err, &unknown) && len(unknown.Errors) > 0:
		at = &unknown.Errors[0]
	case !errors.As(err, &at):
		return out
	}
	out.Line, out.Column = at.Position()
	var file map[string]any
	if toml.Unmarshal(data, &file) != nil || len(at.Key()) == 0 {
		return out // no TOML
	}
	path := at.Key()
	key := path[len(path)-1]
	rule := map[string]any{}
	if path[0] == "rule" {
		rules, _ := file["rule"].([]any)
		if i := findKeys(data).rule(out.Line); i >= 0 && i < len(rules) {
			rule, _ = rules[i].(map[string]any)
			out.Rule, _ = rule["id"].(string)
		}
	}
	if unknown == nil {
		out.Err = errors.New(key + ": want " + wanted(key, rule))
		return out
	}
	known := []string{"default", "trusted", "[[rule]]"}
	if len(path) > 1 {
		known = ruleKeys
	}
	out.Err = fmt.Errorf("unknown key %q", key)
	for _, k := range known {
		if isNear(key, strings.Trim(k, "[]")) {
			out.Err = fmt.Errorf("%w: did you mean %s?", out.Err, k)
			break
		}
	}
	return out
}

// ruleKeys are the names that ruleTOML's fields have in a file.
var ruleKeys = []string{
	"id", "argv", "bin", "decision", "redirects", "writes", "files", "env_assign", "flags", "cwd", "session", "inside", "unknown", "reason", "match", "not_match",
}

// wanted says what kind of value a key has, with what rule has there, if that helps.
func wanted(key string, rule map[string]any) string {
	switch key {
	case "rule":
		return "[[rule]], with two brackets on each side"
	case "unknown":
		return "true or false"
	case "trusted":
		return "a list of places: [" + quoted([]string{"ssh:box"}) + "]"
	case "argv", "flags":
		words := []string{"git", "status"}
		if key == "flags" {
			words = []string{"-o"}
		}
		if text, ok := rule[key].(string); ok && text != "" {
			words = parts(text)
		}
		return "a list of words: [" + quoted(words) + "]"
	case "match", "not_match":
		line := "git status"
		if text, ok := rule[key].(string); ok {
			line = text
		}
		return "a list of lines: [" + quoted([]string{line}) + "]"
	}
	return "text in quotes"
}

// quoted returns words as a list in TOML has them.
func quoted(words []string) string {
	var list []string
	for _, w := range words {
		list = append(list, strconv.Quote(w))
	}
	return strings.Join(list, ", ")
}

// isNear reports whether one may be a slip for the other: all but two bytes in a row are the same.
func isNear(a, b string) bool {
	for a != "" && b != "" && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for a != "" && b != "" && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return len(a) <= 2 && len(b) <= 2
}

// keys says where in a file each key stands, which decoding forgets.
type keys struct {
	data []byte
	at   map[key]uint32 // offsets
}

type key struct {
	rule int // -1 at the top
	name string
}

// position returns the line and column of a key, in bytes from 1, or of its rule's head if the rule
// hasn't got it. Both are 0 if that isn't there either.
func (k keys) position(rule int, name string) (line, column int) {
	offset, ok := k.at[key{rule, name}]
	if !ok {
		offset, ok = k.at[key{rule, ""}]
	}
	if !ok {
		return 0, 0
	}
	before := k.data[:offset]
	return bytes.Count(before, []byte("\n")) + 1, len(before) - bytes.LastIndexByte(before, '\n')
}

// rule returns the number of the rule that a line belongs to, from 0, or -1.
func (k keys) rule(line int) int {
	end := 0 // of the line
	for ; line > 0 && end < len(k.data); line-- {
		next := bytes.IndexByte(k.data[end:], '\n')
		if next < 0 {
			end = len(k.data)
			break
		}
		end += next + 1
	}
	last := -1
	for key, offset := range k.at {
		if key.name == "" && int(offset) < end {
			last = max(last, key.rule)
		}
	}
	return last
}

// findKeys reads data, which is known to be good TOML.
func findKeys(data []byte) keys {
	found := keys{data: data, at: map[key]uint32{}}
	rule := -1
	p := unstable.Parser{}
	p.Reset(data)
	for p.NextExpression() {
		e := p.Expression()
		it := e.Key()
		if !it.Next() {
			continue
		}
		first := it.Node()
		name := string(first.Data)
		switch {
		case e.Kind == unstable.ArrayTable && name == "rule":
			rule++
			name = ""
		case e.Kind != unstable.KeyValue:
			continue
		}
		found.at[key{rule, name}] = first.Raw.Offset
	}
	return found
}
