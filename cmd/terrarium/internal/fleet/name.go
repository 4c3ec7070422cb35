package fleet

import (
	"context"
	"fmt"
)

// maxNamesakes is how many workers FreeName tells apart.
const maxNamesakes = 1000

// FreeName returns name if no worker of the client's tenant has it, or else one with a number
// behind it. Two that ask at once may be given the same: a worker says when it hears another one.
func FreeName(ctx context.Context, c *Client, name string) (string, error) {
	for n := 1; n <= maxNamesakes; n++ {
		numbered := name
		if n > 1 {
			number := fmt.Sprintf("-%d", n)
			numbered = name[:min(len(name), maxName-len(number))] + number
		}
		switch taken, err := IsNameTaken(ctx, c, numbered); {
		case err != nil:
			return "", err
		case !taken:
			return numbered, nil
		}
	}
	return "", fmt.Errorf("%s: %d workers are called %s and a number: --name names this one", c.access.URL, maxNamesakes, name)
}

// IsNameTaken reports whether a worker of the client's tenant is called name.
func IsNameTaken(ctx context.Context, c *Client, name string) (bool, error) {
	taken, err := c.isHeard(ctx, DrainSubject(name))
	if err != nil {
		return false, fmt.Errorf("%s: %w", c.access.URL, err)
	}
	return taken, nil
}

// isHeard reports whether anybody hears what is published to a subject. What it publishes is empty.
func (c *Client) isHeard(ctx context.Context, subject string) (bool, error) {
	inbox := c.nats.NewInbox()
	answers, err := c.nats.SubscribeSync(inbox)
	if err != nil {
		return false, err
	}
	defer answers.Unsubscribe()
	if err := c.nats.PublishRequest(subject, inbox, nil); err != nil {
		return false, err
	}
	// The server says that nobody is there before it goes on to what we send next.
	if err := c.settle(ctx); err != nil {
		return false, err
	}
	silent, _, err := answers.Pending()
	return silent == 0, err
}
