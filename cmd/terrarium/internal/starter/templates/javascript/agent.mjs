// @ts-check

/** Decides what to type. This one writes hello.txt: put yours in its place. */
export class Agent {
  typed = false;
  seen = false;

  /**
   * Is called once for each turn.
   * @param {import("./wire.mjs").Request} request
   * @returns {import("./wire.mjs").Answer}
   */
  decide(request) {
    if (!this.typed) {
      this.typed = true;
      return {
        analysis: "a shell waits",
        plan: "write the file, and show it",
        commands: [{ keystrokes: "echo hello >hello.txt && cat hello.txt\n", wait: 1 }],
      };
    }
    if (!this.seen && !/^hello *$/m.test(request.screen)) {
      // The machine is busy.
      return { plan: "look again", commands: [{ keystrokes: "", wait: 0.5 }] };
    }
    // The first time we are asked whether we are sure: then the same answer says yes.
    this.seen = true;
    return { analysis: "the file is written", complete: true };
  }
}
