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
	"tree":   {"-o", "--output", "-R"},
	"git": {"--output", "--output-directory", "--ext-diff", "--textconv", "--open-files-in-pager", "-O", "--upload-pack",
		"--receive-pack", "--exec", "--edit-description", "--edit", "--paginate", "--show-signature", "--gpg-sign", "--web", "--apply", "--filters", "--build-fake-ancestor"},
	"go": {"-exec", "-toolexec", "-o", "-overlay", "-modfile", "-vettool", "-fixtool", "-C", "-ldflags", "-gcflags", "-asmflags",
		"-gccgoflags", "-compiler", "-pkgdir", "-cpuprofile", "-memprofile", "-blockprofile", "-mutexprofile", "-coverprofile",
		"-trace", "-outputdir", "-c", "-fuzz", "-fuzzcachedir", "-testlogfile", "-modcacherw", "-mod", "-debug-trace", "-debug-actiongraph", "-fix", "-w", "-u",
		"-gocoverdir", "-http", "-pgo"},
	"gofmt":       {"-w", "-r", "-cpuprofile"},
	"jobs":        {"-x"},
	"pip":         {"--log", "--log-file", "--local-log", "--cache-dir", "--python", "--proxy", "--cert", "--client-cert", "--keyring-provider"},
	"staticcheck": {"-debug.cpuprofile", "-debug.memprofile", "-debug.trace", "-debug.measure-analyzers"},
	"node":        {"--test-reporter", "--test-reporter-destination", "--test-global-setup", "--redirect-warnings", "--cpu-prof", "--heap-prof", "--diagnostic-dir", "--build-snapshot", "--run", "--openssl-config", "--env-file-if-exists", "-e", "--eval", "-p", "--print", "-r", "--require", "--import", "--loader", "--experimental-loader", "--env-file", "-i", "--interactive", "--inspect", "--inspect-brk", "--inspect-wait", "--inspect-port", "--inspect-publish-uid", "--trace-event-file-pattern", "--report-on-signal", "--tls-keylog", "--localstorage-file", "--snapshot-blob", "--icu-data-dir", "--experimental-default-config-file", "--experimental-config-file", "--heapsnapshot-signal", "--prof", "--watch-path"},
	"mypy":        {"--config-file", "--python-executable", "--install-types", "--junit-xml", "--cache-dir", "--html-report", "--txt-report", "--xml-report", "--any-exprs-report"},
	"flake8":      {"--config", "--append-config", "--output-file", "--tee", "-o"},
	"jest":        {"-u", "--updateSnapshot", "-c", "--config", "--rootDir", "--outputFile", "--coverageDirectory", "--globalSetup", "--setupFiles", "--transform", "--testRunner", "--runner", "--reporters", "--resolver", "--cacheDirectory", "--env", "--environment"},
	"vitest":      {"-u", "--update", "-c", "--config", "-r", "--root", "--outputFile", "--ui", "--globals", "--environment", "--dir", "--reporter"},
	"black":       {"--config", "-c", "--code"},
	"json.tool":   {},
	"python":      {"-c", "-m", "-i"},
	"cargo":       {"--config", "--target-dir", "--fix", "-Z", "--manifest-path", "--logfile", "--out-dir", "--artifact-dir", "-C"},
	"npm":         {"--script-shell", "--prefix", "--node-options", "--before", "--userconfig", "--globalconfig", "-g", "--global", "--shell", "-C", "--dir", "--cwd", "--editor", "--git", "--viewer", "--browser", "--use-yarnrc", "--modules-folder", "--logs-dir", "--preload", "--require", "--import", "--eval", "-e", "-r"},
	"make":        {"-C", "--directory", "-f", "--file", "--makefile", "--eval", "-E", "-I", "--include-dir"},
	"pytest":      {"-p", "-c", "--rootdir", "-o", "--override-ini", "--basetemp", "--junit-xml", "--junitxml", "--confcutdir", "--pdbcls", "--pdb", "--trace", "--debug", "--pastebin", "--log-file", "--config-file", "--pyargs", "--cov-report", "--cov-config"},
	"eslint":      {"--fix", "-o", "--output-file", "--rulesdir", "--resolve-plugins-relative-to", "--parser", "--plugin", "-c", "--config", "-f", "--format", "--cache-location"},
	"prettier":    {"-w", "--plugin-search-dir", "--parser", "--write", "--plugin", "--config", "--cache-location"},
	"ruff":        {"--config", "--fix", "--output-file", "-o", "--add-noqa", "--cache-dir", "--unsafe-fixes", "--fix-only"},
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
	"nm":          {"--plugin"}, "size": {"--plugin"}, "ar": {"--plugin"},
	"docker": containers, "podman": containers,
	"test":       {"-v", "-R"},
	"[":          {"-v", "-R"},
	"hostname":   {"-F", "--file", "-b"},
	"ss":         {"-K", "--kill", "-D", "--diag"},
	"journalctl": {"--rotate", "--vacuum-size", "--vacuum-time", "--vacuum-files", "--flush", "--sync", "--relinquish-var", "--setup-keys"},
	"sysctl":     {"-w", "--write", "-p", "--load", "--system"},
	"ip":         {"-b", "-batch", "-n", "-netns", "-force"},
	"dmesg":      {"-c", "-C", "--clear", "--read-clear", "-n", "-D", "-E", "--console-off", "--console-on", "--console-level"},
	"sed":        {"-i", "--in-place", "-f", "--file", "-s", "--separate"},
	"awk":        {"-f", "--file", "-i", "--include", "-l", "--load", "-E", "--exec", "-d", "--dump-variables", "-o", "--pretty-print", "-p", "--profile", "-D", "--debug"},
	"base64":     {}, "fmt": {}, "wc": {}, "uniq": {}, "ls": {},
}

