//! An agent that does a task at a terminal: "terrarium harness" runs it.

use std::io;

use terminal_agent::agent::Agent;
use terminal_agent::wire::serve;

fn main() -> io::Result<()> {
    let mut agent = Agent::default();
    // Standard output is the wire. What is for people goes to standard error.
    serve(io::stdin().lock(), io::stdout().lock(), |request| agent.decide(request))
}
