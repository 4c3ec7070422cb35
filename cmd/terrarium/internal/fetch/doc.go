// Package fetch gets what an index names from where it is published: from an npm
// registry, over https, from a registry of containers, or from a file. A server is
// not trusted, nor is who is on the way: what comes is bounded in bytes and in time,
// and is used only where it has the sum that the index says.
package fetch
