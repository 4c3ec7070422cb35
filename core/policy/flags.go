package policy

import (
	"slices"
	"strings"
)

// dangerous are options of commands that mostly read, which make them execute or write. No Allow
// rule passes one that it does not name. Written as "-o" it is a letter, alone or among others
// (-no); as "--output" a long option or the beginning of one, as getopt takes it; as "-exec" one of
// Go's or find's kind, with one or two dashes.
var dangerous = map[string][]string{
	"sort":   {"-o", "--output", "--compress-program", "-T", "--temporary-directory"},
	"rg":     {"--pre", "--hostname-bin", "-z", "--search-zip"},
	"fd":     {"-x", "-X", "--exec", "--exec-batch"},
	"fdfind": {"-x", "-X", "--exec", "--exec-batch"},
	"find":   {"-delete", "-fprint", "-fprint0", "-fprintf", "-fls"},
	"tree":   {"-o", "-R"},
	"git": {"--output", "--output-directory", "--ext-diff", "--textconv", "--open-files-in-pager", "-O", "--upload-pack",
		"--receive-pack", "--exec", "--edit-description", "--edit", "--paginate", "--show-signature", "--gpg-sign", "--web", "--apply"},
	"go": {"-exec", "-toolexec", "-o", "-overlay", "-modfile", "-vettool", "-fixtool", "-C", "-ldflags", "-gcflags", "-asmflags",
		"-gccgoflags", "-compiler", "-pkgdir", "-cpuprofile", "-memprofile", "-blockprofile", "-mutexprofile", "-coverprofile",
		"-trace", "-outputdir", "-c", "-fuzz", "-fuzzcachedir", "-testlogfile", "-modcacherw", "-mod", "-debug-trace", "-debug-actiongraph", "-fix", "-w", "-u",
		"-test.outputdir", "-test.cpuprofile", "-test.memprofile", "-test.coverprofile", "-test.trace"},
	"gofmt":       {"-w", "-cpuprofile"},
	"jobs":        {"-x"},
	"pip":         {"--log", "--cache-dir", "--python", "--proxy", "--cert", "--client-cert", "--keyring-provider"},
	"staticcheck": {"-debug.cpuprofile", "-debug.memprofile", "-debug.trace", "-debug.measure-analyzers"},
	"node":        {"--test-reporter", "--test-reporter-destination", "--test-global-setup", "--redirect-warnings", "--cpu-prof", "--heap-prof", "--diagnostic-dir", "--build-snapshot", "--run", "--openssl-config", "--env-file-if-exists", "-e", "--eval", "-p", "--print", "-r", "--require", "--import", "--loader", "--experimental-loader", "--env-file", "-i", "--interactive"},
	"mypy":        {"--config-file", "--python-executable", "--install-types", "--junit-xml", "--cache-dir", "--html-report", "--txt-report", "--xml-report", "--any-exprs-report"},
	"flake8":      {"--config", "--append-config", "--output-file", "--tee", "-o"},
	"jest":        {"-u", "--updateSnapshot", "-c", "--config", "--rootDir", "--outputFile", "--coverageDirectory", "--globalSetup", "--setupFiles", "--transform", "--testRunner", "--runner", "--reporters", "--resolver", "--cacheDirectory", "--env", "--environment"},
	"vitest":      {"-u", "--update", "-c", "--config", "-r", "--root", "--outputFile", "--ui", "--globals", "--environment", "--dir", "--reporter"},
	"black":       {"--config", "-c", "--code"},
	"json.tool":   {},
	"python":      {"-c", "-m", "-i"},
	"cargo":       {"--config", "--target-dir", "--fix", "-Z", "--manifest-path", "--out-dir", "--artifact-dir", "-C"},
	"npm":         {"--script-shell", "--prefix", "--node-options", "--before", "--userconfig", "--globalconfig", "-g", "--global", "--shell", "-C", "--dir", "--cwd", "--editor", "--git", "--viewer", "--browser"},
	"make":        {"-C", "--directory", "-f", "--file", "--makefile", "--eval", "-E", "-I", "--include-dir"},
	"pytest":      {"-p", "-c", "--rootdir", "-o", "--override-ini", "--basetemp", "--junit-xml", "--junitxml", "--confcutdir", "--pdbcls", "--pdb", "--trace", "--debug", "--pastebin", "--log-file", "--config-file", "--pyargs", "--cov-report", "--cov-config"},
	"eslint":      {"--fix", "-o", "--output-file", "--rulesdir", "--resolve-plugins-relative-to", "--parser", "--plugin", "-c", "--config", "-f", "--format", "--cache-location"},
	"prettier":    {"-w", "--write", "--plugin", "--config", "--cache-location"},
	"ruff":        {"--fix", "--output-file", "-o", "--add-noqa", "--cache-dir", "--unsafe-fixes", "--fix-only"},
	"tsc":         {"--outDir", "--outFile", "--build", "-b", "--init", "-p", "--project", "--generateTrace", "--generateCpuProfile", "--tsBuildInfoFile", "--declarationDir"},
	"tar":         {"--to-command", "-I", "--use-compress-program", "--checkpoint-action", "-F", "--info-script", "--new-volume-script", "--rsh-command", "--rmt-command", "-x", "--extract", "-c", "--create"},
	"unzip":       {"-d", "-o"},
	"curl":        {"-o", "-O", "--output", "--output-dir", "-K", "--config", "-T", "--upload-file", "-d", "--data", "--data-raw", "--data-binary", "--data-urlencode", "-F", "--form", "-X", "--request", "-D", "--dump-header", "-c", "--cookie-jar", "--trace", "--trace-ascii", "--stderr", "--remote-name", "--json", "--engine", "--libcurl", "--unix-socket", "-x", "--proxy"},
	"gh":          {"-X", "--method", "-f", "--raw-field", "-F", "--field", "--input", "-w", "--web", "--edit-last", "--delete-branch"},
	"date":        {"-s", "--set"},
	"file":        {"-C", "--compile", "-m", "--magic-file"},
	"xxd":         {"-r"},
	"less":        {"-o", "-O", "-k", "--log-file", "--lesskey-file"},
	"man":         {"-P", "--pager", "-H", "--html", "-C", "--config-file"},
	"diff":        {"--to-file"},
	"jq":          {"-L", "--library-path"},
	"yq":          {"-i", "--inplace", "-s", "--split-exp"},
	"bat":         {"--pager"},
	"nm":          {"--plugin"},
	"test":        {"-v", "-R"},
	"[":           {"-v", "-R"},
	"hostname":    {"-F", "--file", "-b"},
	"ss":          {"-K", "--kill", "-D", "--diag"},
	"journalctl":  {"--rotate", "--vacuum-size", "--vacuum-time", "--vacuum-files", "--flush", "--sync", "--relinquish-var", "--setup-keys"},
	"sysctl":      {"-w", "--write", "-p", "--load", "--system"},
	"ip":          {"-b", "-batch", "-n", "-netns", "-force"},
	"dmesg":       {"-c", "-C", "--clear", "--read-clear", "-n", "-D", "-E", "--console-off", "--console-on", "--console-level"},
	"sed":         {"-i", "--in-place", "-f", "--file", "-s", "--separate"},
	"awk":         {"-f", "--file", "-i", "--include", "-l", "--load", "-E", "--exec", "-d", "--dump-variables", "-o", "--pretty-print", "-p", "--profile", "-D", "--debug"},
	"base64":      {}, "fmt": {}, "wc": {}, "uniq": {}, "ls": {},
}

