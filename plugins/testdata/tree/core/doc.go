// Package core is here because a tree of the module has one.
package core
