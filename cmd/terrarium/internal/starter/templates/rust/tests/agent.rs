//! Tests of the agent: cargo test

use std::io::{self, BufReader};

use terminal_agent::agent::Agent;
use terminal_agent::wire::{serve, Answer, Command, Request};

const TYPING: &str = "echo hello >hello.txt && cat hello.txt\n";

#[test]
fn types_looks_and_says_twice_that_it_is_done() {
    let mut agent = Agent::default();
    let turns = [
        ("$\n".to_string(), TYPING, false),
        (format!("$ {TYPING}"), "", false),
        (format!("$ {TYPING}hello\n$\n"), "", true),
        (String::new(), "", true),
    ];
    for (step, (screen, typed, complete)) in (1..).zip(turns) {
        let got = agent.decide(&Request { screen, step, ..Request::default() });
        let keys: String = got.commands.iter().map(|c| c.keystrokes.as_str()).collect();
        assert_eq!((keys.as_str(), got.complete), (typed, complete), "turn {step}");
    }
}

#[test]
fn a_line_comes_in_and_a_line_goes_out() {
    let line = r#"{"instruction":"Say \"hello\".","screen":"$\n","step":1,"prompt":"","more":[{}]}"#;
    let mut out = Vec::new();
    serve(line.as_bytes(), &mut out, |request| Answer {
        analysis: request.instruction.clone(),
        plan: request.screen.clone(),
        commands: vec![Command::new("C-c", 0.5)],
        complete: request.step == 1,
    })
    .unwrap();
    let want = r#"{"analysis":"Say \"hello\".","plan":"$\n","commands":[{"keystrokes":"C-c","duration":0.5}],"task_complete":true}"#;
    assert_eq!(String::from_utf8(out).unwrap(), format!("{want}\n"));
}

#[test]
fn what_is_no_json_is_an_error() {
    assert!(serve("no JSON\n".as_bytes(), Vec::new(), |_| Answer::default()).is_err());
}

#[test]
fn a_line_without_an_end_is_an_error_before_all_of_it_is_read() {
    let endless = BufReader::new(io::repeat(b'{'));
    let error = serve(endless, Vec::new(), |_| Answer::default()).unwrap_err();
    assert!(error.to_string().contains("a request of more than"), "{error}");
}
