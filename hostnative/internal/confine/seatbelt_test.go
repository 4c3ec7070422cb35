package confine

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write testdata")

// testMac is a Mac with the links that each has, and some that a person has made. The
// machine that the test runs on is not asked.
func testMac(homes ...string) Mac {
	links := map[string]string{
		"/etc": "/private/etc", "/tmp": "/private/tmp", "/var": "/private/var",
		"/Users/ann/link":                 "/Users/ann/work/project",
		"/Users/ann/.aws":                 "/Users/ann/dotfiles/aws",
		"/Users/ann/secret":               "/Users/ann/.ssh/in",
		"/Users/ann/owned":                "/Users/ann/.config/terrarium",
		"/Users/ann/\"quote\\":            "/Users/ann/real \"quote\"\n",
		"/private/var/run/docker.sock":    "/Users/ann/.docker/run/docker.sock",
		"/Users/ann/work/project/sublink": "/Users/ann/elsewhere",
	}
	real := func(p string) string {
		p = path.Clean(p)
	again:
		for at, to := range links {
			if p == at || isBelow(p, at) {
				p = to + strings.TrimPrefix(p, at)
				goto again
			}
		}
		return p
	}
	return Mac{Homes: homes, Real: real, IsLink: func(p string) bool { return links[p] != "" }}
}

// testRules are those of a session as the program makes them.
func testRules(l Level) Rules {
	return Rules{
		Level: l, Home: "/Users/ann",
		Roots:   []string{"/Users/ann/work/project", "/tmp/extra"},
		Write:   []string{"/Users/ann/link", "/Users/ann/.gnupg/handed"},
		Private: "/Users/ann/Library/Caches/terrarium/private/abc",
		Read:    []string{"/Users/ann/tools", "/var/tools"},
		Hide:    []string{"/Users/ann/work/project/deep/hide", "/etc/hide"},
		Own:     []string{"/Users/ann/own"},
	}
}

// hostile are names that could be more than a name to a reader of profiles.
var hostile = []string{
	`"`, `\`, `\"`, `"))(allow default)(deny nvram* (literal "`, `\"))(allow default)`, `a b`, `(x)`, `;comment`, `#t`, `#"re"`, `'x`, "line\nend",
	"return\rtab\t", "\x01\x1b[31m\x7f", "é", "e\u0301", "漢字", "🦀", "\u202e", "\u2028", "\ufeff", "$(id)", "%s", "|", "*", "\\x22", "\\042", "\\",
}

func hostileRules(l Level) Rules {
	r := Rules{Level: l, Private: `/p/"`}
	for _, name := range hostile {
		r.Roots = append(r.Roots, "/roots/"+name)
		r.Hide = append(r.Hide, "/roots/"+name+"/x/"+name)
		if l == Strict {
			r.Read = append(r.Read, "/tools/"+name)
		}
	}
	r.Own = []string{`/own/"`}
	r.Write = []string{"/Users/ann/\"quote\\/in"}
	return r
}

var withNetwork = Network{Ports: []int{61234, 1}, Sockets: []string{"/var/run/docker.sock", "/s/\"\\\n"}, Trust: true}

// Profiles are what they were, so that a change is seen.
func TestProfileGolden(t *testing.T) {
	for _, level := range []Level{Workspace, Strict} {
		for name, c := range map[string]struct {
			rules Rules
			mac   Mac
			net   Network
			tty   string
		}{
			"":             {testRules(level), testMac("/Users/ann"), Network{}, ""},
			"-net":         {testRules(level), testMac("/Users/ann"), withNetwork, "/dev/ttys003"},
			"-hostile":     {hostileRules(level), testMac(), Network{}, ""},
			"-hostile-net": {hostileRules(level), testMac(), withNetwork, "/dev/tty\"s"},
		} {
			file := filepath.Join("testdata", level.String()+name+".sb")
			got, err := Profile(c.rules, c.net, c.tty, c.mac)
			if err != nil {
				t.Errorf("%s: %v", file, err)
				continue
			}
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("%s is not what Profile returns: go test -run Golden -update writes it", file)
			}
			checkProfile(t, got, c.rules, c.net, c.tty, c.mac)
		}
	}
}

