// The oracle answers what upstream's own code would: one JSON request a line in, one JSON answer a line out.
// The differential tests ask it; nothing else uses it.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

type handler func(json.RawMessage) (any, error)

// handlers is filled by the init functions of the other files, one subject each.
var handlers = map[string]handler{}

type request struct {
	Op  string          `json:"op"`
	Arg json.RawMessage `json:"arg"`
}

type answer struct {
	Ok    any    `json:"ok,omitempty"`
	Error string `json:"error,omitempty"`
}

func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	encoder := json.NewEncoder(out)
	decoder := json.NewDecoder(in)
	for {
		var asked request
		if err := decoder.Decode(&asked); err != nil {
			return
		}
		handle, known := handlers[asked.Op]
		var reply answer
		if !known {
			reply.Error = fmt.Sprintf("the oracle knows no operation %q", asked.Op)
		} else if value, err := handle(asked.Arg); err != nil {
			reply.Error = err.Error()
		} else {
			reply.Ok = value
		}
		if err := encoder.Encode(reply); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		out.Flush()
	}
}
