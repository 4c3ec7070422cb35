// Package abi reads and writes the JSON at the boundary of our modules: what the exports of
// cmd/reactor and cmd/sandbox take and return. It reads strictly, and without reflection.
package abi