// An expr is a list, a string, or a word.
type expr struct {
	list []expr
	word string
	kind byte // '(', '"', 'r' for #"…", or 'w'
}

var words = regexp.MustCompile(`^[a-z][a-z*-]*$|^1$`)

// read reads all expressions of a text, by the rules of Scheme that quote counts on.
func read(text string) ([]expr, error) {
	all, rest, err := readList(text, false)
	if err == nil && rest != "" {
		err = errors.New("not the end: " + rest)
	}
	return all, err
}

func readList(text string, inner bool) (list []expr, rest string, err error) {
	for {
		text = strings.TrimLeft(text, " \n")
		switch {
		case text == "" && inner:
			return nil, "", errors.New("a parenthesis is open")
		case text == "":
			return list, "", nil
		case text[0] == ')' && inner:
			return list, text[1:], nil
		case text[0] == ')':
			return nil, "", errors.New("a parenthesis too many")
		case text[0] == '(':
			sub, rest, err := readList(text[1:], true)
			if err != nil {
				return nil, "", err
			}
			list, text = append(list, expr{list: sub, kind: '('}), rest
		case text[0] == '"' || strings.HasPrefix(text, `#"`):
			e, rest, err := readString(text)
			if err != nil {
				return nil, "", err
			}
			list, text = append(list, e), rest
		default:
			end := strings.IndexAny(text, "()\" \n")
			if end < 0 {
				end = len(text)
			}
			if word := text[:end]; !words.MatchString(word) {
				return nil, "", fmt.Errorf("%q is no word", word)
			}
			list, text = append(list, expr{word: text[:end], kind: 'w'}), text[end:]
		}
	}
}

func readString(text string) (e expr, rest string, err error) {
	e.kind = '"'
	if text[0] == '#' {
		e.kind, text = 'r', text[1:]
	}
	var word strings.Builder
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			e.word = word.String()
			return e, text[i+1:], nil
		case c == '\\':
			if i++; i == len(text) || text[i] != '\\' && text[i] != '"' {
				return e, "", errors.New("an escape of which readers may think otherwise")
			}
			word.WriteByte(text[i])
		default:
			word.WriteByte(c)
		}
	}
	return e, "", errors.New("a string is open")
}