// harmlessOptions are those of programs that have too many others, or plugins with some of their
// own: all but these count as if they executed or wrote. Single letters may be joined.
var harmlessOptions = map[string][]string{
	"jest": {"-t", "--testNamePattern", "--testPathPattern", "--testPathPatterns", "--ci", "--coverage", "--no-coverage", "--verbose", "--silent", "-i", "--runInBand", "-b", "--bail",
		"--passWithNoTests", "--maxWorkers", "-w", "--listTests", "--detectOpenHandles", "--forceExit", "--json", "--color", "--colors", "--no-color", "--version", "--help", "-h", "--no-cache",
		"-o", "--onlyChanged", "--changedSince", "--findRelatedTests", "--testTimeout", "--selectProjects", "--watchAll", "--no-watchman", "--watchman", "--logHeapUsage", "--expand", "-e", "-f", "--onlyFailures", "--shard"},
	"vitest": {"-t", "--testNamePattern", "--run", "--coverage", "--no-coverage", "--bail", "--silent", "--passWithNoTests", "--changed", "--no-color", "--color", "--version", "-v", "--help", "-h",
		"--testTimeout", "--project", "--shard", "--no-file-parallelism", "--watch", "-w", "--no-watch", "--hideSkippedTests", "--typecheck", "--retry", "--no-isolate", "--maxWorkers", "--minWorkers"},
	"eslint": {"--ext", "--quiet", "--max-warnings", "--no-color", "--color", "--version", "-v", "--help", "-h", "--debug", "--report-unused-disable-directives", "--ignore-pattern", "--no-ignore", "--env",
		"--global", "--no-inline-config", "--no-error-on-unmatched-pattern", "--cache", "--stats", "--no-warn-ignored", "--pass-on-no-patterns", "--print-config", "--stdin", "--stdin-filename"},
	"tsc": {"--noEmit", "--pretty", "--strict", "--skipLibCheck", "--version", "-v", "--help", "-h", "--listFiles", "--listFilesOnly", "--showConfig", "--extendedDiagnostics", "--diagnostics", "--traceResolution",
		"--esModuleInterop", "--allowJs", "--checkJs", "--jsx", "--target", "--module", "--moduleResolution", "--lib", "--noUnusedLocals", "--noUnusedParameters", "--noImplicitAny", "--strictNullChecks",
		"--resolveJsonModule", "--isolatedModules", "--explainFiles"},
	"mypy": {"--strict", "--ignore-missing-imports", "--no-error-summary", "--show-error-codes", "--pretty", "--no-incremental", "--follow-imports", "--check-untyped-defs", "--disallow-untyped-defs",
		"--warn-unused-ignores", "--no-color-output", "--explicit-package-bases", "--namespace-packages", "--python-version", "--platform", "--exclude", "-p", "-m", "--version", "-V", "--help", "-h",
		"--show-column-numbers", "--hide-error-context", "-v", "--verbose", "--no-site-packages", "--disable-error-code", "--enable-error-code", "--no-strict-optional", "--warn-unreachable"},
	"flake8": {"--max-line-length", "--ignore", "--extend-ignore", "--select", "--extend-select", "--exclude", "--extend-exclude", "--count", "--statistics", "--show-source", "--max-complexity", "--max-doc-length",
		"-v", "--verbose", "-q", "--quiet", "--version", "-j", "--jobs", "--per-file-ignores", "--color", "--stdin-display-name", "--exit-zero", "--filename", "--help", "-h"},
	"tar": {"-t", "-f", "-v", "-z", "-j", "-J", "-O", "--list", "--file", "--verbose", "--gzip", "--bzip2", "--xz", "--zstd", "--wildcards", "--no-wildcards", "--exclude", "--full-time", "--numeric-owner",
		"--strip-components", "--occurrence", "--force-local", "-C", "--directory", "--utc", "--", "--help", "--version"},
	"sed":      {"-n", "-e", "-E", "-r", "-u", "-z", "-b", "--quiet", "--silent", "--expression", "--regexp-extended", "--null-data", "--unbuffered", "--posix", "--sandbox", "--version", "--help", "--", "--debug"},
	"hostname": {"-f", "-i", "-I", "-s", "-d", "-A", "-a", "-y", "-V", "-h", "--fqdn", "--long", "--short", "--domain", "--ip-address", "--all-ip-addresses", "--all-fqdns", "--alias", "--version", "--help"},
	"mktemp":   {"-d", "-q", "-u", "-t", "-p", "--directory", "--quiet", "--dry-run", "--suffix", "--tmpdir", "--version", "--help", "--"},
}

