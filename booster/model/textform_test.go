package model_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"boost/booster/model"
	"boost/internal/testenv"
	"boost/ptq"
)

// A model that was written as text and read again has the bytes that it had.
func TestTextForm(t *testing.T) {
	f := newForestOver(t, 300, 2, 4, 30, 40, 60)
	all := map[string]*model.Model{"full": f.model, "small": newSmall(t), "no trees": newForestOver(t, 50, 2, 0, 1, 10, 5).model}
	for _, form := range ptq.Forms() {
		all[form.String()], _ = compressed(t, f.model, form, model.GroupBlock, form == ptq.FormHot)
	}
	for name, m := range all {
		t.Run("S4.41/"+name, func(t *testing.T) {
			text := m.EncodeText()
			if !json.Valid(text) {
				t.Fatalf("no JSON: %.200s", text)
			}
			again, err := model.DecodeText(text)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(encode(t, again), encode(t, m)) {
				t.Error("it has other bytes than before")
			}
			// Neither spaces nor the order of keys matter.
			var object map[string]any
			if err := json.Unmarshal(text, &object); err != nil {
				t.Fatal(err)
			}
			var spaced bytes.Buffer
			if err := json.Indent(&spaced, text, "", "  "); err != nil {
				t.Fatal(err)
			}
			if again, err = model.DecodeText(spaced.Bytes()); err != nil || !bytes.Equal(encode(t, again), encode(t, m)) {
				t.Errorf("with spaces: %v", err)
			}
		})
	}
}

func TestTextFormDamage(t *testing.T) {
	testenv.Unraced(t)
	f := newForestOver(t, 200, 1, 2, 9, 20, 30)
	small, _ := compressed(t, f.model, ptq.FormOf(ptq.I4), model.GroupTree, false)
	for _, m := range []*model.Model{newSmall(t), small} {
		text := m.EncodeText()
		for n := range len(text) - 1 {
			if _, err := model.DecodeText(text[:n]); !errors.Is(err, model.ErrModel) {
				t.Fatalf("cut at %d: %v", n, err)
			}
		}
		for i := range text {
			spoiled := bytes.Clone(text)
			spoiled[i] ^= 1 << (i % 7)
			again, err := model.DecodeText(spoiled)
			if err != nil && !errors.Is(err, model.ErrModel) {
				t.Fatalf("byte %d: %v", i, err)
			}
			if err == nil {
				encode(t, again)
			}
		}
	}
	text := string(small.EncodeText())
	at := strings.Index(text, `"leaf":[`) + len(`"leaf":[`)
	if _, err := model.DecodeText([]byte(text[:at] + "7," + text[strings.Index(text[at:], ",")+at+1:])); !errors.Is(err, model.ErrModel) || !strings.Contains(err.Error(), "stored codes") {
		t.Errorf("a leaf that its code does not say: %v", err)
	}
}

func FuzzDecodeTextS4_41(f *testing.F) {
	forest := newForestOver(f, 200, 1, 2, 9, 20, 30)
	f.Add(newSmall(f).EncodeText())
	ofClasses, ofNumbers := fullTrusts()
	f.Add(trusting(f, newSmall(f), ofClasses).EncodeText())
	f.Add(trusting(f, newSmallNumbers(f), ofNumbers).EncodeText())
	for _, form := range []ptq.Form{ptq.FormQ4_0, ptq.FormOf(ptq.U4), ptq.FormCold2} {
		small, _ := compressed(f, forest.model, form, model.GroupBlock, false)
		f.Add(small.EncodeText())
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := model.DecodeText(text)
		if err != nil {
			if !errors.Is(err, model.ErrModel) {
				t.Fatal(err)
			}
			return
		}
		again, err := model.DecodeText(m.EncodeText())
		if err != nil || !bytes.Equal(encode(t, again), encode(t, m)) {
			t.Fatalf("it has other bytes when it is read again: %v", err)
		}
	})
}
