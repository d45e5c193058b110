package main

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// mayImport says, by top-level folder, which others its packages may import.
var mayImport = map[string][]string{
	"content": {},
	"labs":    {},
	"drills":  {"content"},
	"tui":     {"drills", "labs", "content"},
	"cmd":     {"tui", "drills", "labs", "content"},
}

func TestImportsRunOneWay(t *testing.T) {
	for _, p := range packages(t) {
		from := top(p.ImportPath)
		allowed, ok := mayImport[from]
		if !ok {
			t.Errorf("package %s is outside the folders of the project", p.ImportPath)
		}
		for _, imported := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
			if to := top(imported); to != "" && to != from && !slices.Contains(allowed, to) {
				t.Errorf("%s imports %s: %s may not import %s", p.ImportPath, imported, from, to)
			}
		}
	}
}

func TestTopLevelIsAsAgreed(t *testing.T) {
	want := []string{"LICENSE", "README.md", "cmd", "content", "drills", "go.mod", "go.sum", "labs", "tui"}
	entries, err := os.ReadDir(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") && e.Name() != "lockdrill" { // the binary, which git ignores
			got = append(got, e.Name())
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("top level is %v, want %v", got, want)
	}
}

func TestNoPackageForEverything(t *testing.T) {
	for _, p := range packages(t) {
		if slices.Contains([]string{"utils", "util", "common", "helpers", "types", "misc"}, filepath.Base(p.ImportPath)) {
			t.Errorf("%s has a name that says nothing", p.ImportPath)
		}
	}
}

type goPackage struct {
	ImportPath                         string
	Imports, TestImports, XTestImports []string
}

func packages(t *testing.T) []goPackage {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports,TestImports,XTestImports", "lockdrill/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []goPackage
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// top is the top-level folder of one of our packages, "" for others.
func top(importPath string) string {
	rest, ok := strings.CutPrefix(importPath, "lockdrill/")
	if !ok {
		return ""
	}
	folder, _, _ := strings.Cut(rest, "/")
	return folder
}