// nodeTests are those of node's that only tests or checks: V8 has hundreds of others.
var nodeTests = []string{"--test", "--check", "--test-name-pattern", "--test-skip-pattern", "--test-only", "--test-concurrency", "--test-timeout",
	"--test-force-exit", "--test-shard", "--test-isolation", "--experimental-test-coverage", "--test-coverage-include", "--test-coverage-exclude",
	"--experimental-test-module-mocks", "--experimental-strip-types", "--experimental-vm-modules", "--no-warnings", "--enable-source-maps", "--watch",
	"--conditions", "-C", "--max-old-space-size", "--trace-warnings", "--trace-deprecation", "--no-deprecation"}

// containers are options that podman takes anywhere, and docker before its subcommand.
var containers = []string{"--conmon", "--runtime", "--runtime-flag", "--hooks-dir", "--config", "--url", "--host", "--context", "--connection", "--identity", "--ssh",
	"--network-cmd-path", "--module", "--storage-opt", "--root", "--runroot", "--tmpdir", "--cdi-spec-dir", "--out", "--imagestore", "--volumepath", "--cpu-profile",
	"--memory-profile"}

// A check finds what is dangerous in a command's operands.
var checks = map[string]func(words []word) string{
	"sed": sedScript, "awk": awkProgram, "gawk": awkProgram, "mawk": awkProgram,
	"git": gitWrites, "make": targets, "json.tool": secondFile, "python": fromInput, "node": fromInput, "npm": moreThanVersion,
	"uniq": secondFile, "xxd": secondFile, "[": subscript, "test": subscript,
	"tsc": falseOption, "tar": remoteFile, "hostname": anyOperand, "date": newTime, "mktemp": newFile,
}

// The names that an Allow rule's flags have to hold to pass what a check finds.
const (
	anyOption   = "an option that shows only when the line runs"
	aScript     = "script"
	aSecondFile = "second-file"
	aChange     = "change"
	aTarget     = "target"
	anOutside   = "outside"
)

