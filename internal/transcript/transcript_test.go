package main

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestReplay(t *testing.T) {
	document := "text\n```console\n$ one\nold\n$ two \\\n    three\ntook 1.5 s\n```\n```sh\n$ no command\n```\n"
	var ran []string
	d, err := replay(document, func(command string) (string, error) {
		ran = append(ran, command)
		return map[string]string{"one": "new\n", "two three": "took   12 ms\n"}[command], nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(ran, ","); got != "one,two three" {
		t.Errorf("ran %s", got)
	}
	if want := strings.Replace(document, "old", "new", 1); d.text != want {
		t.Errorf("text %q, want %q", d.text, want)
	}
	if len(d.changed) != 1 || d.changed[0] != (output{3, "one", "old\n", "new\n"}) {
		t.Errorf("changed %+v", d.changed)
	}
}

func TestReplayRefuses(t *testing.T) {
	failing := errors.New("no such program")
	for name, document := range map[string]string{
		"no command": "```console\noutput\n```\n",
		"no end":     "```console\n$ one\n",
		"failed":     "```console\n$ fail\n```\n",
	} {
		_, err := replay(document, func(command string) (string, error) {
			if command == "fail" {
				return "", failing
			}
			return "", nil
		})
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestSettled(t *testing.T) {
	for _, same := range [][2]string{
		{"time   191 ms: load 15 ms, train 155 ms, other 11 ms\nnext", "time   1.2 s: load 1 s, train 0.2 s\nnext"},
		{"took 42.7 ms", "took 1.2 s"},
		{"memory  40.5 MB at most", "memory  1,040 MB at most"},
	} {
		if settled(same[0]) != settled(same[1]) {
			t.Errorf("%q and %q are told apart", same[0], same[1])
		}
	}
	for _, other := range [][2]string{{"model 110 KB", "model 111 KB"}, {"auc 0.5", "auc 0.6"}, {"time 1 s\na", "time 1 s\nb"}} {
		if settled(other[0]) == settled(other[1]) {
			t.Errorf("%q and %q are the same", other[0], other[1])
		}
	}
}

func TestDraw(t *testing.T) {
	picture := string(draw("$ boost <x>\nµ & more\n"))
	for _, want := range []string{"$ boost &lt;x&gt;", "µ &amp; more", `height="70"`} {
		if !strings.Contains(picture, want) {
			t.Errorf("no %s in\n%s", want, picture)
		}
	}
	for d := xml.NewDecoder(strings.NewReader(picture)); ; {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
}
