// Command lockdrill teaches the distributed-locks answer: by recall, and by
// breaking real locks.
package main

import (
	"os"

	"lockdrill/labs/client"
)

func main() {
	client.Main() // returns unless a lab started this process as its client
	os.Exit(run(os.Args[1:], streams{in: os.Stdin, out: os.Stdout, err: os.Stderr}))
}
