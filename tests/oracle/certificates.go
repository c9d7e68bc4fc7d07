package main

import (
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
)

type certificateRequest struct {
	Chain  string `json:"chain"`
	Bundle string `json:"bundle"`
	Host   string `json:"host"`
	Usage  string `json:"usage"`
}

func init() {
	// Whether a peer that sends a chain is accepted by one that trusts a bundle: a server for a host, or with the
	// usage "client" a client.
	handlers["certificates.verify"] = func(arg json.RawMessage) (any, error) {
		var asked certificateRequest
		if err := json.Unmarshal(arg, &asked); err != nil {
			return nil, err
		}
		options := x509.VerifyOptions{Roots: x509.NewCertPool(), Intermediates: x509.NewCertPool(), DNSName: asked.Host}
		if !options.Roots.AppendCertsFromPEM([]byte(asked.Bundle)) {
			return nil, errors.New("the bundle has no certificate")
		}
		if asked.Usage == "client" {
			options.KeyUsages = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
		}
		var leaf *x509.Certificate
		for rest := []byte(asked.Chain); ; {
			var block *pem.Block
			if block, rest = pem.Decode(rest); block == nil {
				break
			}
			certificate, err := x509.ParseCertificate(block.Bytes)
			if err != nil {
				return nil, err
			}
			if leaf == nil {
				leaf = certificate
			} else {
				options.Intermediates.AddCert(certificate)
			}
		}
		_, err := leaf.Verify(options)
		return err == nil, nil
	}
}
