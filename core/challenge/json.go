package challenge

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

const errNoJSON = "No valid JSON found in response"

func (p Parser) parseJSON(response string) Result {
	a := p.newAnswer()
	first := a.read(response)
	if first.Error == "" || a.fatal {
		return first
	}
	for _, fix := range fixes {
		fixed, ok := fix.apply(response, first.Error)
		if !ok {
			continue
		}
		a := p.newAnswer()
		r := a.read(fixed)
		if r.Error == "" {
			a.notes.list = slices.Insert(a.notes.list, 0, "AUTO-CORRECTED: "+fix.name+" - please fix this in future responses")
			r.Warning = a.notes.String()
		}
		if r.Error == "" || a.fatal {
			return r
		}
	}
	return first
}

// An answer is a JSON answer that is being read.
type answer struct {
	strict bool
	notes  notes
	fatal  bool // its error ends a trial of terminus-2, and is not to be fixed
	result Result
}

func (p Parser) newAnswer() answer { return answer{strict: p.Strict, notes: notes{all: p.Strict}} }

func (a *answer) read(response string) Result {
	if !a.strict {
		a.result.Skipped = []int{}
	}
	a.result.Error = a.readObject(response)
	a.result.Warning = a.notes.String()
	if a.result.Error != "" {
		a.result.Commands, a.result.Complete = nil, false
		a.result.rawComplete = value{}
	}
	return a.result
}

// readObject returns what is wrong.
func (a *answer) readObject(response string) string {
	start, end, ok := findObject(response)
	if !ok {
		a.notes.add("No valid JSON object found")
		return errNoJSON
	}
	if strip(response[:start]) != "" {
		a.notes.add("Extra text detected before JSON object")
	}
	if strip(response[end:]) != "" {
		a.notes.add("Extra text detected after JSON object")
	}
	text := response[start:end]
	object, err := load(text)
	if err != nil {
		a.fatal = err.fatal
		return "Invalid JSON: " + err.describe(text) + excerpt(text)
	}
	return a.readFields(object)
}