// program returns by which name the tables have what words start, and how many words are before its
// own: "python3 -m pytest" is pytest.
func program(words []word) (name string, skip int) {
	name = words[0].text
	switch {
	case name == "gawk" || name == "mawk":
		name = "awk"
	case name == "gsed":
		name = "sed"
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
	return name, skip
}

// flagsOf returns what in words executes or writes, as the table calls it, and where.
func flagsOf(words []word) (names []string, at []int) {
	name, skip := program(words)
	words = words[skip:]
	table, known := dangerous[name]
	tame := harmlessOptions[name]
	if name == "node" && len(words) > 1 && (words[1].text == "--test" || words[1].text == "--check") {
		tame = nodeTests
	}
	if !known && tame == nil && checks[name] == nil {
		return nil, nil
	}
	for i, w := range words[1:] {
		if !w.isOption() {
			continue
		}
		if w.dynamic {
			if len(table) > 0 || tame != nil {
				names, at = append(names, anyOption), append(at, -1)
			}
			continue
		}
		option := w.text
		switch name {
		case "node":
			option = strings.ReplaceAll(option, "_", "-")
		case "npm": // pnpm's way to set anything
			option = strings.Replace(option, "--config.", "--", 1)
		case "go":
			option = strings.Replace(option, "-test.", "-", 1)
		}
		if tame != nil && !isTame(option, tame) {
			unknown, _, _ := strings.Cut(option, "=")
			names, at = append(names, unknown), append(at, skip+i+1)
		}
		for _, f := range table {
			if isFlag(option, f, name == "go" || name == "gofmt") && !(name == "pytest" && w.text == "--co") {
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

// isTame reports whether the option is one of tame, or letters of it with or without a number.
func isTame(option string, tame []string) bool {
	name, _, _ := strings.Cut(option, "=")
	if slices.Contains(tame, name) {
		return true
	}
	return !strings.HasPrefix(option, "--") && !strings.ContainsFunc(option[1:], func(r rune) bool {
		return (r < '0' || r > '9') && !slices.Contains(tame, "-"+string(r))
	})
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
		case w.text == "-l" || w.text == "--line-length":
			return aScript // its value is a word of its own
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

// falseOption finds what switches --noEmit off.
func falseOption(words []word) string {
	if slices.ContainsFunc(words[1:], func(w word) bool {
		text := strings.ToLower(w.text)
		return text == "false" || w.dynamic && strings.HasPrefix("false", strings.ToLower(w.prefix))
	}) {
		return aChange
	}
	return ""
}

// remoteFile finds the name of a file on another host, to which tar would start a shell.
func remoteFile(words []word) string {
	if slices.ContainsFunc(words[1:], func(w word) bool { return w.dynamic && w.prefix == "" || strings.Contains(w.text, ":") }) {
		return aScript
	}
	return ""
}

// anyOperand finds what hostname would set.
func anyOperand(words []word) string {
	if slices.ContainsFunc(words[1:], func(w word) bool { return !w.isOption() || w.dynamic }) {
		return aChange
	}
	return ""
}

// newTime finds what date would set the clock to.
func newTime(words []word) string {
	for i := 1; i < len(words); i++ {
		switch w := words[i]; {
		case w.many || w.dynamic && !strings.HasPrefix(w.prefix, "+"):
			return aChange
		case strings.HasPrefix(w.text, "+"):
		case w.text == "-d" || w.text == "--date" || w.text == "-r" || w.text == "--reference" || w.text == "-ud" || w.text == "-ur":
			if i++; i < len(words) && words[i].many {
				return aChange
			}
		case !w.isOption():
			return aChange
		}
	}
	return ""
}

// newFile finds a file or directory that mktemp would make elsewhere than in /tmp or where it runs.
func newFile(words []word) string {
	for _, w := range words[1:] {
		name := w.text
		if w.isOption() {
			_, name, _ = strings.Cut(name, "=")
		}
		if w.many || w.dynamic && w.prefix == "" || strings.Contains(name, "..") || strings.Contains(name, "/") && !strings.HasPrefix(name, "/tmp/") && name != "/tmp" {
			return aSecondFile
		}
	}
	return ""
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
	"apply": {"--check": true, "--stat": true, "--numstat": true, "--summary": true, "-p0": true, "-p1": true, "-p2": true, "-p3": true, "-R": true, "--reverse": true, "-v": true, "--verbose": true, "--index": true,
		"--cached": true, "--recount": true, "--whitespace": true, "--ignore-whitespace": true, "--ignore-space-change": true, "--directory": true, "--include": true, "--exclude": true, "-3": true, "--3way": true, "-": true},
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
		if len(args) > 0 && (args[0].text == "show" || args[0].text == "get-url") && !slices.ContainsFunc(args[1:], func(w word) bool {
			// Then it is another repository, and not one of the configuration.
			return w.dynamic || strings.ContainsAny(w.text, "/:")
		}) {
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
	if operands == 0 || says || words[1].text == "add" || words[1].text == "config" && operands == 1 && !args[0].many && strings.Contains(args[len(args)-1].text, ".") {
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
