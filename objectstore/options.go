package objectstore

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// Options are the storage options that are known, with the other names that
// users of Hadoop and Iceberg know them by. Upper and lower case are the same.
// An option that is not set is asked of the environment: AWS_REGION,
// AWS_ENDPOINT_URL and so on; credentials then of ~/.aws/credentials
// (AWS_PROFILE), of web identity tokens, of ECS, and of the machine.
var Options = map[string][]string{
	"aws_access_key_id":     {"s3.access-key-id", "fs.s3a.access.key"},
	"aws_secret_access_key": {"s3.secret-access-key", "fs.s3a.secret.key"},
	"aws_session_token":     {"s3.session-token", "fs.s3a.session.token"},
	"aws_region":            {"region", "aws_default_region", "s3.region", "fs.s3a.endpoint.region"},
	// A URL, or a host, which is spoken to by HTTPS then.
	"aws_endpoint": {"endpoint", "aws_endpoint_url", "aws_endpoint_url_s3", "s3.endpoint", "fs.s3a.endpoint"},
	// true: the bucket is part of the path, not of the host name. Stores that
	// aren't AWS's are spoken to like that anyway.
	"s3.path-style-access": {"fs.s3a.path.style.access"},
	// true: nobody in particular asks.
	"aws_skip_signature": {"s3.anonymous"},
}

// machineTimeout is how long the machine's own credentials are waited for: most
// machines have none.
const machineTimeout = 2 * time.Second

// environment says which variables stand for options.
var environment = map[string][]string{
	"aws_region":   {"AWS_REGION", "AWS_DEFAULT_REGION"},
	"aws_endpoint": {"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"},
}

// options are the values of [Options].
type options map[string]string

func newOptions(given map[string]string) (options, error) {
	o := options{}
	names := map[string]string{}
	for name, others := range Options {
		names[name] = name
		for _, n := range others {
			names[n] = name
		}
	}
	from := map[string]string{}
	for key, value := range given {
		name, ok := names[strings.ToLower(key)]
		if !ok || value == "" {
			continue // an option of the reader, or of another store
		}
		if old, ok := o[name]; ok && old != value {
			return nil, fmt.Errorf("options %s and %s contradict one another", from[name], key)
		}
		o[name], from[name] = value, key
	}
	for name, variables := range environment {
		for _, v := range variables {
			if o[name] == "" {
				o[name] = os.Getenv(v)
			}
		}
	}
	return o, nil
}

func (o options) is(name string) (bool, error) {
	if o[name] == "" {
		return false, nil
	}
	on, err := strconv.ParseBool(o[name])
	if err != nil {
		return false, fmt.Errorf("option %s is %q, not true or false", name, o[name])
	}
	return on, nil
}

// endpoint gives host and whether to use TLS.
func (o options) endpoint() (host string, secure bool, err error) {
	e := o["aws_endpoint"]
	if e == "" {
		return "s3.amazonaws.com", true, nil
	}
	if !strings.Contains(e, "://") {
		return e, true, nil
	}
	u, err := url.Parse(e)
	if err != nil || u.Host == "" || strings.Trim(u.Path, "/") != "" {
		return "", false, fmt.Errorf("option aws_endpoint is %q, not a URL of a host", e)
	}
	return u.Host, u.Scheme != "http", nil
}

// client makes a client. It connects to nothing yet.
func (o options) client() (*minio.Core, error) {
	host, secure, err := o.endpoint()
	if err != nil {
		return nil, err
	}
	creds, err := o.credentials()
	if err != nil {
		return nil, err
	}
	settings := &minio.Options{Creds: creds, Secure: secure, Region: o["aws_region"]}
	if path, err := o.is("s3.path-style-access"); err != nil {
		return nil, err
	} else if path {
		settings.BucketLookup = minio.BucketLookupPath
	}
	transport, err := minio.DefaultTransport(secure)
	if err != nil {
		return nil, err
	}
	transport.MaxIdleConnsPerHost = 64
	settings.Transport = transport
	return minio.NewCore(host, settings)
}

func (o options) credentials() (*credentials.Credentials, error) {
	anonymous, err := o.is("aws_skip_signature")
	if err != nil {
		return nil, err
	}
	id, secret := o["aws_access_key_id"], o["aws_secret_access_key"]
	switch {
	case anonymous:
		return credentials.NewStaticV4("", "", ""), nil
	case id != "" && secret != "":
		return credentials.NewStaticV4(id, secret, o["aws_session_token"]), nil
	case id != "" || secret != "":
		return nil, fmt.Errorf("options aws_access_key_id and aws_secret_access_key go together, one is missing")
	}
	return credentials.NewChainCredentials([]credentials.Provider{
		&credentials.EnvAWS{}, &credentials.FileAWSCredentials{}, &credentials.IAM{Client: &http.Client{Timeout: machineTimeout}},
	}), nil
}
