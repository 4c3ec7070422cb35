package audit

import "context"

// A Judgement is what somebody who decides about a command knows of the decision.
type Judgement struct {
	// Decision is "allow", "ask" or "deny". With "ask" somebody is asked now, and another
	// Judgement follows.
	Decision string
	// RuleID is the rule that has decided, if one has.
	RuleID string
	// By is "rule", "default", "person", "ask-command", "acp", "mcp", "approve", "grant" or
	// "none".
	By string
	// Reason is why, in words for people.
	Reason string
	// Commands are the simple commands that were found in a shell line.
	Commands [][]string
}

// judgedKey is where Decide's context has what Judged calls.
type judgedKey struct{}

// Judged tells the record about a decision, given the context of driver.Config.Decide. Where
// nothing is recorded it does nothing. What j holds is not changed, and not kept once Decide has
// returned.
func Judged(ctx context.Context, j Judgement) {
	if judged, ok := ctx.Value(judgedKey{}).(func(Judgement)); ok {
		judged(j)
	}
}
