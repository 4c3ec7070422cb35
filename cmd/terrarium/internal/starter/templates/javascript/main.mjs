// An agent that does a task at a terminal: "terrarium harness" runs it.
import { Agent } from "./agent.mjs";
import { serve } from "./wire.mjs";

const agent = new Agent();
// Standard output is the wire. What is for people goes to standard error.
await serve(process.stdin, process.stdout, (request) => agent.decide(request));
