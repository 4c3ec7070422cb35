//! What to type. This agent writes hello.txt: put yours in its place.

use crate::wire::{Answer, Command, Request};

/// Decides what to type.
#[derive(Default)]
pub struct Agent {
    typed: bool,
    seen: bool,
}

impl Agent {
    /// Is called once for each turn.
    pub fn decide(&mut self, request: &Request) -> Answer {
        if !self.typed {
            self.typed = true;
            return Answer {
                analysis: "a shell waits".into(),
                plan: "write the file, and show it".into(),
                commands: vec![Command::new("echo hello >hello.txt && cat hello.txt\n", 1.0)],
                complete: false,
            };
        }
        if !self.seen && !request.screen.lines().any(|line| line.trim_end() == "hello") {
            // The machine is busy.
            return Answer {
                plan: "look again".into(),
                commands: vec![Command::new("", 0.5)],
                ..Answer::default()
            };
        }
        // The first time we are asked whether we are sure: then the same answer says yes.
        self.seen = true;
        Answer { analysis: "the file is written".into(), complete: true, ..Answer::default() }
    }
}
