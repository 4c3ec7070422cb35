package confine

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// UNTESTED: nobody has run a profile of ours on a Mac. What is said here of Seatbelt
// comes from the profiles of others, and from what they tell of them.

// A Network is what commands may connect to. The zero value is nothing, not even what
// they listen on themselves: Seatbelt has no rule for "what this sandbox has bound".
type Network struct {
	// Ports are those of a proxy on this machine's loopback addresses.
	Ports []int
	// Sockets are paths of unix sockets.
	Sockets []string
	// Trust lets programs ask the system whether it trusts a certificate. Programs in Go
	// have no other way there, so without it they can't use TLS. But the system fetches
	// what a certificate names, so what they connect to is not all in Ports any more.
	Trust bool
}

// A Mac is the machine that a profile is for, as far as it matters.
type Mac struct {
	// Homes are the directories in which secrets are looked for: Rules.Home, that of the
	// user, and for root those of all others.
	Homes []string
	// Real returns a path as the kernel names it, as far as it exists: without links, in
	// the letters that the disk has. It never fails.
	Real func(path string) string
	// IsLink tells whether path itself is a symbolic link.
	IsLink func(path string) bool
}

// Profile returns a profile of Seatbelt, the sandbox of macOS, for one command: it keeps
// it to what r hands over, as Apply does on Linux, and to n. tty is the command's own
// terminal, if it has one. The profile is for sandbox-exec -p. Equal arguments make
// equal profiles. r is to have passed Check, which Profile repeats without looking at
// the disk.
//
// It is in this package, and not in one beside it, since it is another way to hold the
// same rules and lists: of two paths, one below the other, the lower one counts.
//
// Paths are written as strings, not as parameters (-D name=value): a profile is one text
// that can be looked at whole and compared with a file, and strings need but two
// characters escaped. See quote.
//
// # What is not held, or not as on Linux
//
//   - Commands of one session are in one sandbox each, so that they can't signal each other.
//   - POSIX semaphores and shared memory have names that all programs share.
//   - A file that is in none of the lists can be read, as soon as it is there.
//   - Where hard links of one file are in two places, a rule for one of them holds.
//   - The disk may take "A" and "a" for one, or two forms of "ä": a name that is hidden and
//     not there yet could be made in a root with other letters.
//   - What runs as another user (ps, top, sudo) does not run. Xcode's git and clang complain
//     that they have no place for a file of theirs (xcrun_db).
func Profile(r Rules, n Network, tty string, m Mac) (string, error) {
	if r.Level != Workspace && r.Level != Strict {
		return "", fmt.Errorf("sandbox level %v: no profile for it", r.Level)
	}
	for _, p := range slices.Concat(r.Hide, r.Own, r.Read, m.Homes) {
		if err := checkPath(p); err != nil {
			return "", fmt.Errorf("sandbox: %w", err)
		}
	}
	b := builder{rules: r, mac: m}
	b.base()
	if err := b.files(); err != nil {
		return "", err
	}
	if err := b.devices(tty); err != nil {
		return "", err
	}
	if err := b.network(n); err != nil {
		return "", err
	}
	if b.err != nil {
		return "", b.err
	}
	return b.text.String(), nil
}

// What rules about files are for. Whether a rule for one way to read (file-read-metadata)
// counts before one for all ways, or only after it, is nowhere written down. It does not
// matter here: rules for one way come last.
const (
	readOps = "file-read*"
	// Commands run what they can read, and no more.
	runOps  = readOps + " process-exec*"
	fileOps = runOps + " file-write*"
)

// A builder writes a profile. In it, of the rules that match, the last one counts.
type builder struct {
	rules  Rules
	mac    Mac
	hidden hiding
	handed []string // as the kernel names them
	text   strings.Builder
	err    error // the first
}