// checkProfile checks that every rule is of a form that we mean to write, and that every
// string in it is a path of the rules, one of our lists, or above one.
func checkProfile(t *testing.T, text string, r Rules, n Network, tty string, m Mac) {
	t.Helper()
	rules, err := read(text)
	if err != nil {
		t.Errorf("%v: %s", err, text)
		return
	}
	known := map[string]bool{tty: true, "/": true}
	add := func(list ...string) {
		for _, p := range list {
			for _, p := range []string{path.Clean(p), m.Real(p), path.Join(m.Real(path.Dir(path.Clean(p))), path.Base(p))} {
				known[p] = true
				for ; p != "/"; p = path.Dir(p) {
					known[p] = true
				}
			}
		}
	}
	add(slices.Concat(r.Roots, r.Write, r.Read, r.Hide, r.Own, n.Sockets, macSystemDirs, macSecretFiles, macLinks)...)
	add("/dev/null", "/dev/ptmx", "/dev/stderr", "/dev/stdin", "/dev/stdout", "/dev/tty", "/dev/zero", "/dev/random", "/dev/urandom", "/dev/fd")
	if r.Private != "" {
		add(r.Private)
	}
	for _, home := range m.Homes {
		for _, name := range slices.Concat(macLists.secrets, macLists.own, toolchains, macToolchains) {
			add(path.Join(home, name))
		}
	}
	names := map[string][]string{
		"sysctl-name": sysctls, "sysctl-name-prefix": sysctlPrefixes, "global-name": append(slices.Clone(services), trustService),
		"extension": {"com.apple.sandbox.pty"}, "regex": {"^/dev/ttys[0-9]+$"},
	}
	for _, port := range n.Ports {
		names["ip"] = append(names["ip"], "localhost:"+strconv.Itoa(port))
	}
	var check func(e expr)
	check = func(e expr) {
		if len(e.list) == 0 || e.list[0].kind != 'w' {
			t.Errorf("no filter: %v", e)
			return
		}
		for _, sub := range e.list[1:] {
			kind := e.list[0].word
			switch {
			case sub.kind == '(':
				check(sub)
			case sub.kind == 'w':
				if s := kind + " " + sub.word; s != "target same-sandbox" && s != "remote ip" && s != "remote unix-socket" {
					t.Errorf("unknown: %s", s)
				}
			case kind == "literal" || kind == "subpath" || kind == "path-literal":
				if !known[sub.word] {
					t.Errorf("%s %q is none of ours", kind, sub.word)
				}
			case kind == "remote":
				if !slices.Contains(names["ip"], sub.word) {
					t.Errorf("%q is no port of ours", sub.word)
				}
			case !slices.Contains(names[kind], sub.word):
				t.Errorf("%s %q is none of ours", kind, sub.word)
			}
		}
	}
	for i, rule := range rules {
		if rule.kind != '(' || len(rule.list) < 2 {
			t.Errorf("no rule: %v", rule)
			continue
		}
		switch verb := rule.list[0].word; {
		case i == 0 && verb == "version":
		case i == 1 && verb == "deny" && rule.list[1].word == "default":
		case verb == "allow" || verb == "deny":
			filters := 0
			for _, e := range rule.list[1:] {
				switch {
				case e.kind == '(':
					filters++
					check(e)
				case e.kind != 'w' || filters > 0 || e.word == "default":
					t.Errorf("no operation: %v", e)
				}
			}
			if filters == 0 && verb == "allow" && !slices.Contains(unfiltered, rule.list[1].word) {
				t.Errorf("%s is allowed for everything", rule.list[1].word)
			}
			if filters > maxFilters {
				t.Errorf("%d filters in a rule", filters)
			}
		default:
			t.Errorf("unknown: %s", verb)
		}
	}
}

// unfiltered are what rules may allow without a filter.
var unfiltered = namesIn("process-fork file-map-executable mach-host* ipc-posix-sem ipc-posix-shm* pseudo-tty")

// allows decides as a profile says. Of the rules for an operation the last one counts;
// with closest, those that name it itself come before those that name a group that it
// is in. Which of both is so is not known.
func allows(t *testing.T, rules []expr, closest bool, op, p string) bool {
	t.Helper()
	matches := func(e expr) bool {
		switch e.list[0].word {
		case "literal":
			return p == e.list[1].word
		case "subpath":
			return p == e.list[1].word || isBelow(p, e.list[1].word)
		case "remote":
			return p == e.list[2].word || e.list[2].kind == '(' && p == e.list[2].list[1].word
		}
		return false
	}
	last := map[string]string{} // by name of the operation, or of a group
	any := ""
	for _, rule := range rules[1:] {
		matched, of := true, ""
		for _, e := range rule.list[1:] {
			switch {
			case e.kind == '(':
				matched = matched && of != ""
			case e.word == op || strings.HasSuffix(e.word, "*") && strings.HasPrefix(op, strings.TrimSuffix(e.word, "*")):
				if len(e.word) > len(of) {
					of = e.word
				}
			}
		}
		filters := slices.DeleteFunc(slices.Clone(rule.list[1:]), func(e expr) bool { return e.kind != '(' })
		if of == "" || len(filters) > 0 && !slices.ContainsFunc(filters, matches) {
			continue
		}
		last[of], any = rule.list[0].word, rule.list[0].word
	}
	if !closest {
		return any == "allow"
	}
	for _, name := range []string{op, op[:strings.LastIndex(op, "-")] + "*", strings.Join(strings.Split(op, "-")[:2], "-") + "*"} {
		if last[name] != "" {
			return last[name] == "allow"
		}
	}
	return false
}

