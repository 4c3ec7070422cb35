package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// command runs a program with env on top of our own environment. It writes the command line to out
// first, in a form that can be pasted into a shell, then whatever the program prints.
func command(ctx context.Context, out io.Writer, env []string, name string, args ...string) error {
	return commandIn(ctx, out, "", env, name, args...)
}

// commandIn is command in a directory, "" for our own.
func commandIn(ctx context.Context, out io.Writer, dir string, env []string, name string, args ...string) error {
	line := commandLine(env, name, args)
	if dir != "" {
		line = "cd " + commandLine(nil, dir, nil) + " && " + line
	}
	fmt.Fprintf(out, "$ %s\n", line)
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = out, out
	endWithChildren(cmd)
	cmd.WaitDelay = 10 * time.Second
	err := cmd.Run()
	countTime(ctx, cmd.ProcessState)
	return err
}

// commandStep is a step that runs one command.
func commandStep(title string, env []string, name string, args ...string) step {
	return step{title, func(ctx context.Context, out io.Writer) error {
		return command(ctx, out, env, name, args...)
	}}
}

func commandLine(env []string, name string, args []string) string {
	words := append(append(append([]string(nil), env...), name), args...)
	for i, word := range words {
		if word == "" || strings.ContainsAny(word, " $^*|&;<>()'\"\\") {
			words[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}
