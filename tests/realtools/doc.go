// Package realtools runs programs of others in the sandbox: ripgrep, CPython and
// esbuild, as npm has them. They do real work on real files, with relative
// names, names through "..", and absolute ones.
package realtools
