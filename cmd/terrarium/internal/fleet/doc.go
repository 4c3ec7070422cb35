// Package fleet has terminals placed on workers by way of NATS. A worker dials out, and takes a
// session where it has a free slot. The frames of package remote go over subjects of their own.
//
// [Serve] is a NATS server in this process, for who has none. Tenants share it and see nothing of
// each other: each is a NATS account. subjects.go has all names that go over the wire.
package fleet
