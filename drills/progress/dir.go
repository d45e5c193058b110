package progress

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/adrg/xdg"
	"golang.org/x/sys/unix"
)

// fileName is the record's name in the data directory.
const fileName = "progress.db"

// DefaultDir is the data directory when none is given: $XDG_DATA_HOME/lockdrill,
// or the platform's place for application data where that is not set. An empty
// or relative $XDG_DATA_HOME is ignored, as its specification asks. It creates
// nothing.
func DefaultDir() (string, error) {
	if os.Getenv("HOME") == "" && !filepath.IsAbs(os.Getenv("XDG_DATA_HOME")) {
		return "", errors.New("no place for the record: HOME is not set; set it, or give --data DIR")
	}
	xdg.Reload() // it read the environment when the program was loaded
	return filepath.Join(xdg.DataHome, "lockdrill"), nil
}

// makeDir creates dir and its missing parents, each 0700 whatever the umask.
func makeDir(dir string) error {
	if _, err := os.Stat(dir); err == nil {
		return nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := makeDir(filepath.Dir(dir)); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); errors.Is(err, fs.ErrExist) {
		return nil
	} else if err != nil {
		return err
	}
	return os.Chmod(dir, 0o700)
}

// canCreateIn says why nothing could be created in dir, which may not exist
// yet; nil if something could.
func canCreateIn(dir string) error {
	for {
		err := unix.Access(dir, unix.W_OK|unix.X_OK)
		parent := filepath.Dir(dir)
		if !errors.Is(err, unix.ENOENT) || parent == dir {
			if err != nil {
				return &fs.PathError{Op: "write", Path: dir, Err: err}
			}
			return nil
		}
		dir = parent
	}
}

// followLinks is where path really is. The record may be a symbolic link, to a
// file that does not exist yet too; it is the target that is made or examined,
// and the link stays as it is.
func followLinks(path string) (string, error) {
	const most = 40 // as the kernel allows
	for range most {
		target, err := os.Readlink(path)
		if err != nil {
			return path, nil // no link: the file itself, or nothing
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		path = target
	}
	return "", &fs.PathError{Op: "open", Path: path, Err: unix.ELOOP}
}

// syncDir makes a rename or a new name in dir durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
