// Sends load to an API server and prints what it measured as JSON: the same program for both servers.
//
//	load -url URL -ca FILE -cert FILE -key FILE -count N -body FILE -path PATH creates
//	load ... -count N -path PATH gets
//	load ... -count N -path PATH list
//	load ... -watchers N -count N -path PATH -body FILE watch
//	load ... -count N -path PATH -body FILE -settled TEXT settles
//
// In the body of creates, NAME is replaced by a name of its own for each request.
package main

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

var (
	url      = flag.String("url", "", "the server")
	cert     = flag.String("cert", "", "the file with the client's certificate")
	key      = flag.String("key", "", "the file with its key")
	ca       = flag.String("ca", "", "the file with the server's authority")
	h2       = flag.Bool("h2", false, "speak HTTP/2 where the server does")
	flight   = flag.Int("flight", 64, "requests in flight")
	count    = flag.Int("count", 1000, "how many requests")
	path     = flag.String("path", "", "the path of the collection or object")
	body     = flag.String("body", "", "the file with the body of creates")
	watchers = flag.Int("watchers", 100, "how many watches")
	settled  = flag.String("settled", "", "the text by which an object in a watch is known to be settled")
)

func main() {
	flag.Parse()
	client := newClient()
	var result any
	switch flag.Arg(0) {
	case "creates":
		result = creates(client)
	case "gets":
		result = gets(client)
	case "list":
		result = list(client)
	case "watch":
		result = watch(client)
	case "settles":
		result = settles(client)
	default:
		fail("say what to do: creates, gets, list, watch or settles")
	}
	json.NewEncoder(os.Stdout).Encode(result)
}

func fail(format string, arguments ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", arguments...)
	os.Exit(1)
}

