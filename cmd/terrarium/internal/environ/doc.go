// Package environ decides which variables native commands get to see that an agent asks for, and
// which of those that an agent sends are refused.
//
// Base is an allow-list of names: what programs need to work for their person. From those it takes
// what looks like a secret, by the name or by the value. Refused names the variables of an agent
// that change what programs do (policy.ChangesPrograms).
//
// Neither holds a hostile command: that reads the files in which its person keeps secrets, and sets
// variables itself. They keep secrets out of what agents print, and what is judged is what runs.
package environ
