package conform

import "slices"

// A Level says who asks for what a point wants.
type Level string

const (
	// Must: the protocol or its schema demands it.
	Must Level = "must"
	// Should: the protocol recommends it.
	Should Level = "should"
	// Practice: the protocol is silent, and agents in use rely on it.
	Practice Level = "practice"
)

// A Point is one thing that a client's terminals do right or wrong.
type Point struct {
	Number int
	Name   string
	Want   string // what is expected, in a sentence
	Level  Level
	// Source is the page below agentclientprotocol.com that the point follows
	// from. It is empty if there is none: only practice.
	Source string

	// needs says what the point can't be tried without.
	needs need
	// try judges the client. It returns if the point has passed.
	try func(*trial)
}

// A need is what a client must have for a point to be tried.
type need int

const (
	needsTerminals need = iota
	needsNothing
	needsNoTerminals
)

// Pages of the protocol, below agentclientprotocol.com.
const (
	pageTerminals  = "protocol/terminals"
	pageSchema     = "protocol/schema"
	pageInitialize = "protocol/initialization"
	pageSession    = "protocol/session-setup"
	pageTurn       = "protocol/prompt-turn"
	pageTransports = "protocol/transports"
	pageExtensible = "protocol/extensibility"
	pageCancel     = "rfds/request-cancellation"
	pageToolCalls  = "protocol/tool-calls"
)

// Points returns all points in the order of their numbers. The order in which
// they are tried is another: see order.
func Points() []Point {
	all := slices.Concat(
		connectionPoints, createPoints, limitPoints, outputPoints, exitPoints,
		cancelPoints, killPoints, releasePoints, displayPoints,
	)
	slices.SortFunc(all, func(a, b Point) int { return a.Number - b.Number })
	return all
}

// last are the points that are tried after all others, in this order: a large
// output, many terminals, and those that end the turn and the connection.
var last = []int{50, 49, pointConnectionEnds, pointCancelledTurn}

// order returns the points in the order in which they are tried.
func order(points []Point) []Point {
	points = slices.Clone(points)
	slices.SortStableFunc(points, func(a, b Point) int {
		return slices.Index(last, a.Number) - slices.Index(last, b.Number)
	})
	return points
}