// A check finds what is dangerous in a command's operands.
var checks = map[string]func(words []word) string{
	"sed": sedScript, "awk": awkProgram, "gawk": awkProgram, "mawk": awkProgram,
	"git": gitWrites, "make": targets, "json.tool": secondFile, "python": fromInput, "node": fromInput, "npm": moreThanVersion,
	"uniq": secondFile, "xxd": secondFile, "[": subscript, "test": subscript,
}

// The names that an Allow rule's flags have to hold to pass what a check finds.
const (
	anyOption   = "an option that shows only when the line runs"
	aScript     = "script"
	aSecondFile = "second-file"
	aChange     = "change"
	aTarget     = "target"
)

// flagsOf returns what in words executes or writes, as the table calls it, and where.
func flagsOf(words []word) (names []string, at []int) {
	name, skip := words[0].text, 0
	switch {
	case name == "gawk" || name == "mawk":
		name = "awk"
	case name == "pnpm" || name == "yarn" || name == "bun":
		name = "npm"
	case name == "pip3":
		name = "pip"
	case strings.HasPrefix(name, "python") && len(words) > 1 && (words[1].text != "-m" || words[1].dynamic):
		name = "python"
	case name == "npx" && len(words) > 1 && !words[1].dynamic:
		name, skip = words[1].text, 1
	case strings.HasPrefix(name, "python") && len(words) > 2 && words[1].text == "-m" && !words[2].dynamic:
		name, skip = words[2].text, 2
	}
	words = words[skip:]
	table, known := dangerous[name]
	if !known {
		return nil, nil
	}
	for i, w := range words[1:] {
		if !w.isOption() {
			continue
		}
		if w.dynamic {
			if len(table) > 0 {
				names, at = append(names, anyOption), append(at, -1)
			}
			continue
		}
		for _, f := range table {
			if isFlag(w.text, f, name == "go" || name == "gofmt") && !(name == "pytest" && w.text == "--co") {
				names, at = append(names, f), append(at, skip+i+1)
			}
		}
	}
	if check := checks[name]; check != nil {
		if found := check(words); found != "" {
			names, at = append(names, found), append(at, -1)
		}
	}
	return names, at
}

// isFlag reports whether the option is, or may be taken for, the flag. If whole, letters don't
// join: in Go's "-count" there is no "-c".
func isFlag(option, flag string, whole bool) bool {
	name, _, _ := strings.Cut(option, "=")
	switch {
	case strings.HasPrefix(flag, "--"):
		return len(name) > 2 && strings.HasPrefix(flag, name)
	case len(flag) == 2 && !whole:
		return !strings.HasPrefix(option, "--") && strings.IndexByte(option[1:], flag[1]) >= 0
	}
	return name == flag || name == "-"+flag
}

