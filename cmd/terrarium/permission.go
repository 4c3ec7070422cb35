package main

const permissionHelp = `Permission: terrarium run|serve|harness

Rules say whether a command starts, somebody is asked first, or it must not.
They stand in /etc/terrarium/policy.toml, in the person's terrarium/policy.toml
below ~/.config, and in .terrarium/policy.toml of a session's directories, which
only tighten. With no rules and none of these flags, nothing is asked.

  --policy FILE           rules in place of the person's
  --approve ask|all|none  what would be asked about: ask, start it, or don't
  --ask-command CMD       a shell line that answers: it reads one JSON object
                          and prints {"answer":"once"}, or session, always, no
  --audit FILE            write down what is asked, decided and run: JSON lines
  --audit-required        and start nothing that can't be written there

Who answers: --ask-command, else an ACP client that says it does, else a person
at our terminal; else it is no. Deny is never asked about, nor is what you type:
run's command and harness's shell. Keys typed into a terminal are not judged.
`

// permissionFlags are those that permissionHelp explains.
var permissionFlags = []string{"policy", "approve", "ask-command", "audit", "audit-required"}
