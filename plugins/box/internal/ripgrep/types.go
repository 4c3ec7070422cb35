package ripgrep

import (
	"fmt"
	"strings"
)

// fileTypes are the kinds of file that -t knows, each with the globs of their names, as --type-list
// shows them.
const fileTypes = `asm: *.S, *.asm, *.s
awk: *.awk
bazel: *.BUILD, *.bazel, *.bazelrc, *.bzl, BUILD, WORKSPACE
c: *.[chH], *.[chH].in, *.cats
clojure: *.clj, *.cljc, *.cljs, *.cljx
cmake: *.cmake, CMakeLists.txt
config: *.cfg, *.conf, *.config, *.ini
cpp: *.[ChH], *.[ChH].in, *.[ch]pp, *.[ch]pp.in, *.[ch]xx, *.[ch]xx.in, *.cc, *.cc.in, *.hh, *.hh.in, *.inl
cs: *.cs
csharp: *.cs
css: *.css, *.scss
csv: *.csv
cython: *.pxd, *.pxi, *.pyx
d: *.d
dart: *.dart
diff: *.diff, *.patch
docker: *Dockerfile*
elixir: *.eex, *.ex, *.exs
elm: *.elm
erlang: *.erl, *.hrl
fish: *.fish
fortran: *.F, *.F77, *.F90, *.F95, *.f, *.f77, *.f90, *.f95, *.pfo
fsharp: *.fs, *.fsi, *.fsx
go: *.go
gradle: *.gradle
groovy: *.gradle, *.groovy
h: *.h, *.hpp
haskell: *.c2hs, *.cpphs, *.hs, *.hsc, *.lhs
html: *.ejs, *.htm, *.html
java: *.java, *.jsp, *.jspx, *.properties
jinja: *.j2, *.jinja, *.jinja2
jl: *.jl
js: *.js, *.jsx, *.vue
json: *.json, composer.lock
jsonl: *.jsonl
julia: *.jl
jupyter: *.ipynb, *.jpynb
kotlin: *.kt, *.kts
less: *.less
lisp: *.el, *.jl, *.lisp, *.lsp, *.sc, *.scm
lock: *.lock, package-lock.json
log: *.log
lua: *.lua
m4: *.ac, *.m4
make: *.mak, *.mk, [Gg][Nn][Uu]makefile, [Gg][Nn][Uu]makefile.am, [Gg][Nn][Uu]makefile.in, [Mm]akefile, [Mm]akefile.am, [Mm]akefile.in
markdown: *.markdown, *.md, *.mdown, *.mkdn
md: *.markdown, *.md, *.mdown, *.mkdn
nix: *.nix
objc: *.h, *.m
ocaml: *.ml, *.mli, *.mll, *.mly
org: *.org, *.org_archive
perl: *.PL, *.perl, *.pl, *.plh, *.plx, *.pm, *.t
php: *.php, *.php3, *.php4, *.php5, *.phtml
protobuf: *.proto
ps: *.cdxml, *.ps1, *.ps1xml, *.psd1, *.psm1
py: *.py
r: *.R, *.Rmd, *.Rnw, *.r
readme: *README, README*
rst: *.rst
ruby: *.gemspec, *.rb, *.rbw, .irbrc, Gemfile, Rakefile, config.ru
rust: *.rs
sass: *.sass, *.scss
scala: *.sbt, *.scala
sh: *.bash, *.bashrc, *.csh, *.cshrc, *.ksh, *.kshrc, *.sh, *.tcsh, *.zsh, .bash_login, .bash_logout, .bash_profile, .bashrc, .cshrc, .kshrc, .login, .logout, .profile, .tcshrc, .zlogin, .zlogout, .zprofile, .zshenv, .zshrc, bash_login, bash_logout, bash_profile, bashrc, profile, zlogin, zlogout, zprofile, zshenv, zshrc
sql: *.psql, *.sql
swift: *.swift
systemd: *.automount, *.conf, *.device, *.link, *.mount, *.path, *.scope, *.service, *.slice, *.socket, *.swap, *.target, *.timer
tcl: *.tcl
tex: *.bib, *.cls, *.dtx, *.ins, *.ltx, *.sty, *.tex
tf: *.tf
toml: *.toml, Cargo.lock
ts: *.ts, *.tsx
txt: *.txt
verilog: *.sv, *.svh, *.v, *.vh
vhdl: *.vhd, *.vhdl
vim: *.vim
xml: *.dtd, *.rng, *.sch, *.xhtml, *.xjb, *.xml, *.xml.dist, *.xsd, *.xsl, *.xslt
yaml: *.yaml, *.yml
zig: *.zig
zsh: *.zsh, .zlogin, .zlogout, .zprofile, .zshenv, .zshrc, zlogin, zlogout, zprofile, zshenv, zshrc
`

// A kind selects or leaves out files of a type.
type kind struct {
	globs []*glob
	not   bool
}

// addType is -t, or -T where not is set.
func (c *config) addType(name string, not bool) error {
	var globs []string
	for line := range strings.Lines(fileTypes + strings.Join(c.ownTypes, "")) {
		known, list, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		if known == name || name == "all" {
			globs = append(globs, strings.Split(list, ", ")...)
		}
	}
	if globs == nil {
		return fmt.Errorf("unrecognized file type: %s", name)
	}
	k := kind{not: not}
	for _, text := range globs {
		g, err := parseGlob(text, false)
		if err != nil {
			return err
		}
		if g != nil {
			k.globs = append(k.globs, g)
		}
	}
	c.types = append(c.types, k)
	return nil
}

// defineType is --type-add NAME:GLOB.
func (c *config) defineType(definition string) error {
	name, text, ok := strings.Cut(definition, ":")
	if !ok || name == "" || text == "" || strings.Contains(definition, "\n") {
		return fmt.Errorf("invalid definition (format is type:glob, e.g., html:*.html)")
	}
	c.ownTypes = append(c.ownTypes, name+": "+text+"\n")
	return nil
}

// typed reports what the types say of a file.
func (c *config) typed(name string) verdict {
	asked := false
	for i := len(c.types) - 1; i >= 0; i-- {
		k := c.types[i]
		asked = asked || !k.not
		for _, g := range k.globs {
			if !g.matches(name, name, false) {
				continue
			}
			if k.not {
				return ignored
			}
			return wanted
		}
	}
	if asked {
		return ignored
	}
	return undecided
}
