// Tests of the agent: node --test
import assert from "node:assert/strict";
import { PassThrough, Readable } from "node:stream";
import { test } from "node:test";

import { Agent } from "./agent.mjs";
import { serve } from "./wire.mjs";

test("types, looks until it sees what it wants, and says twice that it is done", () => {
  const agent = new Agent();
  const typing = "echo hello >hello.txt && cat hello.txt\n";
  const turns = [
    { screen: "$\n", typed: typing, complete: false },
    { screen: `$ ${typing}`, typed: "", complete: false },
    { screen: `$ ${typing}hello\n$\n`, typed: "", complete: true },
    { screen: "", typed: "", complete: true },
  ];
  for (const [i, { screen, typed, complete }] of turns.entries()) {
    const got = agent.decide({ instruction: "", screen, step: i + 1, prompt: "" });
    const keys = (got.commands ?? []).map((c) => c.keystrokes).join("");
    assert.deepEqual({ typed: keys, complete: got.complete ?? false }, { typed, complete }, `turn ${i + 1}`);
  }
});

test("a line comes in, a line goes out", async () => {
  const request = { instruction: 'Say "hello".', screen: "$\n", step: 1, prompt: "", more: [{}] };
  const input = new PassThrough();
  const output = new PassThrough();
  input.end(`${JSON.stringify(request)}\n`);
  await serve(input, output, (r) => ({ analysis: r.instruction, plan: r.screen, complete: r.step === 1 }));
  assert.equal(
    String(output.read()),
    '{"analysis":"Say \\"hello\\".","plan":"$\\n","commands":[],"task_complete":true}\n',
  );
});

test("what is no JSON is an error", async () => {
  const input = new PassThrough();
  input.end("no JSON\n");
  await assert.rejects(serve(input, new PassThrough(), () => ({})), SyntaxError);
});

test("a line without an end is an error before all of it is read", async () => {
  const input = Readable.from(Array(1000).fill("{".repeat(1 << 20)));
  await assert.rejects(serve(input, new PassThrough(), () => ({})), /a request of more than/);
});