// base writes what is the same for all commands.
func (b *builder) base() {
	b.line("(version 1)")
	b.line("(deny default)")
	// These are not among what "default" is. Chromium denies them for that reason.
	b.line("(deny iokit-get-properties nvram* process-info*)")

	b.line("(allow process-fork)")
	// Any file that is open for reading may be mapped, which adds nothing.
	b.line("(allow file-map-executable)")
	// The sandbox of a command is the command's own, and all that it starts is in it.
	b.line("(allow process-info* signal (target same-sandbox))")
	// How many processors there are, by host_processor_info: node asks so.
	b.line("(allow mach-host*)")
	b.rule("allow", "sysctl-read", named("sysctl-name", sysctls), named("sysctl-name-prefix", sysctlPrefixes))
	b.rule("allow", "mach-lookup", named("global-name", services))
	// Python's multiprocessing: locks, and memory that is shared. Names can't be told from
	// those of other programs by a pattern that is known to work.
	b.line("(allow ipc-posix-sem ipc-posix-shm*)")
	// New terminals: whoever makes one gets to use that one. Linux has no such thing, so
	// there new ones are refused. Without the extension it would be all of the user's,
	// where input can be forged.
	b.line("(allow pseudo-tty)")
}

// sysctls and sysctlPrefixes are what programs ask the kernel for. It must not be all:
// kern.procargs2 is the environment of any process of the same user.
var (
	sysctls = namesIn(`
		kern.argmax kern.hostname kern.maxfiles kern.maxfilesperproc kern.maxproc kern.ngroups kern.osproductversion kern.osrelease kern.ostype
		kern.osvariant_status kern.osversion kern.secure_kernel kern.usrstack64 kern.version sysctl.proc_cputype vm.loadavg`)
	// hw and machdep.cpu are the machine: Go asks for what the processor can. By a process's
	// number, or a group's, kern.proc tells its name. net.routetable is the list of network
	// interfaces, which Go and node print.
	sysctlPrefixes = namesIn("hw. kern.proc.pgrp. kern.proc.pid. machdep.cpu. net.routetable.")
)

// services are the system's processes that may be asked. All others could do things for
// a command that it can't do itself: open programs, read keys, fetch files. The first
// knows the names of users, which git, python and ssh look up, the second which groups
// they are in, and the third the user's directory for temporary files, which compilers
// ask for by confstr(3).
var services = namesIn(`
	com.apple.system.opendirectoryd.libinfo com.apple.system.opendirectoryd.membership com.apple.bsd.dirhelper`)

// trustService tells whether a certificate is trusted.
const trustService = "com.apple.trustd.agent"

// macLinks are links of the system that paths lead through.
var macLinks = namesIn("/etc /tmp /var")

// files writes what files commands may read, write and execute.
func (b *builder) files() error {
	b.readable()
	b.hide()
	if err := b.handOver(); err != nil {
		return err
	}
	places := b.places()
	for len(places) > 0 {
		same := slices.IndexFunc(places, func(p place) bool { return p.handed != places[0].handed })
		if same < 0 {
			same = len(places)
		}
		verb := "deny"
		if places[0].handed {
			verb = "allow"
		}
		b.rule(verb, fileOps, below(places[:same]))
		places = places[same:]
	}
	b.ways()
	b.pinned()
	// Another user who runs such a program of ours would run it as us.
	b.line("(deny file-write-setugid)")
	return nil
}

// readable writes what can be read if nothing more is said.
func (b *builder) readable() {
	if b.rules.Level == Workspace {
		b.rule("allow", runOps, paths("subpath", "/"))
		return
	}
	// The root directory is listed by the loader of all programs.
	b.rule("allow", readOps, paths("literal", "/"))
	all := slices.Concat(macSystemDirs, b.rules.Read)
	for _, home := range b.mac.Homes {
		for _, name := range slices.Concat(toolchains, macToolchains) {
			all = append(all, path.Join(home, name))
		}
	}
	all = b.bothForms(all)
	b.rule("allow", runOps, paths("subpath", all...))
}

