//go:build !linux

package progress

import "testing"

// asNobody runs f. Elsewhere than on Linux the tests are not run as root.
func asNobody(_ *testing.T, f func()) { f() }
