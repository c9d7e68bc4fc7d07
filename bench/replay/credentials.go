package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

// A certificate for loopback that is its own authority. HTTP/2 for those that want it, as kube-apiserver does.
func selfSigned() *tls.Config {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(err)
	now := time.Now()
	certificate := &x509.Certificate{
		SerialNumber:          big.NewInt(now.UnixNano()),
		Subject:               pkix.Name{CommonName: "replay"},
		NotBefore:             now.Add(-time.Minute),
		NotAfter:              now.Add(24 * time.Hour),
		IPAddresses:           []net.IP{net.IPv4(127, 0, 0, 1)},
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true,
		IsCA:                  true,
	}
	encoded, err := x509.CreateCertificate(rand.Reader, certificate, certificate, key.Public(), key)
	check(err)
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{encoded}, PrivateKey: key}}}
}

// All clients use the same: the authority's certificate, and a token that nobody looks at.
func writeKubeconfig(path, url string, authority []byte) error {
	config := api.NewConfig()
	config.Clusters["replay"] = &api.Cluster{
		Server:                   url,
		CertificateAuthorityData: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: authority}),
	}
	config.AuthInfos["replay"] = &api.AuthInfo{Token: "replay"}
	config.Contexts["replay"] = &api.Context{Cluster: "replay", AuthInfo: "replay"}
	config.CurrentContext = "replay"
	return clientcmd.WriteToFile(*config, path)
}