// bothForms returns paths as they are and as the kernel names them: what rules are
// matched against is the latter, as far as is known.
func (b *builder) bothForms(list []string) []string {
	var all []string
	for _, p := range list {
		all = append(all, path.Clean(p), b.mac.Real(p))
	}
	return sorted(all)
}

// A place is a path for which another rule than above it begins.
type place struct {
	path   string
	handed bool // else hidden
}

// hide finds what is hidden, as Rules.hidden does for the machine that we are on.
func (b *builder) hide() {
	dirs := map[string]string{} // as the kernel names them: most of what is hidden is in few
	for _, p := range b.rules.named(b.mac.Homes, macLists) {
		name := path.Clean(p.path)
		dir, ok := dirs[path.Dir(name)]
		if !ok {
			dir = b.mac.Real(path.Dir(name))
			dirs[path.Dir(name)] = dir
		}
		real := path.Join(dir, path.Base(name))
		b.hidden = append(b.hidden, hiddenPath{path: name, own: p.own}, hiddenPath{path: real, own: p.own})
		if b.mac.IsLink(real) {
			b.hidden = append(b.hidden, hiddenPath{path: b.mac.Real(real), own: p.own})
		}
	}
}

// handOver finds what is handed over, only as the kernel names it: by its other name, a
// link to it could be removed.
func (b *builder) handOver() error {
	for _, h := range b.rules.handed() {
		err := checkPath(h.path)
		real := b.mac.Real(h.path)
		if err == nil {
			err = h.allowed(real, b.hidden)
		}
		if err != nil {
			return fmt.Errorf("sandbox %s %w", h.name, err)
		}
		b.handed = append(b.handed, real)
	}
	return nil
}

// places returns what is hidden and what is handed over, what is above before what is
// below. Where one path is both, that it is handed over comes last.
func (b *builder) places() []place {
	var all []place
	for _, h := range b.hidden {
		all = append(all, place{h.path, false})
	}
	for _, p := range b.handed {
		all = append(all, place{p, true})
	}
	// Stable: hidden ones are the first.
	slices.SortStableFunc(all, func(a, b place) int { return cmp.Compare(a.path, b.path) })
	return slices.Compact(all)
}

// ways writes that what leads to a directory is no secret: programs look at each part of
// a path, and follow links that are in it, also where it leads through what is hidden.
func (b *builder) ways() {
	all := slices.Clone(macLinks)
	list := slices.Clone(b.rules.Read)
	for _, h := range b.rules.handed() {
		list = append(list, h.path)
	}
	if b.rules.Level == Strict {
		list = append(list, macSystemDirs...)
		list = append(list, b.mac.Homes...)
	}
	for _, p := range b.bothForms(list) {
		all = append(all, p)
		all = append(all, above(p)...)
	}
	b.rule("allow", "file-read-metadata", paths("literal", sorted(all)...))
}

// pinned writes that no directory above a hidden one gets another name: the rules are
// about paths, so what is in it would not be hidden any more.
func (b *builder) pinned() {
	var all []string
	for _, root := range b.handed {
		for _, h := range b.hidden {
			if !isBelow(h.path, root) {
				continue
			}
			for _, dir := range above(h.path) {
				if dir == root || isBelow(dir, root) {
					all = append(all, dir)
				}
			}
		}
	}
	b.rule("deny", "file-write-unlink", paths("literal", sorted(all)...))
}

