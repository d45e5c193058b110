package vendor

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
)

// Client asks a vendor. It never retries: the caller decides whether to ask
// twice.
type Client struct {
	url  string
	http *http.Client
}

// NewClient returns a client of the vendor at url.
func NewClient(url string) *Client {
	return &Client{url: url, http: &http.Client{Transport: &http.Transport{Proxy: nil, DisableKeepAlives: true}}}
}

// Do asks for one charge. After an error the money may or may not be gone.
func (c *Client) Do(ctx context.Context, charge Charge) (Reply, error) {
	if c.url == "" {
		return Reply{}, errNoVendor
	}
	body, err := json.Marshal(charge)
	if err != nil {
		return Reply{}, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url+"/charge", bytes.NewReader(body))
	if err != nil {
		return Reply{}, err
	}
	req.GetBody = nil // the transport may not send it twice
	if charge.Key != "" {
		req.Header.Set(keyHeader, charge.Key)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return Reply{}, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return Reply{}, fmt.Errorf("vendor answered %s", resp.Status)
	}
	var reply Reply
	if err := json.NewDecoder(resp.Body).Decode(&reply); err != nil {
		return Reply{}, fmt.Errorf("vendor's reply: %w", err)
	}
	return reply, nil
}