func newClient() *http.Client {
	pem, err := os.ReadFile(*ca)
	if err != nil {
		fail("%v", err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(pem)
	pair, err := tls.LoadX509KeyPair(*cert, *key)
	if err != nil {
		fail("%v", err)
	}
	transport := &http.Transport{
		TLSClientConfig:     &tls.Config{RootCAs: pool, Certificates: []tls.Certificate{pair}},
		MaxIdleConnsPerHost: 1000,
		DisableCompression:  true,
		ForceAttemptHTTP2:   *h2,
	}
	if !*h2 {
		transport.TLSNextProto = map[string]func(string, *tls.Conn) http.RoundTripper{}
	}
	return &http.Client{Transport: transport}
}

func request(method, path string, body io.Reader) *http.Request {
	made, err := http.NewRequest(method, *url+path, body)
	if err != nil {
		fail("%v", err)
	}
	made.Header.Set("Accept", "application/json")
	made.Header.Set("User-Agent", "load/1")
	if body != nil {
		made.Header.Set("Content-Type", "application/json")
	}
	return made
}

func send(client *http.Client, made *http.Request) int64 {
	response, err := client.Do(made)
	if err != nil {
		fail("%v", err)
	}
	size, err := io.Copy(io.Discard, response.Body)
	response.Body.Close()
	if err != nil {
		fail("%v", err)
	}
	if response.StatusCode >= 300 {
		fail("%s %s: %s", made.Method, made.URL.Path, response.Status)
	}
	return size
}

// Opens as many connections as there will be requests in flight, so that handshakes are not measured. Each is
// held until all are there, so that none is taken twice; with HTTP/2 they share one.
func connect(client *http.Client, connections int) {
	var opened, done sync.WaitGroup
	opened.Add(connections)
	for range connections {
		done.Add(1)
		go func() {
			defer done.Done()
			response, err := client.Do(request("GET", "/readyz", nil))
			if err != nil {
				fail("%v", err)
			}
			opened.Done()
			opened.Wait()
			io.Copy(io.Discard, response.Body)
			response.Body.Close()
			if response.StatusCode != http.StatusOK {
				fail("/readyz: %s", response.Status)
			}
		}()
	}
	done.Wait()
}

// Runs do count times, with a number of them in flight, and gives the seconds it took.
func run(client *http.Client, do func(number int)) float64 {
	connect(client, *flight)
	var next atomic.Int64
	var group sync.WaitGroup
	start := time.Now()
	for range *flight {
		group.Add(1)
		go func() {
			defer group.Done()
			for {
				number := int(next.Add(1)) - 1
				if number >= *count {
					return
				}
				do(number)
			}
		}()
	}
	group.Wait()
	return time.Since(start).Seconds()
}

func template() []byte {
	read, err := os.ReadFile(*body)
	if err != nil {
		fail("%v", err)
	}
	return read
}

func named(template []byte, prefix string, number int) io.Reader {
	return bytes.NewReader(bytes.ReplaceAll(template, []byte("NAME"), fmt.Appendf(nil, "%s-%d", prefix, number)))
}

func creates(client *http.Client) any {
	made, prefix := template(), fmt.Sprintf("c%x", time.Now().UnixNano())
	seconds := run(client, func(number int) { send(client, request("POST", *path, named(made, prefix, number))) })
	return map[string]float64{"per_second": float64(*count) / seconds}
}

func gets(client *http.Client) any {
	seconds := run(client, func(int) { send(client, request("GET", *path, nil)) })
	return map[string]float64{"per_second": float64(*count) / seconds}
}

func list(client *http.Client) any {
	var size int64
	best := 0.0
	connect(client, 1)
	for range *count {
		start := time.Now()
		size = send(client, request("GET", *path, nil))
		if took := time.Since(start).Seconds(); best == 0 || took < best {
			best = took
		}
	}
	return map[string]float64{"seconds": best, "bytes": float64(size)}
}

type event struct {
	Type   string
	Object struct{ Metadata struct{ Name string } }
}

// Each watcher must see each create once, in order. The delay is from when the create was answered.
func watch(client *http.Client) any {
	prefix := fmt.Sprintf("w%x", time.Now().UnixNano())
	answered := make([]time.Time, *count)
	seen := make([][]time.Time, *watchers)
	var ready, done sync.WaitGroup
	for number := range *watchers {
		ready.Add(1)
		done.Add(1)
		go func() {
			defer done.Done()
			response, err := client.Do(request("GET", *path+"?watch=1&resourceVersion=0", nil))
			if err != nil {
				fail("%v", err)
			}
			defer response.Body.Close()
			ready.Done()
			lines := bufio.NewReaderSize(response.Body, 1<<20)
			for len(seen[number]) < *count {
				line, err := lines.ReadBytes('\n')
				if err != nil {
					fail("watcher %d saw %d of %d events: %v", number, len(seen[number]), *count, err)
				}
				now := time.Now()
				var found event
				if json.Unmarshal(line, &found) != nil || found.Type != "ADDED" {
					continue
				}
				if !strings.HasPrefix(found.Object.Metadata.Name, prefix) {
					continue
				}
				if want := fmt.Sprintf("%s-%d", prefix, len(seen[number])); found.Object.Metadata.Name != want {
					fail("watcher %d saw %s, not %s", number, found.Object.Metadata.Name, want)
				}
				seen[number] = append(seen[number], now)
			}
		}()
	}
	ready.Wait()
	connect(client, 1)
	made := template()
	start := time.Now()
	for number := range *count {
		answered[number] = time.Now()
		send(client, request("POST", *path, named(made, prefix, number)))
	}
	done.Wait()
	took := time.Since(start).Seconds()
	all := []float64{}
	for number := range seen {
		for index, at := range seen[number] {
			all = append(all, at.Sub(answered[index]).Seconds()*1000)
		}
	}
	sort.Float64s(all)
	return map[string]float64{
		"p50_ms":  all[len(all)/2],
		"p99_ms":  all[len(all)*99/100],
		"seconds": took,
		"events":  float64(len(all)),
	}
}

// Creates objects at once, and waits until somebody else has brought each of them into the state that it should have.
// The seconds count from the first create.
func settles(client *http.Client) any {
	prefix, begun, done := fmt.Sprintf("s%x", time.Now().UnixNano()), make(chan bool, 1), make(chan time.Time)
	go func() {
		names := map[string]bool{}
		for len(names) < *count {
			// Servers end the watches of a kind whose definition is new; the next one begins with all that is there.
			watchSettled(client, prefix, names, begun)
		}
		done <- time.Now()
	}()
	<-begun
	made := template()
	creating := run(client, func(number int) { send(client, request("POST", *path, named(made, prefix, number))) })
	created := time.Now()
	return map[string]float64{"created": creating, "seconds": creating + (<-done).Sub(created).Seconds()}
}

// Adds the names of objects that are settled until it has all, or until the watch ends.
func watchSettled(client *http.Client, prefix string, names map[string]bool, begun chan<- bool) {
	response, err := client.Do(request("GET", *path+"?watch=1", nil))
	if err != nil {
		fail("%v", err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		fail("%s: %s", *path, response.Status)
	}
	select {
	case begun <- true:
	default:
	}
	lines := bufio.NewReaderSize(response.Body, 1<<20)
	for len(names) < *count {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var found event
		if !bytes.Contains(line, []byte(*settled)) || json.Unmarshal(line, &found) != nil {
			continue
		}
		if strings.HasPrefix(found.Object.Metadata.Name, prefix) {
			names[found.Object.Metadata.Name] = true
		}
	}
}
