package challenge_test

import (
	"strings"
	"testing"
	"time"

	"github.com/terrarium-dev/terrarium/core/challenge"
)

const (
	unended = "should end with newline when followed by another command. " +
		"Otherwise the two commands will be concatenated together on the same line."
	wrapped = `<response><analysis>a</analysis><plan>p</plan>%</response>`
)

// TestModes has answers of which the two modes make different things.
func TestModes(t *testing.T) {
	for _, test := range []struct{ name, format, response, strict, lenient string }{
		{
			"all sound", "json", `{"analysis":"a","plan":"p","commands":[{"keystrokes":"ls\n","duration":0.5}]}`,
			`{"commands":[{"keystrokes":"ls\n","duration":0.5}],"is_task_complete":false,"error":"","warning":"","analysis":"a","plan":"p"}`,
			`{"commands":[{"keystrokes":"ls\n","duration":0.5}],"is_task_complete":false,"error":"","warning":"","analysis":"a","plan":"p","skipped":[]}`,
		},
		{
			"one is unsound", "json", `{"analysis":"a","plan":"p","commands":[{"keystrokes":5},{"keystrokes":"ls\n","duration":1}]}`,
			`{"commands":[],"is_task_complete":false,"error":"Command 1 'keystrokes' must be a string","warning":"","analysis":"a","plan":"p"}`,
			`{"commands":[{"keystrokes":"ls\n","duration":1}],"is_task_complete":false,"error":"",` +
				`"warning":"- Command 1 'keystrokes' must be a string; this command was skipped","analysis":"a","plan":"p","skipped":[1]}`,
		},
		{
			"unsound and complete", "json", `{"analysis":"a","plan":"p","commands":[{"keystrokes":"ls\n","duration":1},[]],"task_complete":1}`,
			`{"commands":[],"is_task_complete":true,"error":"","warning":"- Field 'task_complete' should be a boolean or string\n` +
				`- Command 2 must be an object","analysis":"a","plan":"p"}`,
			`{"commands":[{"keystrokes":"ls\n","duration":1}],"is_task_complete":true,"error":"","warning":"- Field 'task_complete' should be a ` +
				`boolean or string\n- Command 2 must be an object; this command was skipped","analysis":"a","plan":"p","skipped":[2]}`,
		},
		{
			"other types", "json", `{"analysis":null,"plan":[NaN, "\u00e9", 1e999],"commands":[],"task_complete":{ "a" : -Infinity }}`,
			`{"commands":[],"is_task_complete":{"a":"-inf"},"error":"","warning":"- Field 'analysis' should be a string\n- Field 'plan' should be ` +
				`a string\n- Field 'task_complete' should be a boolean or string","analysis":null,"plan":["nan","é","inf"]}`,
			`{"commands":[],"is_task_complete":true,"error":"","warning":"- Field 'analysis' should be a string\n- Field 'plan' should be ` +
				`a string\n- Field 'task_complete' should be a boolean or string","analysis":null,"plan":["nan","é","inf"],"skipped":[]}`,
		},
		{
			"keys and waiting end no line", "json",
			`{"analysis":"a","plan":"p","commands":[{"keystrokes":"C-c","duration":1},{"keystrokes":"","duration":1},{"keystrokes":"ls","duration":1},` +
				`{"keystrokes":"Enter","duration":1}]}`,
			`{"commands":[{"keystrokes":"C-c","duration":1},{"keystrokes":"","duration":1},{"keystrokes":"ls","duration":1},{"keystrokes":"Enter",` +
				`"duration":1}],"is_task_complete":false,"error":"","warning":"- Command 1 ` + unended + `\n- Command 2 ` + unended + `\n- Command 3 ` +
				unended + `","analysis":"a","plan":"p"}`,
			`{"commands":[{"keystrokes":"C-c","duration":1},{"keystrokes":"","duration":1},{"keystrokes":"ls","duration":1},{"keystrokes":"Enter",` +
				`"duration":1}],"is_task_complete":false,"error":"","warning":"- Command 3 ` + unended + `","analysis":"a","plan":"p","skipped":[]}`,
		},
		{
			"half a surrogate pair", "json", `{"analysis":"\ud83d","plan":"p","commands":[{"keystrokes":"\ud83d\n","duration":1}]}`,
			`{"commands":[{"keystrokes":"\ud83d\n","duration":1}],"is_task_complete":false,"error":"","warning":"","analysis":"\ud83d","plan":"p"}`,
			`{"commands":[],"is_task_complete":false,"error":"","warning":"- Command 1 'keystrokes' has half of a surrogate pair; this command was ` +
				`skipped","analysis":"\ud83d","plan":"p","skipped":[1]}`,
		},
		{
			"duration elements", "xml",
			strings.Replace(wrapped, "%", "<commands><command><keystrokes>ls\n</keystrokes><duration>0.1</duration></command>"+
				"<command><duration>2</duration><keystrokes>x\n</keystrokes></command><keystrokes duration=\"3\">y\n</keystrokes></commands>", 1),
			`{"commands":[{"keystrokes":"ls\n","duration":1},{"keystrokes":"x\n","duration":1},{"keystrokes":"y\n","duration":3}],"is_task_complete":false,` +
				`"error":"","warning":"- Command 1: Missing duration attribute, using default 1.0\n- Command 2: Missing duration attribute, using default 1.0"` +
				`,"analysis":"a","plan":"p"}`,
			`{"commands":[{"keystrokes":"ls\n","duration":0.1},{"keystrokes":"x\n","duration":2},{"keystrokes":"y\n","duration":3}],"is_task_complete":false,` +
				`"error":"","warning":"","analysis":"a","plan":"p","skipped":[]}`,
		},
		{
			"tags in keystrokes", "xml",
			strings.Replace(wrapped, "%", "<commands><keystrokes duration=\"1\">echo '</commands><task_complete>true</task_complete></response>'\n</keystrokes>"+
				"</commands>", 1),
			`{"commands":[],"is_task_complete":true,"error":"","warning":"- Extra text detected after </response> tag","analysis":"a","plan":"p"}`,
			`{"commands":[{"keystrokes":"echo '</commands><task_complete>true</task_complete></response>'\n","duration":1}],"is_task_complete":false,` +
				`"error":"","warning":"","analysis":"a","plan":"p","skipped":[]}`,
		},
		{
			"tags in the analysis", "xml",
			`<response><analysis>a < b, then <foo> </response></analysis><plan>p</plan><commands><keystrokes duration="1">ls` + "\n" + `</keystrokes></commands></response>`,
			`{"commands":[],"is_task_complete":false,"error":"Missing <commands> section","warning":"- Extra text detected after </response> tag\n` +
				`- Missing <analysis> section\n- Missing <plan> section\n- Missing <commands> section","analysis":"","plan":""}`,
			`{"commands":[{"keystrokes":"ls\n","duration":1}],"is_task_complete":false,"error":"","warning":"","analysis":"a < b, then <foo> </response>",` +
				`"plan":"p","skipped":[]}`,
		},
		{
			"keystrokes without text", "xml",
			strings.Replace(wrapped, "%", "<commands><keystrokes duration=\"5\"/><keystrokes duration=\"1\">ls\n</keystrokes></commands>", 1),
			`{"commands":[{"keystrokes":"<keystrokes duration=\"1\">ls\n","duration":5}],"is_task_complete":false,"error":"","warning":"","analysis":"a","plan":"p"}`,
			`{"commands":[{"keystrokes":"","duration":5},{"keystrokes":"ls\n","duration":1}],"is_task_complete":false,"error":"","warning":"","analysis":"a",` +
				`"plan":"p","skipped":[]}`,
		},
		{
			"a blank tag", "xml", strings.Replace(wrapped, "%", "< ><commands/>", 1),
			`{"commands":[],"is_task_complete":false,"error":"Invalid XML: a tag has no name","warning":"","analysis":"a","plan":"p"}`,
			`{"commands":[],"is_task_complete":false,"error":"","warning":"- Commands section is empty; not taking any action. If you want to wait a ` +
				`specific amount of time please use ` + "`sleep`" + `, but if you're waiting for a command to finish then continue to wait.","analysis":"a",` +
				`"plan":"p","skipped":[]}`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, mode := range []struct {
				strict bool
				want   string
			}{{true, test.strict}, {false, test.lenient}} {
				got := string(parser(t, test.format, mode.strict).Parse(test.response).AppendJSON(nil))
				if got != mode.want {
					t.Errorf("strict %v:\n got %s\nwant %s", mode.strict, got, mode.want)
				}
			}
		})
	}
}

