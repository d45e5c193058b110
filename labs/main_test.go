package labs

import (
	"os"
	"testing"

	"lockdrill/labs/client"
)

func TestMain(m *testing.M) {
	client.Main()
	os.Exit(m.Run())
}