// devices writes what devices can be used: /dev is hidden.
func (b *builder) devices(tty string) error {
	b.rule("allow", readOps, paths("literal", "/dev", "/dev/random", "/dev/urandom"))
	use := []string{"/dev/null", "/dev/ptmx", "/dev/stderr", "/dev/stdin", "/dev/stdout", "/dev/tty", "/dev/zero"}
	if tty != "" {
		if err := checkPath(tty); err != nil {
			return fmt.Errorf("sandbox terminal %w", err)
		}
		if path.Dir(tty) != "/dev" {
			return fmt.Errorf("sandbox terminal %q: not in /dev", tty)
		}
		use = append(use, tty)
	}
	// To write to them, and no more: root could replace them. What is open has a name in
	// /dev/fd.
	const ops = readOps + " file-write-data file-ioctl"
	b.rule("allow", ops, paths("literal", sorted(use)...), paths("subpath", "/dev/fd"))
	// The extension is what a process gets for a terminal that it has made.
	b.line("(allow " + ops)
	b.line(`  (require-all (regex #"^/dev/ttys[0-9]+$") (extension "com.apple.sandbox.pty")))`)
	return nil
}

// network writes what can be connected to. Listening is refused always.
func (b *builder) network(n Network) error {
	var filters []string
	ports := slices.Clone(n.Ports)
	slices.Sort(ports)
	for _, port := range slices.Compact(ports) {
		if port < 1 || port > 65535 {
			return fmt.Errorf("sandbox port %d: want 1 to 65535", port)
		}
		// The language knows two names of hosts, this and "*". "ip" is TCP and UDP, by
		// version 4 and 6.
		filters = append(filters, fmt.Sprintf(`(remote ip "localhost:%d")`, port))
	}
	var sockets []string
	for _, p := range n.Sockets {
		if err := checkPath(p); err != nil {
			return fmt.Errorf("sandbox socket %w", err)
		}
		sockets = append(sockets, p)
	}
	for _, p := range b.bothForms(sockets) {
		filters = append(filters, "(remote unix-socket (path-literal "+b.quote(p)+"))")
	}
	b.list("allow", "network-outbound", filters)
	if n.Trust {
		b.rule("allow", "mach-lookup", named("global-name", []string{trustService}))
	}
	return nil
}

// above returns the directories above a path, from / on.
func above(p string) []string {
	var all []string
	for p != "/" && p != "." {
		p = path.Dir(p)
		all = append(all, p)
	}
	slices.Reverse(all)
	return all
}

func sorted(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}

// A filter says what a rule is about: kind is the language's, and each name a string.
type filter struct {
	kind  string
	names []string
}

func named(kind string, names []string) filter  { return filter{kind, names} }
func paths(kind string, names ...string) filter { return filter{kind, names} }
func below(places []place) filter {
	f := filter{kind: "subpath"}
	for _, p := range places {
		f.names = append(f.names, p.path)
	}
	f.names = slices.Compact(f.names)
	return f
}

func (b *builder) line(text string) {
	b.text.WriteString(text)
	b.text.WriteByte('\n')
}

func (b *builder) rule(verb, ops string, filters ...filter) {
	var all []string
	for _, f := range filters {
		for _, name := range f.names {
			all = append(all, "("+f.kind+" "+b.quote(name)+")")
		}
	}
	b.list(verb, ops, all)
}

// maxFilters is how many filters one rule has: Nix has found that a rule can become too
// large to be compiled, and that several of them are not.
const maxFilters = 64

// list writes a rule. Without filters it would hold for everything, so there is none then.
func (b *builder) list(verb, ops string, filters []string) {
	for part := range slices.Chunk(filters, maxFilters) {
		b.line("(" + verb + " " + ops)
		b.line("  " + strings.Join(part, "\n  ") + ")")
	}
}

// quote returns a string of the language, a dialect of Scheme. A quotation mark ends one,
// and a backslash begins an escape, whose letters differ between dialects; so these two
// are escaped, by a backslash, and all others stand for themselves, line ends and control
// characters too. A zero byte would end the profile. What is not UTF-8 is refused: no
// file of a Mac's disk is named so, and readers in C take the byte 0xff for the end.
func (b *builder) quote(s string) string {
	if strings.ContainsRune(s, 0) || !utf8.ValidString(s) {
		b.err = cmp.Or(b.err, fmt.Errorf("sandbox: %q: not a path of this system", s))
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
