// Renders the chart as Helm does, by the template engine that Helm uses itself, with the functions that the chart calls: for
// machines without Helm.
//
//	python3 -c '...values as JSON...' | go run render_chart.go FOLDER RELEASE NAMESPACE
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"text/template"
)

func main() {
	var values map[string]any
	check(json.NewDecoder(os.Stdin).Decode(&values))
	all := template.New("chart").Option("missingkey=zero")
	all.Funcs(template.FuncMap{
		"default": func(usual, value any) any {
			if value == nil || reflect.ValueOf(value).IsZero() {
				return usual
			}
			return value
		},
		"required": func(why string, value any) (any, error) {
			if value == nil || value == "" {
				return nil, errors.New(why)
			}
			return value, nil
		},
		"include": func(name string, data any) (string, error) {
			var text bytes.Buffer
			err := all.ExecuteTemplate(&text, name, data)
			return text.String(), err
		},
		"nindent": func(width int, text string) string {
			indent := "\n" + strings.Repeat(" ", width)
			return indent + strings.ReplaceAll(text, "\n", indent)
		},
		"quote":     func(value any) string { return fmt.Sprintf("%q", fmt.Sprint(value)) },
		"toJson":    asJson,
		"toYaml":    asJson, // JSON is YAML
		"sha256sum": func(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) },
	})
	files, err := filepath.Glob(os.Args[1] + "/templates/*")
	check(err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		check(err)
		template.Must(all.New(filepath.Base(file)).Parse(string(text)))
	}
	data := map[string]any{
		"Values":  values,
		"Chart":   map[string]any{"AppVersion": "0.0.0", "Name": "lockstep"},
		"Release": map[string]any{"Name": os.Args[2], "Namespace": os.Args[3]},
	}
	for _, file := range files {
		if strings.HasSuffix(file, ".yaml") {
			fmt.Println("---")
			check(all.ExecuteTemplate(os.Stdout, filepath.Base(file), data))
		}
	}
}

func asJson(value any) (string, error) {
	text, err := json.Marshal(value)
	return string(text), err
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
