package challenge

import "strings"

// parseXML reads an answer that looks like XML. It is none: there are tags to
// be found, and no entities, no sections without markup, no attributes but
// those of keystrokes.
func (p Parser) parseXML(response string) Result {
	x := xmlAnswer{strict: p.Strict, notes: notes{all: p.Strict}}
	if !x.strict {
		x.result.Skipped = []int{}
	}
	if x.result.Error = x.read(response); x.result.Error != "" {
		x.result.Commands, x.result.Complete = nil, false
	}
	x.result.Warning = x.notes.String()
	return x.result
}

// An xmlAnswer is an XML answer that is being read.
type xmlAnswer struct {
	strict bool
	notes  notes
	result Result
}

// A marked is a text in which tags are looked for. Tags is the text itself, or
// one of the same length in which that is blotted out which is no tag though
// it looks like one.
type marked struct{ text, tags string }

func (m marked) slice(start, end int) marked { return marked{m.text[start:end], m.tags[start:end]} }

// strip removes blanks around m. Where they are not tags both texts have them.
func (m marked) strip() marked {
	start := skipSpace(m.text, 0)
	return m.slice(start, start+len(strip(m.text[start:])))
}

// between returns what is between the first open and the first shut after it.
func (m marked) between(open, shut string) (inner marked, ok bool) {
	start := strings.Index(m.tags, open)
	if start < 0 {
		return marked{}, false
	}
	start += len(open)
	n := strings.Index(m.tags[start:], shut)
	if n < 0 {
		return marked{}, false
	}
	return m.slice(start, start+n), true
}

// read returns what is wrong.
func (x *xmlAnswer) read(response string) string {
	m := marked{response, response}
	if !x.strict {
		m.tags = blot(response)
	}
	x.checkAround(m)
	start := strings.Index(m.tags, "<response>")
	if start < 0 {
		return "No <response> tag found"
	}
	content := m.slice(start+len("<response>"), len(m.tags))
	if end := strings.Index(content.tags, "</response>"); end >= 0 {
		content = content.slice(0, end)
	}
	if content = content.strip(); content.text == "" {
		return "No <response> tag found"
	}
	x.result.Complete = saysComplete(content.tags)
	return x.readSections(content)
}

// checkAround looks at what is outside the response.
func (x *xmlAnswer) checkAround(m marked) {
	start := strings.Index(m.tags, "<response>")
	if start < 0 {
		return
	}
	if strip(m.text[:start]) != "" {
		x.notes.add("Extra text detected before <response> tag")
	}
	end := strings.Index(m.tags, "</response>")
	if end < 0 || strip(m.text[end+len("</response>"):]) == "" {
		return
	}
	x.notes.add("Extra text detected after </response> tag")
	if n := strings.Count(m.tags, "<response>"); n > 1 {
		x.notes.addRepeated("response", n)
	}
}

// readSections returns what is wrong.
func (x *xmlAnswer) readSections(content marked) string {
	sections := map[string]marked{}
	for _, name := range [...]string{"analysis", "plan", "commands", "task_complete"} {
		if s, ok := findSection(content, name); ok {
			sections[name] = s
		} else if name != "task_complete" {
			x.notes.add("Missing <", name, "> section")
		}
	}
	x.result.Analysis, x.result.Plan = sections["analysis"].text, sections["plan"].text
	if !x.checkTags(content.tags) {
		return "Invalid XML: a tag has no name"
	}
	x.checkRepeats(content.tags)
	if found, expected := order(func(name string) int { return findTag(content.tags, name) }); found != expected {
		x.notes.add("Sections appear in wrong order. Found: ", found, ", expected: ", expected)
	}

	commands, ok := sections["commands"]
	switch {
	case commands.text != "":
		x.readCommands(commands)
	case !ok && !x.result.Complete:
		return "Missing <commands> section"
	case ok && !x.result.Complete:
		x.notes.add("Commands section is empty; not taking any action. If you want to wait a specific amount of time please use ",
			"`sleep`, but if you're waiting for a command to finish then continue to wait.")
	}
	return ""
}

// findSection returns what is in the first section of that name, without the
// blanks around it.
func findSection(content marked, name string) (marked, bool) {
	if s, ok := content.between("<"+name+">", "</"+name+">"); ok {
		return s.strip(), true
	}
	for i := range indexes(content.tags, "<"+name) {
		if rest := content.tags[skipSpace(content.tags, i+len("<")+len(name)):]; strings.HasPrefix(rest, "/>") {
			return marked{}, true
		}
	}
	return marked{}, false
}

// checkRepeats counts how often each section begins, anywhere.
func (x *xmlAnswer) checkRepeats(tags string) {
	for _, name := range [...]string{"analysis", "plan", "commands", "task_complete"} {
		n := 0
		for i := range indexes(tags, "<"+name) {
			if endsName(tags[i+len("<")+len(name):]) {
				n++
			}
		}
		switch {
		case n < 2:
		case name == "commands":
			x.notes.addRepeated(name, n)
		default:
			x.notes.add("Multiple <", name, "> sections found")
		}
	}
}

// findTag returns where the first section of that name begins, or -1.
func findTag(tags, name string) int {
	for i := range indexes(tags, "<"+name) {
		if endsName(tags[i+len("<")+len(name):]) {
			return i
		}
	}
	return -1
}

// endsName reports whether the name of a tag ends before rest.
func endsName(rest string) bool {
	return strings.HasPrefix(rest, ">") || strings.HasPrefix(rest, "/>") || rest != "" && skipSpace(rest, 0) > 0
}
