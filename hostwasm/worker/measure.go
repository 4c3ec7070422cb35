package worker

// A Measure is one thing that holds a worker.
type Measure struct {
	Name   string // what "terrarium doctor" calls it
	Used   bool
	Detail string // how, or why not
}

func measure(name string, err error, detail string) Measure {
	if err != nil {
		return Measure{Name: name, Detail: err.Error()}
	}
	return Measure{Name: name, Used: true, Detail: detail}
}