// sedScript finds scripts that do more than print, delete, replace and stop: w writes, e executes,
// and so do the flags of s.
func sedScript(words []word) string {
	words = words[1:]
	named := slices.ContainsFunc(words, func(w word) bool { return w.text == "-e" || w.text == "--expression" })
	for i := 0; i < len(words); i++ {
		w := words[i]
		switch {
		case !w.dynamic && (w.text == "-e" || w.text == "--expression"):
			if i++; i == len(words) || words[i].dynamic || !plainSed(words[i].text) {
				return aScript
			}
		case !w.dynamic && w.isOption():
			if strings.HasPrefix(w.text, "--expression=") || len(w.text) > 2 && strings.Contains(w.text, "e") {
				return aScript
			}
		case !named:
			if w.dynamic || !plainSed(w.text) {
				return aScript
			}
			named = true // what follows are files
		}
	}
	return ""
}

// awkProgram finds programs that may write, execute or read files: "print > file", system(),
// getline.
func awkProgram(words []word) string {
	for i := 1; i < len(words); i++ {
		w := words[i]
		switch {
		case w.dynamic:
			return aScript
		case w.text == "-F" || w.text == "-v":
			i++
			continue
		case w.text == "--" || strings.HasPrefix(w.text, "-F") || strings.HasPrefix(w.text, "-v"):
			continue
		case w.isOption():
			return aScript // with -e, there are several programs
		}
		if !plainAwk(w.text) {
			return aScript
		}
		return ""
	}
	return aScript
}

// secondFile finds a second operand, which uniq and xxd write to.
func secondFile(words []word) string {
	files := 0
	for _, w := range words[1:] {
		if !w.isOption() || w.many {
			files++
		}
		if w.many {
			files++
		}
	}
	if files > 1 {
		return aSecondFile
	}
	return ""
}

// fromInput finds programs that come from standard input.
func fromInput(words []word) string {
	if slices.ContainsFunc(words[1:], func(w word) bool { return w.text == "-" }) {
		return aScript
	}
	return moreThanVersion(words)
}

// moreThanVersion finds words after -v, which may take it back: "npm -v --no-version run x".
func moreThanVersion(words []word) string {
	if len(words) > 2 && words[1].text == "-v" {
		return aScript
	}
	return ""
}

// targets finds more than one target, and variables, which change what all of them run.
func targets(words []word) string {
	found := 0
	for _, w := range words[1:] {
		if w.isOption() {
			continue
		}
		if found++; found > 1 || w.dynamic || strings.Contains(w.text, "=") {
			return aTarget
		}
	}
	return ""
}

// gitLists are the options with which some of git's commands only list (or add to the index, which
// no editor and no program sees), and whether operands say what.
var gitLists = map[string]map[string]bool{
	"branch": {"-a": false, "--all": false, "-r": false, "--remotes": false, "-v": false, "-vv": false, "--verbose": false, "--show-current": false, "--no-color": false,
		"-l": true, "--list": true, "--contains": true, "--no-contains": true, "--merged": true, "--no-merged": true, "--points-at": true, "--sort": false, "--format": false},
	"tag":    {"-n": false, "-l": true, "--list": true, "--contains": true, "--merged": true, "--no-merged": true, "--points-at": true, "--sort": false, "--format": false},
	"remote": {"-v": false, "--verbose": false},
	"add":    {"-A": true, "--all": true, "-u": true, "--update": true, "-v": true, "-n": true, "-N": true, "-f": true, "--": true},
	"config": {"--get": true, "--get-all": true, "--get-regexp": true, "-l": false, "--list": false, "--global": false, "--local": false, "--system": false, "--show-origin": false, "--show-scope": false, "--name-only": false},
}

// gitWrites finds what makes commands that list change something: "git branch -v -D main".
func gitWrites(words []word) string {
	if len(words) < 2 {
		return ""
	}
	args, operands, says := words[2:], 0, false
	lists := gitLists[words[1].text]
	switch words[1].text {
	case "stash", "worktree":
		if len(args) > 0 && (args[0].text == "list" || args[0].text == "show" && words[1].text == "stash") {
			return ""
		}
		return aChange
	case "remote":
		if len(args) > 0 && (args[0].text == "show" || args[0].text == "get-url") {
			return ""
		}
	}
	if lists == nil {
		return ""
	}
	for _, w := range args {
		if !w.isOption() {
			operands++
			continue
		}
		option, _, _ := strings.Cut(w.text, "=")
		takes, known := lists[option]
		if w.dynamic || !known {
			return aChange
		}
		says = says || takes
	}
	if operands == 0 || says || words[1].text == "add" || words[1].text == "config" && operands == 1 && !args[0].many {
		return ""
	}
	return aChange
}

// subscript finds an array's element, whose subscript the shell computes.
func subscript(words []word) string {
	for _, w := range words[1:] {
		if i := strings.IndexByte(w.text, '['); i > 0 && !w.dynamic {
			return aScript
		}
	}
	return ""
}