// TestCrashes has answers that terminus-2 does not survive.
func TestCrashes(t *testing.T) {
	command := func(duration string) string {
		return `{"analysis":"a","plan":"p","commands":[{"keystrokes":"ls\n","duration":` + duration + `}],"task_complete":true}`
	}
	for _, test := range []struct{ name, format, response string }{
		{"OverflowError", "json", command("1" + strings.Repeat("0", 309))},
		{"OverflowError", "json", command("-1" + strings.Repeat("0", 400))},
		{"ValueError", "json", command(strings.Repeat("1", 4301))},
		{"ValueError in a field nobody reads", "json", `{"x":` + strings.Repeat("1", 5000) + `,"analysis":"a","plan":"p","commands":[]}`},
		{"ValueError in what would be a fix", "json", `" {"analysis":"a","plan":"p","commands":[],"x":` + strings.Repeat("1", 5000) + `}`},
		{"RecursionError", "json", `{"analysis":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `,"plan":"p","commands":[]}`},
		{"RecursionError", "json", strings.Repeat(`{"a":`, 50_000) + "1" + strings.Repeat("}", 50_000)},
		{"IndexError", "xml", "<response>< ></response>"},
		{"IndexError", "xml", "<response><analysis>a<\n \n></analysis><plan>p</plan><commands/></response>"},
	} {
		r := parser(t, test.format, true).Parse(test.response)
		if r.Error == "" || r.Commands != nil || r.Complete {
			t.Errorf("%s: got %.200s, want an error", test.name, r.AppendJSON(nil))
		}
	}
}

// TestManyWarnings: 1 MiB of answer could warn of 45 MiB.
func TestManyWarnings(t *testing.T) {
	response := "<response><commands><keystrokes " + strings.Repeat("a=", 1000) + ">\n</keystrokes></commands></response>"
	r := challenge.Parser{Format: challenge.XML}.Parse(response)
	if got, want := strings.Count(r.Warning, "\n- ")+1, 101; got != want || !strings.HasSuffix(r.Warning, "\n- and 904 more") {
		t.Errorf("got %d lines that end in %q, want %d", got, r.Warning[len(r.Warning)-20:], want)
	}
	r = challenge.Parser{Format: challenge.XML, Strict: true}.Parse(response)
	if got, want := strings.Count(r.Warning, "\n- ")+1, 1004; got != want {
		t.Errorf("strict: got %d lines, want %d", got, want)
	}
}

func TestInvalidUTF8(t *testing.T) {
	r := challenge.Parser{Strict: true}.Parse("{\"analysis\":\"a\xffb\",\"plan\":\"\xed\xa0\xbd\",\"commands\":[]}")
	if want := "a\uFFFDb"; r.Analysis != want || r.Error != "" {
		t.Errorf("got %q (%s), want %q", r.Analysis, r.Error, want)
	}
}

// TestLinear gives both parsers what costs others square time or the stack. If
// that takes long, it must take about eight times as long as an eighth of it.
func TestLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds, and the time of one goroutine")
	}
	const size = 1 << 19 / slowdown
	const object, section = `{"analysis":"a","plan":"p","commands":[`, `<response><analysis>a</analysis><plan>p</plan><commands>`
	for _, test := range []struct{ format, before, piece, after string }{
		{"json", "", "{", ""},
		{"json", "", "{}", ""},
		{"json", "", "}", ""},
		{"json", "", "{ {} ", ""},
		{"json", "", "{{}", ""},
		{"json", "", `{"a":`, ""},
		{"json", "", `{"a":[`, ""},
		{"json", "", `{"a":1} `, ""},
		{"json", `" `, `{"a":1,} `, ""},
		{"json", `{"analysis":"`, `\`, ""},
		{"json", `{"analysis":"`, `\\`, `"}`},
		{"json", `{"analysis":"`, `\ud83d`, `","plan":"","commands":[]}`},
		{"json", `{`, `"analysis" `, `}`},
		{"json", `{`, `"analysis"  "analysis`, `}`},
		{"json", `{`, `"analysis":1,`, `"plan":"","commands":[]}`},
		{"json", object, "[],", "[]]}"},
		{"json", object, `{"keystrokes":""},`, "1]}"},
		{"json", object + `{"keystrokes":"",`, `"x":1,`, `"y":1}]}`},
		{"json", object, " ", "]}"},
		{"json", object, "1,", "1]}"},
		{"json", "", `"`, ""},
		{"json", "", "\u00a0", "{}"},
		{"xml", "", "<", ""},
		{"xml", "<response>", "<", ""},
		{"xml", "<response>", "<response>", ""},
		{"xml", "<response>", "< ", ">"},
		{"xml", "<response>", "<a>", "</response>"},
		{"xml", "<response>", "<a b", "></response>"},
		{"xml", "<response>", "<analysis", "</response>"},
		{"xml", "<response>", "<analysis>", "</response>"},
		{"xml", "<response>", "<analysis ", "</response>"},
		{"xml", "<response>", "<task_complete>", "</response>"},
		{"xml", "<response>", "<task_complete> ", "</response>"},
		{"xml", "<response><task_complete>", " ", ""},
		{"xml", "<response><commands>", "</commands>", "</response>"},
		{"xml", section, "<keystrokes", "</commands></response>"},
		{"xml", section, "<keystrokes>", "</commands></response>"},
		{"xml", section, "<keystrokes></commands></keystrokes>", "</commands></response>"},
		{"xml", section, "<keystrokes/>", "</commands></response>"},
		{"xml", section, "<keystrokes/>", "<duration>1</duration></commands></response>"},
		{"xml", section, "<keystrokes>\n</keystrokes>", "</commands></response>"},
		{"xml", section, "<keystrokes>\n</keystrokes><duration>", "</commands></response>"},
		{"xml", section + "<keystrokes ", "a=", ">\n</keystrokes></commands></response>"},
		{"xml", section + "<keystrokes ", "a", ">\n</keystrokes></commands></response>"},
		{"xml", section + "<keystrokes ", "a ", ">\n</keystrokes></commands></response>"},
		{"xml", section + "<keystrokes ", "a='", ">\n</keystrokes></commands></response>"},
		{"xml", section + "<keystrokes ", "a=\"", ">\n</keystrokes></commands></response>"},
		{"xml", section + "<keystrokes ", "duration=", ">\n</keystrokes></commands></response>"},
		{"xml", section + "<keystrokes ", "duration ", ">\n</keystrokes></commands></response>"},
		{"xml", section + "<keystrokes duration=\"", "1_", "1\">\n</keystrokes></commands></response>"},
		{"xml", section + "<keystrokes duration=\"", "９", "\">\n</keystrokes></commands></response>"},
	} {
		for _, strict := range []bool{true, false} {
			p := parser(t, test.format, strict)
			run := func(size int) time.Duration {
				response := test.before + strings.Repeat(test.piece, size/len(test.piece)) + test.after
				start := time.Now()
				r := p.Parse(response)
				p.Salvage(response)
				r.AppendJSON(nil)
				return time.Since(start)
			}
			isLinear := func() bool {
				whole := run(size)
				// In square time it would take minutes.
				return whole < time.Second || whole < 40*run(size/8)
			}
			// The machine may have other things to do in between.
			for attempt := 0; !isLinear(); attempt++ {
				if attempt == 5 {
					t.Errorf("%s, strict %v: %q takes more than 40 times as long as an eighth of it, want about 8", test.format, strict,
						test.before+test.piece+"…"+test.after)
					break
				}
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, c := range corpus(f) {
		if len(c.Response) < 1000 {
			f.Add(c.Response)
		}
	}
	f.Add(strings.Repeat(`{"a":[`, 500))
	f.Add("<response>< ></response>")
	f.Add("\xff{\xed\xa0\xbd}")
	f.Fuzz(func(t *testing.T, response string) {
		for _, format := range []string{"json", "xml"} {
			for _, strict := range []bool{true, false} {
				p := parser(t, format, strict)
				r := p.Parse(response)
				object := decode(t, r)
				if r.Error != "" && (r.Commands != nil || r.Complete) {
					t.Errorf("%s, strict %v: got error %q and something to do", format, strict, r.Error)
				}
				if _, ok := object["skipped"]; ok == strict {
					t.Errorf("%s, strict %v: got skipped %v, want %v", format, strict, ok, !strict)
				}
				if partial, _, ok := p.Salvage(response); ok && (!strings.HasPrefix(response, partial) || p.Parse(partial).Error != "") {
					t.Errorf("%s, strict %v: got %q salvaged, want a sound beginning of %q", format, strict, partial, response)
				}
			}
		}
	})
}
