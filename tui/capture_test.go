package tui

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"html"
	"image/color"
	"os"
	"path/filepath"
	"strings"
	"testing"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/vt"

	"lockdrill/labs"
)

var captures = flag.Bool("captures", false, "write the pictures of the README anew")

// pictured are the golden screens that the README shows.
var pictured = map[string]bool{"home": true, "card-revealed": true, "recall-marked": true}

// captureDir is where the README's pictures lie.
const captureDir = "../.captures"

// The README's pictures are made from the same grids that the screens are tested
// by: one that is out of date fails. -captures writes them.
func checkCapture(t *testing.T, name, content string, w, h int) {
	t.Helper()
	got := svg(content, w, h)
	file := filepath.Join(captureDir, name+".svg")
	if *captures {
		if err := os.WriteFile(file, got, 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is out of date: go test ./tui -captures", file)
	}
}

func TestCaptureLabs(t *testing.T) {
	for name, fenced := range map[string]bool{"late-write-landed": false, "late-write-fenced": true} {
		env := &Env{Ctx: context.Background(), styles: newStyles(Auto)}
		o := labs.Options{}
		if fenced {
			o = labs.Options{Service: "etcd", Store: labs.Fenced}
		}
		a := &App{env: env, w: 80, h: 24}
		a.stack = []screen{newHome(env), labScreen(env, pausedRun(fenced), o)}
		checkCapture(t, name, a.frame(), a.w, a.h)
	}
}

// Sizes of a cell in the pictures, in user units.
const (
	cellWidth  = 8.4
	cellHeight = 18.0
)

// svg draws what a terminal shows, on white.
func svg(content string, w, h int) []byte {
	em := vt.NewEmulator(w, h)
	_, _ = em.Write([]byte(strings.ReplaceAll(content, "\n", "\r\n"))) // an emulator's Write cannot fail
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" font-family="ui-monospace, Menlo, Consolas, monospace" font-size="14">`+"\n",
		float64(w)*cellWidth, float64(h)*cellHeight+6)
	b.WriteString(`<rect width="100%" height="100%" fill="#ffffff"/>` + "\n<style>text{fill:#1f1f1f}</style>\n")
	for y := range h {
		for x := 0; x < w; {
			x = svgRun(&b, em, x, y, w)
		}
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// svgRun writes the cells from x on that look alike and hold no space, and
// returns the next x: each word has a place of its own, whatever the font.
func svgRun(b *bytes.Buffer, em *vt.Emulator, x, y, w int) int {
	first := em.CellAt(x, y)
	var text strings.Builder
	end := x
	for end < w {
		c := em.CellAt(end, y)
		if c == nil || c.Content == " " || !c.Style.Equal(&first.Style) {
			break
		}
		text.WriteString(c.Content)
		end += max(1, c.Width)
	}
	if end == x {
		return x + 1
	}
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" textLength="%.1f"%s>%s</text>`+"\n", float64(x)*cellWidth, float64(y+1)*cellHeight,
		float64(end-x)*cellWidth, svgStyle(first.Style), html.EscapeString(text.String()))
	return end
}

func svgStyle(s uv.Style) string {
	var out string
	if s.Fg != nil {
		out += fmt.Sprintf(` style="fill:%s"`, hex(s.Fg))
	}
	if s.Attrs&uv.AttrBold != 0 {
		out += ` font-weight="bold"`
	}
	return out
}

func hex(c color.Color) string {
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}
