//go:build !unix

package main

import "os"

const openNoFollow = 0

func inForeground(*os.File) bool { return true }

func (c *console) followStops() {}

func notifyResize(chan<- os.Signal) {}

func signalNumber(string) int { return 0 }

func openFiles() uint64 { return 0 }
