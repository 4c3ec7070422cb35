package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/terrarium-dev/terrarium/plugins/http"
)

func init() {
	// fetch METHOD URL [BODY]: prints the status, and copies the body.
	commands["fetch"] = func(args []string) error {
		r := &http.Request{Method: args[0], URL: args[1]}
		if len(args) > 2 {
			r.Body = strings.NewReader(args[2])
		}
		response, err := http.Do(context.Background(), r)
		if err != nil {
			return told(err)
		}
		fmt.Println(response.Status)
		_, err = io.Copy(os.Stdout, response.Body)
		return told(err)
	}
	// hold URL N: has N requests open, and then ends, or waits for one more line.
	commands["hold"] = func(args []string) error {
		n, err := strconv.Atoi(args[1])
		if err != nil {
			return err
		}
		for range n {
			if _, err := http.Do(context.Background(), &http.Request{URL: args[0]}); err != nil {
				return told(err)
			}
		}
		fmt.Println("held")
		if len(args) > 2 {
			select {}
		}
		return nil
	}
	// stuff URL: ends when a body that nobody reads is stuck on its way.
	commands["stuff"] = func(args []string) error {
		r, w := io.Pipe()
		go http.Do(context.Background(), &http.Request{Method: "PUT", URL: args[0], Body: r})
		for ended := time.Now().Add(time.Second); time.Now().Before(ended); {
			stuck := time.AfterFunc(time.Second/2, func() { os.Exit(0) })
			w.Write(make([]byte, 64<<10))
			stuck.Stop()
			ended = time.Now().Add(time.Second)
		}
		return nil
	}
	// send URL: sends a body without end, of which it makes some each millisecond.
	commands["send"] = func(args []string) error {
		r, w := io.Pipe()
		go func() {
			for {
				if _, err := w.Write([]byte("more")); err != nil {
					return
				}
				time.Sleep(time.Millisecond)
			}
		}()
		response, err := http.Do(context.Background(), &http.Request{Method: "PUT", URL: args[0], Body: r})
		if err == nil {
			fmt.Println(response.Status)
		}
		return told(err)
	}
}

// told is an error with the host's code.
func told(err error) error {
	if e, ok := errors.AsType[*http.Error](err); ok {
		return fmt.Errorf("%d %s", e.Code, e.Text)
	}
	return err
}