// What commands may do is what the rules say, whichever of two rules counts.
func TestProfile(t *testing.T) {
	const project = "/Users/ann/work/project"
	const (
		no = iota
		workspace
		both
	)
	for _, level := range []Level{Workspace, Strict} {
		text, err := Profile(testRules(level), withNetwork, "/dev/ttys003", testMac("/Users/ann"))
		if err != nil {
			t.Fatal(err)
		}
		rules, err := read(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, test := range []struct {
			path                  string
			look, read, run, edit int
		}{
			{project + "/a", both, both, both, both},
			{"/private/tmp/extra/a", both, both, both, both},
			{"/private/tmp/other", workspace, workspace, workspace, no},
			{"/usr/bin/git", both, both, both, no},
			{"/Users/ann/tools/x", both, both, both, no},
			{"/private/var/tools/x", both, both, both, no},
			{"/Users/ann/go/bin/x", both, both, both, no},
			{"/Users/ann/letter", workspace, workspace, workspace, no},
			{"/Users/ann", both, workspace, workspace, no},
			{"/Users/ann/.ssh", no, no, no, no},
			{"/Users/ann/.ssh/id", no, no, no, no},
			{"/Users/ann/.sshd", workspace, workspace, workspace, no},
			{"/Users/ann/dotfiles/aws/credentials", no, no, no, no}, // what ~/.aws leads to
			{"/Users/ann/.gnupg/key", no, no, no, no},
			{"/Users/ann/.gnupg", both, no, no, no},
			{"/Users/ann/.gnupg/handed/x", both, both, both, both},
			{"/Users/ann/Library/Keychains/login.keychain-db", no, no, no, no},
			{"/Users/ann/Library/Application Support/Google/Chrome/Cookies", no, no, no, no},
			{"/Users/ann/Library/Caches/terrarium/module", no, no, no, no},
			{"/Users/ann/Library/Caches/terrarium/private/abd/x", no, no, no, no},
			{"/Users/ann/Library/Caches/terrarium/private/abc/tmp/x", both, both, both, both},
			{"/Users/ann/own/x", no, no, no, no},
			{project + "/deep/hide", no, no, no, no},
			{project + "/deep/hide/x", no, no, no, no},
			{project + "/deep/hidden", both, both, both, both},
			{"/private/etc/hide", no, no, no, no},
			{"/private/etc/hosts", both, both, both, no},
			{"/private/etc/sudoers", no, no, no, no},
			{"/etc", both, workspace, workspace, no},
			{"/System/Volumes/Data/Users/ann/letter", no, no, no, no},
			{"/dev/disk0", no, no, no, no},
			{"/dev/ttys004", no, no, no, no},
		} {
			for _, at := range []struct {
				op   string
				want int
			}{
				{"file-read-metadata", test.look}, {"file-read-data", test.read}, {"process-exec-interpreter", test.run},
				{"file-write-data", test.edit}, {"file-write-create", test.edit}, {"file-write-unlink", test.edit},
				{"file-write-setugid", no}, {"file-ioctl", no},
			} {
				for _, closest := range []bool{false, true} {
					if got, want := allows(t, rules, closest, at.op, test.path), at.want == both || at.want == workspace && level == Workspace; got != want {
						t.Errorf("%v: %s %s, closest %v: got %v, want %v", level, at.op, test.path, closest, got, want)
					}
				}
			}
		}
		for _, test := range []struct {
			op, path string
			want     bool
		}{
			// What is above something hidden keeps its name, but for that it is like all else.
			{"file-write-unlink", project, false},
			{"file-write-unlink", project + "/deep", false},
			{"file-write-create", project + "/deep", true},
			// A root by another name is not the root: the link could be removed.
			{"file-write-unlink", "/Users/ann/link", false},
			{"file-read-metadata", "/Users/ann/link", true},
			{"file-write-data", "/dev/null", true},
			{"file-write-unlink", "/dev/null", false},
			{"file-ioctl", "/dev/ttys003", true},
			{"file-write-data", "/dev/ttys003", true},
			{"file-read-data", "/dev/urandom", true},
			{"file-write-data", "/dev/urandom", false},
			{"file-write-data", "/dev/fd/2", true},
			{"network-outbound", "localhost:61234", true},
			{"network-outbound", "localhost:61235", false},
			{"network-outbound", "/Users/ann/.docker/run/docker.sock", true},
			{"network-outbound", "/private/var/run/mDNSResponder", false},
			{"network-bind", "localhost:61234", false},
			{"network-inbound", "localhost:61234", false},
		} {
			for _, closest := range []bool{false, true} {
				if got := allows(t, rules, closest, test.op, test.path); got != test.want {
					t.Errorf("%v: %s %s, closest %v: got %v, want %v", level, test.op, test.path, closest, got, test.want)
				}
			}
		}
	}
}

// What makes no profile is an error that names it.
func TestProfileRefused(t *testing.T) {
	for _, test := range []struct {
		name  string
		rules Rules
		net   Network
		tty   string
		want  string
	}{
		{name: "off", rules: Rules{Level: Off}, want: "level off"},
		{name: "level", rules: Rules{Level: 3}, want: "Level(3)"},
		{name: "relative root", rules: Rules{Roots: []string{"x"}}, want: `root "x": not an absolute path`},
		{name: "relative hide", rules: Rules{Hide: []string{"x"}}, want: `"x": not an absolute path`},
		{name: "zero byte", rules: Rules{Write: []string{"/a\x00"}}, want: "zero byte"},
		{name: "zero byte that is hidden", rules: Rules{Own: []string{"/a\x00"}}, want: "zero byte"},
		{name: "no UTF-8", rules: Rules{Roots: []string{"/a\xff"}}, want: `"/a\xff": not a path`},
		{name: "no UTF-8 that is hidden", rules: Rules{Hide: []string{"/a\xc3"}}, want: `"/a\xc3": not a path`},
		{name: "our own", rules: Rules{Roots: []string{"/Users/ann/.config/terrarium/x"}}, want: "own files"},
		{name: "our own on macOS", rules: Rules{Roots: []string{"/Users/ann/Library/Application Support/terrarium"}}, want: "own files"},
		{name: "link to our own", rules: Rules{Roots: []string{"/Users/ann/owned"}}, want: "own files"},
		{name: "link to what is hidden", rules: Rules{Roots: []string{"/Users/ann/secret"}}, want: `it leads to "/Users/ann/.ssh/in", which is hidden`},
		{name: "port 0", net: Network{Ports: []int{0}}, want: "port 0"},
		{name: "port", net: Network{Ports: []int{65536}}, want: "port 65536"},
		{name: "relative socket", net: Network{Sockets: []string{"s"}}, want: `socket "s": not an absolute path`},
		{name: "terminal", tty: "ttys001", want: "terminal"},
		{name: "terminal elsewhere", tty: "/Users/ann/tty", want: "not in /dev"},
		{name: "terminal by ..", tty: "/dev/../x", want: "not in /dev"},
	} {
		if test.rules.Level == Off && test.name != "off" {
			test.rules.Level = Workspace
		}
		if got, err := Profile(test.rules, test.net, test.tty, testMac("/Users/ann")); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %q, %v, want %s", test.name, got, err, test.want)
		}
	}
}

// No path is anything else than a string, wherever it is used.
func FuzzProfile(f *testing.F) {
	for _, name := range hostile {
		f.Add(name)
	}
	f.Add("\xff")
	f.Add("..")
	f.Fuzz(func(t *testing.T, name string) {
		for _, level := range []Level{Workspace, Strict} {
			r := Rules{
				Level: level, Roots: []string{"/r/" + name}, Write: []string{"/r/" + name + "/w"}, Private: "/p/" + name,
				Read: []string{"/t/" + name}, Hide: []string{"/r/" + name + "/h/" + name}, Own: []string{"/o/" + name},
			}
			n := Network{Ports: []int{8080}, Sockets: []string{"/s/" + name}}
			m := testMac("/Users/" + name)
			m.Real = path.Clean
			text, err := Profile(r, n, "/dev/ttys000", m)
			if err != nil {
				continue // it says why
			}
			checkProfile(t, text, r, n, "/dev/ttys000", m)
		}
	})
}
