package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
)

// ErrNotSent means the store was never reached: nothing can have been written.
// Any other error of Do but a refusal leaves the outcome open.
var ErrNotSent = errors.New("store not reached")

// Client asks a store. It never retries: a repeated write is another write.
type Client struct {
	url  string
	http *http.Client
}

// NewClient returns a client of the store at url.
func NewClient(url string) *Client {
	return &Client{url: url, http: &http.Client{Transport: &http.Transport{Proxy: nil, DisableKeepAlives: true}}}
}

// Do sends one request and returns the store's decision.
func (c *Client) Do(ctx context.Context, op Op, r Request) (Reply, error) {
	body, err := json.Marshal(r)
	if err != nil {
		return Reply{}, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url+"/"+string(op), bytes.NewReader(body))
	if err != nil {
		return Reply{}, err
	}
	req.GetBody = nil // the transport may not send it twice
	resp, err := c.http.Do(req)
	var dial *net.OpError
	if errors.As(err, &dial) && dial.Op == "dial" {
		return Reply{}, fmt.Errorf("%w: %w", ErrNotSent, err)
	}
	if err != nil {
		return Reply{}, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 4096))
		return Reply{}, fmt.Errorf("store answered %s: %s", resp.Status, strings.TrimSpace(string(text)))
	}
	var reply Reply
	if err := json.NewDecoder(resp.Body).Decode(&reply); err != nil {
		return Reply{}, fmt.Errorf("store's reply: %w", err)
	}
	return reply, nil
}
