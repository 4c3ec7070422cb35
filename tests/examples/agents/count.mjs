// An agent for "terrarium harness": counts the lines of words.txt.
//
// terrarium harness --instruction "Write how many lines words.txt has to count.txt." \
//     -- node count.mjs
import { createInterface } from "node:readline";

// decide returns what it sees, what it will do, what it types, and whether that is all.
function decide(screen, done) {
  if (done === 0) return { analysis: "a shell", plan: "count", keystrokes: "wc -l <words.txt\n" };
  const lines = screen.match(/^ *(\d+)$/m)?.[1];
  if (done === 1 && lines) {
    const keystrokes = `echo ${lines} >count.txt && echo written\n`;
    return { analysis: `${lines} lines`, plan: "write it down", keystrokes };
  }
  if (done > 2 || (done === 2 && /^written$/m.test(screen))) {
    return { analysis: "it is written", plan: "end", complete: true };
  }
  return { analysis: "nothing yet", plan: "look again" }; // the machine is busy
}

let done = 0;
// A line with a request in, a line with an answer out, until there are no more.
for await (const line of createInterface({ input: process.stdin })) {
  const { screen, prompt } = JSON.parse(line);
  if (prompt.includes("parsing errors")) {
    console.error(prompt); // it is our fault: standard error is for people
    process.exit(1);
  }
  const { analysis, plan, keystrokes = "", complete = false } = decide(screen, done);
  if (keystrokes || complete) done++;
  const commands = [{ keystrokes, duration: 0.5 }];
  console.log(JSON.stringify({ analysis, plan, commands, task_complete: complete }));
}
