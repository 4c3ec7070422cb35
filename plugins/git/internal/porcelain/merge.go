package porcelain

func merge(c *call) error {
	o, err := c.parse("ff ff-only no-ff q,quiet m= no-edit abort continue squash no-commit stat n,no-stat s,strategy= X,strategy-option=")
	if err != nil {
		return err
	}
	switch {
	case o.Has("abort") || o.Has("continue"):
		return fatal("There is no merge to abort (MERGE_HEAD missing).")
	case len(o.Operands) == 0:
		return fatal("No remote for the current branch.")
	case o.Has("no-ff") || o.Has("squash") || o.Has("no-commit"):
		return fatal("only fast-forward merges are supported in this sandbox")
	}
	name := dash(o.Operands[0])
	theirs, err := c.repo.ResolveCommit(name)
	if err != nil {
		return &failure{1, "merge: " + name + " - not something we can merge"}
	}
	ours := c.repo.Head()
	if done, err := c.repo.IsAncestor(theirs.Hash, ours); err != nil || done {
		if err == nil && !o.Has("q") {
			c.printf("Already up to date.\n")
		}
		return err
	}
	forward, err := c.repo.IsAncestor(ours, theirs.Hash)
	if err != nil {
		return err
	}
	if !forward && o.Has("ff-only") {
		return &failure{128, "hint: Diverging branches can't be fast-forwarded, you need to either:\nhint: \nhint: \tgit merge --no-ff\nhint: \n" +
			"hint: or:\nhint: \nhint: \tgit rebase\nhint: \nhint: Disable this message with \"git config advice.diverging false\"\nfatal: Not possible to fast-forward, aborting."}
	}
	if !forward {
		return fatal("the branches have diverged, and only fast-forward merges are supported in this sandbox")
	}
	if !o.Has("q") {
		c.printf("Updating %s..%s\n", abbreviate(ours), abbreviate(theirs.Hash))
	}
	a, err := c.repo.Tree(ours)
	if err != nil {
		return err
	}
	b, err := c.repo.Tree(theirs.Hash)
	if err != nil {
		return err
	}
	if err := c.move(theirs.Hash, "merge", false); err != nil {
		return err
	}
	if err := c.repo.SetHead(theirs.Hash, "merge "+name+": Fast-forward"); err != nil || o.Has("q") {
		return err
	}
	c.printf("Fast-forward\n")
	if o.Has("n") {
		return nil
	}
	paint, err := c.paint("diff", nil)
	if err != nil {
		return err
	}
	d := &diffOutput{repo: c.repo, renames: true, forms: []string{"stat", "summary"}, paint: paint, width: c.width()}
	d.write(c.stdout, d.pick(compare(a, b, nil)))
	return nil
}