// findObject returns where the first {…} is. It looks for braces, quotes and
// backslashes from the beginning of response on, prose or not, and so fails on
// a text with an odd number of quotes before the object.
func findObject(response string) (start, end int, ok bool) {
	start = -1
	depth := 0
	quoted := false
	for i := 0; i < len(response); i++ {
		switch c := response[i]; {
		case c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{':
			if depth == 0 {
				start = i
			}
			depth++
		case c == '}':
			depth--
			if depth == 0 && start >= 0 {
				return start, i + 1, true
			}
		}
	}
	return 0, 0, false
}

// excerpt quotes a text that is not JSON, or its beginning.
func excerpt(text string) string {
	const all, preview = 200, 100 // in characters
	if utf8.RuneCountInString(text) < all {
		return " | Content: " + repr(text)
	}
	n := 0
	for i := range text {
		if n == preview {
			text = text[:i]
			break
		}
		n++
	}
	return " | Content preview: " + repr(text) + "..."
}

// fields are the members of an answer that count.
type fields struct{ analysis, plan, commands, complete value }

func (a *answer) readFields(object value) string {
	var f fields
	for name, member := range object.members() {
		switch key, _ := name.text(); key {
		case "analysis":
			f.analysis = member
		case "plan":
			f.plan = member
		case "commands":
			f.commands = member
		case "task_complete":
			f.complete = member
		}
	}
	if missing := f.missing(); missing != nil {
		return "Missing required fields: " + strings.Join(missing, ", ")
	}
	if !f.analysis.isString() {
		a.notes.add("Field 'analysis' should be a string")
	}
	if !f.plan.isString() {
		a.notes.add("Field 'plan' should be a string")
	}
	if !f.commands.isArray() {
		return "Field 'commands' must be an array"
	}
	a.checkOrder(object.raw)
	a.keepText(f)
	a.readComplete(f.complete)
	return a.readCommands(f.commands.items())
}

func (f *fields) missing() (names []string) {
	for _, field := range []struct {
		name  string
		value value
	}{{"analysis", f.analysis}, {"plan", f.plan}, {"commands", f.commands}} {
		if !field.value.exists() {
			names = append(names, field.name)
		}
	}
	return names
}

// keepText puts what the agent thinks into the result.
func (a *answer) keepText(f fields) {
	r := &a.result
	r.Analysis, _ = f.analysis.text()
	r.Plan, _ = f.plan.text()
	r.rawAnalysis, r.rawPlan = f.analysis, f.plan
}

func (a *answer) readComplete(v value) {
	if v.exists() && v.raw != "null" && !v.isBool() && !v.isString() {
		a.notes.add("Field 'task_complete' should be a boolean or string")
	}
	if !v.isString() {
		a.result.Complete, a.result.rawComplete = v.isTrue(), v
		return
	}
	text, _ := v.text()
	switch strings.ToLower(text) {
	case "true", "1", "yes":
		a.result.Complete = true
	}
}

// checkOrder looks for the fields' names anywhere in the text, so a field of
// the same name deeper inside counts too.
func (a *answer) checkOrder(text string) {
	found, expected := order(func(name string) int { return findKey(text, `"`+name+`"`) })
	if found != expected {
		a.notes.add("Fields appear in wrong order. Found: ", found, ", expected: ", expected)
	}
}

// findKey returns where name, with its quotes, first stands before a colon, or
// -1.
func findKey(text, name string) int {
	for from := 0; ; {
		i := strings.Index(text[from:], name)
		if i < 0 {
			return -1
		}
		i += from
		if after := skipSpace(text, i+len(name)); strings.HasPrefix(text[after:], ":") {
			return i
		}
		from = i + len(name) - len(`"`) // which may open the next
	}
}

// readCommands returns what is wrong with the first command that makes no
// sense. When the task is complete that is only a warning, but still none of
// the commands run.
func (a *answer) readCommands(items []value) string {
	for i, item := range items {
		number := strconv.Itoa(i + 1)
		c, wrong := a.readCommand(item, number, i == len(items)-1)
		switch {
		case wrong == "":
			a.result.Commands = append(a.result.Commands, c)
		case a.fatal:
			return wrong
		case !a.strict:
			a.notes.add(wrong, "; this command was skipped")
			a.result.Skipped = append(a.result.Skipped, i+1)
		case a.result.Complete:
			a.notes.add(wrong)
			a.result.Commands = nil
			a.result.rawComplete = value{}
			return ""
		default:
			return wrong
		}
	}
	return ""
}

func (a *answer) readCommand(item value, number string, last bool) (c Command, wrong string) {
	if !item.isObject() {
		return c, "Command " + number + " must be an object"
	}
	var keystrokes, duration value
	var unknown []string
	seen := map[string]bool{}
	for name, member := range item.members() {
		switch key, _ := name.text(); key {
		case "keystrokes":
			keystrokes = member
		case "duration":
			duration = member
		default:
			if !seen[key] {
				seen[key] = true
				unknown = append(unknown, key)
			}
		}
	}
	if !keystrokes.exists() {
		return c, "Command " + number + " missing required 'keystrokes' field"
	}
	if !keystrokes.isString() {
		return c, "Command " + number + " 'keystrokes' must be a string"
	}
	text, whole := keystrokes.text()
	if !whole && !a.strict {
		return c, "Command " + number + " 'keystrokes' has half of a surrogate pair"
	}
	c = Command{Keystrokes: text, Duration: defaultDuration, raw: keystrokes}
	switch {
	case !duration.exists():
		a.notes.add("Command ", number, ": Missing duration field, using default 1.0")
	case !duration.isNumber():
		a.notes.add("Command ", number, ": Invalid duration value, using default 1.0")
	default:
		var ok bool
		if c.Duration, ok = duration.float(); !ok {
			a.fatal = true
			return c, "Invalid JSON: Command " + number + ": duration is too large"
		}
	}
	if unknown != nil {
		a.notes.add("Command ", number, ": Unknown fields: ", strings.Join(unknown, ", "))
	}
	if !last {
		a.notes.addUnended(c.Keystrokes, number, a.strict)
	}
	return c, ""
}

// defaultDuration is that of a command that has none, in seconds.
const defaultDuration = 1.0
