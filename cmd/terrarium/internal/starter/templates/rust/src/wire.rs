//! Requests and answers of "terrarium harness", each a line of JSON.

use std::io::{self, BufRead, Read, Write};

use crate::json::{self, Value};

/// What an agent is asked in one turn.
#[derive(Debug, Default, PartialEq)]
pub struct Request {
    /// The task.
    pub instruction: String,
    /// What the terminal shows, or what is new there.
    pub screen: String,
    /// Counts the turns from 1.
    pub step: u64,
    /// All of it in words, with what was wrong with the last answer: what to tell a language model.
    pub prompt: String,
}

/// What to do next.
#[derive(Debug, Default, PartialEq)]
pub struct Answer {
    /// What the agent makes of what it sees, for whoever reads the transcript.
    pub analysis: String,
    /// What it is up to.
    pub plan: String,
    /// Are typed one after the other. There may be none.
    pub commands: Vec<Command>,
    /// The task is done. It counts when two answers in a row say it.
    pub complete: bool,
}

/// Something to type.
#[derive(Debug, PartialEq)]
pub struct Command {
    /// Text, with a newline where Enter is pressed, or nothing but the name of a key: "C-c", "Up".
    pub keystrokes: String,
    /// For how long to wait afterwards, in seconds, from 0.1 to 60. A shell that is done earlier
    /// ends it, if there are keystrokes.
    pub wait: f64,
}

impl Command {
    /// Returns a command; wait is in seconds.
    pub fn new(keystrokes: &str, wait: f64) -> Command {
        Command { keystrokes: keystrokes.into(), wait }
    }
}

impl Request {
    /// Returns the request that a line holds. What else is in it may be for newer agents.
    pub fn read(line: &str) -> Result<Request, String> {
        let mut request = Request::default();
        for (name, value) in json::object(line)? {
            match (name.as_str(), value) {
                ("instruction", Value::Text(text)) => request.instruction = text,
                ("screen", Value::Text(text)) => request.screen = text,
                ("step", Value::Number(n)) => request.step = n as u64,
                ("prompt", Value::Text(text)) => request.prompt = text,
                _ => {}
            }
        }
        Ok(request)
    }
}

impl Answer {
    /// Returns the line that an answer is.
    pub fn write(&self) -> String {
        let commands: Vec<String> = self.commands.iter().map(Command::write).collect();
        format!(
            r#"{{"analysis":{},"plan":{},"commands":[{}],"task_complete":{}}}"#,
            json::quote(&self.analysis),
            json::quote(&self.plan),
            commands.join(","),
            self.complete
        )
    }
}

impl Command {
    fn write(&self) -> String {
        format!(r#"{{"keystrokes":{},"duration":{}}}"#, json::quote(&self.keystrokes), self.wait)
    }
}

/// How long a request may be, in bytes.
const MAX_REQUEST: u64 = 64 << 20;

/// Returns the next line, or nothing at the end of the input.
fn read_line(input: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    let length = input.take(MAX_REQUEST + 1).read_until(b'\n', &mut line)? as u64;
    let wrong = |why: String| io::Error::new(io::ErrorKind::InvalidData, why);
    if length > MAX_REQUEST {
        return Err(wrong(format!("a request of more than {MAX_REQUEST} bytes")));
    }
    let line = String::from_utf8(line).map_err(|why| wrong(format!("request: {why}")))?;
    Ok((length > 0).then_some(line))
}

/// Answers requests until there are no more: the task is done, or given up.
pub fn serve(
    mut input: impl BufRead,
    mut output: impl Write,
    mut decide: impl FnMut(&Request) -> Answer,
) -> io::Result<()> {
    while let Some(line) = read_line(&mut input)? {
        if line.trim().is_empty() {
            continue;
        }
        let request = Request::read(&line)
            .map_err(|why| io::Error::new(io::ErrorKind::InvalidData, format!("request: {why}")))?;
        writeln!(output, "{}", decide(&request).write())?;
        output.flush()?;
    }
    Ok(())
}
