package keeper

// Room makes a cgroup for a command that a keeper below k is going to start. It is a
// Command without a process: Signal with SIGKILL, and End, kill all who are in the
// cgroup, without the help of the keeper that has started them. The error is
// errors.ErrUnsupported where k has no cgroups.
func (k *Keeper) Room() (*Command, error) {
	c, answer, err := k.prepare()
	if err != nil {
		return nil, err
	}
	close(c.exited)
	if err := k.send(message{Kind: room, ID: c.id}); err != nil {
		k.withdraw(c.id)
		k.release(c.id)
		if isEnd(err) {
			err = ErrGone
		}
		return nil, err
	}
	defer k.pinging(func() {})()
	select {
	case m := <-answer:
		if err := c.begin(m); err != nil {
			return nil, err
		}
		return c, nil
	case <-k.gone:
		return nil, ErrGone
	}
}
