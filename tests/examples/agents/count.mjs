// An agent for "terrarium harness": counts the lines of words.txt.
//
// terrarium harness --instruction "Write how many lines words.txt has to count.txt." -- node count.mjs
import { createInterface } from "node:readline";

// decide returns what it sees, what it will do, what it types, and whether that is all.
function decide(screen, step) {
  if (step === 1) {
    return { analysis: "a shell", plan: "count", keys: [["wc -l <words.txt\n", 0.5]] };
  }
  if (step === 2) {
    const lines = [...screen.matchAll(/^ *(\d+)$/gm)].at(-1)[1];
    const keys = [[`echo ${lines} >count.txt; cat count.txt\n`, 0.5]];
    return { analysis: `${lines} lines`, plan: "write it down", keys };
  }
  return { analysis: "it is written", plan: "end", keys: [], complete: true };
}

// A line with a request in, a line with an answer out, until there are no more.
for await (const line of createInterface({ input: process.stdin })) {
  const { screen, step, prompt } = JSON.parse(line);
  if (prompt.includes("parsing errors")) {
    console.error(prompt); // it is our fault: standard error is for people
    process.exit(1);
  }
  const { analysis, plan, keys, complete = false } = decide(screen, step);
  const commands = keys.map(([keystrokes, duration]) => ({ keystrokes, duration }));
  console.log(JSON.stringify({ analysis, plan, commands, task_complete: complete }));
}
