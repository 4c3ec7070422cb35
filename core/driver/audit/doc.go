// Package audit keeps the record of what a driver.Driver was asked to run, who has allowed it, and
// what became of it: one [Event] for each step.
//
// The record says which command ran with which arguments. It never has the values of environment
// variables, and never what a command reads or writes.
package audit
