// @ts-check
// Requests and answers of "terrarium harness", each a line of JSON.

/**
 * What an agent is asked in one turn.
 * @typedef {object} Request
 * @property {string} instruction the task
 * @property {string} screen what the terminal shows, or what is new there
 * @property {number} step counts the turns from 1
 * @property {string} prompt all of it in words, with what was wrong with the last answer: what to
 *   tell a language model
 */

/**
 * Something to type.
 * @typedef {object} Command
 * @property {string} keystrokes text, with a newline where Enter is pressed, or nothing but the
 *   name of a key: "C-c", "Escape", "Up"
 * @property {number} [wait] for how long to wait afterwards, in seconds, from 0.1 to 60; default 1.
 *   A shell that is done earlier ends it, if there are keystrokes.
 */

/**
 * What to do next.
 * @typedef {object} Answer
 * @property {string} [analysis] what the agent makes of what it sees, for whoever reads the
 *   transcript
 * @property {string} [plan] what it is up to
 * @property {Command[]} [commands] are typed one after the other
 * @property {boolean} [complete] the task is done; counts when two answers in a row say it
 */

/**
 * Returns the line that an answer is.
 * @param {Answer} answer
 */
function write({ analysis = "", plan = "", commands = [], complete = false }) {
  const typed = commands.map(({ keystrokes, wait = 1 }) => ({ keystrokes, duration: wait }));
  return JSON.stringify({ analysis, plan, commands: typed, task_complete: complete }) + "\n";
}

/**
 * Answers requests until there are no more: the task is done, or given up.
 * @param {import("node:stream").Readable} input
 * @param {import("node:stream").Writable} output
 * @param {(request: Request) => Answer | Promise<Answer>} decide
 */
export async function serve(input, output, decide) {
  for await (const line of lines(input)) {
    if (line.trim() !== "") output.write(write(await decide(JSON.parse(line))));
  }
}

/** How long a request may be, in characters. */
const maxRequest = 64 << 20;

/** @param {import("node:stream").Readable} input */
async function* lines(input) {
  let line = "";
  for await (const text of input.setEncoding("utf8")) {
    const [rest = "", ...more] = text.split("\n");
    line += rest;
    if (line.length > maxRequest) throw new Error(`a request of more than ${maxRequest} characters`);
    for (const next of more) {
      yield line;
      line = next;
    }
  }
  yield line;
}
