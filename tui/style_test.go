package tui

import (
	"image/color"
	"math"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
)

// luminance is that of WCAG 2.
func luminance(c color.Color) float64 {
	r, g, b, _ := c.RGBA()
	linear := func(v uint32) float64 {
		x := float64(v) / 0xffff
		if x <= 0.04045 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(r) + 0.7152*linear(g) + 0.0722*linear(b)
}

func contrast(a, b color.Color) float64 {
	x, y := luminance(a)+0.05, luminance(b)+0.05
	return max(x, y) / min(x, y)
}

// Every colour has a contrast of 4.5 to what it may stand on, as it comes out
// in each profile.
func TestContrast(t *testing.T) {
	grounds := map[Theme][]color.Color{Light: {color.White}, Dark: {color.Black}, Auto: {color.White, color.Black}}
	for theme, on := range grounds {
		for _, p := range []colorprofile.Profile{colorprofile.TrueColor, colorprofile.ANSI256} {
			s := stylesIn(theme, p)
			for name, c := range map[string]color.Color{"label": s.label.GetForeground(), "accent": s.accent.GetForeground(), "rule": s.rule.GetForeground()} {
				for _, ground := range on {
					if got := contrast(p.Convert(c), ground); got < 4.5 {
						t.Errorf("%s, %v: %s has a contrast of %.2f", theme, p, name, got)
					}
				}
			}
		}
	}
}

// With sixteen colours the accent is one of them, and nothing else is coloured.
func TestSixteenColours(t *testing.T) {
	for _, theme := range []Theme{Auto, Light, Dark} {
		s := stylesIn(theme, colorprofile.ANSI)
		if s.accent.GetForeground() != lipgloss.Red {
			t.Errorf("%s: the accent is %v", theme, s.accent.GetForeground())
		}
		for name, style := range map[string]lipgloss.Style{"plain": s.plain, "strong": s.strong, "label": s.label, "rule": s.rule} {
			if _, none := style.GetForeground().(lipgloss.NoColor); !none {
				t.Errorf("%s: %s is coloured", theme, name)
			}
		}
	}
}
