package server

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// zkJars is where Debian keeps ZooKeeper and what it needs. Naming them one by
// one starts in a third of the time that all of Debian's jars take.
const zkJars = "/usr/share/java"

var zkClasspath = []string{"zookeeper", "zookeeper-jute", "slf4j-api", "slf4j-simple", "netty-all", "metrics-core", "snappy-java"}

// zkWithin bounds the start of a Java program, also on a busy machine.
const zkWithin = 60 * time.Second

// zkConfig is a server by itself whose sessions may be as short as a lab likes.
const zkConfig = `dataDir=%s
clientPortAddress=127.0.0.1
clientPort=%d
tickTime=50
minSessionTimeout=100
maxSessionTimeout=86400000
maxClientCnxns=0
admin.enableServer=false
4lw.commands.whitelist=srvr
`

// zkOptions make a small Java program of it. Nothing that it stores outlives it,
// and empty containers go within a tenth of a second.
var zkOptions = []string{
	"-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
	"-Dzookeeper.forceSync=no", "-Dznode.container.checkIntervalMs=100",
	"-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
}

// ErrNoZooKeeper means that this machine has no ZooKeeper that could be started.
var ErrNoZooKeeper = errors.New("no ZooKeeper to be found: apt-get install zookeeper default-jre-headless, or name a running one with --zookeeper HOST:PORT")

// FindZooKeeper says whether StartZooKeeper has what it needs.
func FindZooKeeper() error {
	if _, err := exec.LookPath("java"); err != nil {
		return ErrNoZooKeeper
	}
	if _, err := os.Stat(filepath.Join(zkJars, "zookeeper.jar")); err != nil {
		return ErrNoZooKeeper
	}
	return nil
}

// ZooKeeper is a real ZooKeeper server that runs beside this process.
type ZooKeeper struct {
	dir  *TempDir
	addr string
	p    *process
}

// StartZooKeeper starts a server on a free loopback port, in a fresh directory,
// and waits until it serves.
func StartZooKeeper(ctx context.Context) (*ZooKeeper, error) {
	if err := FindZooKeeper(); err != nil {
		return nil, err
	}
	var err error
	for range 3 {
		var z *ZooKeeper
		if z, err = tryStartZooKeeper(ctx); !errors.Is(err, errEndedEarly) {
			return z, err
		}
	}
	return nil, err
}

func tryStartZooKeeper(ctx context.Context) (*ZooKeeper, error) {
	dir, err := NewTempDir()
	if err != nil {
		return nil, fmt.Errorf("zookeeper: %w", err)
	}
	z := &ZooKeeper{dir: dir}
	if err = z.launch(); err == nil {
		err = ready(ctx, z.p, zkWithin, z.serves)
	}
	if err != nil {
		return nil, errors.Join(err, z.Close())
	}
	return z, nil
}

func (z *ZooKeeper) launch() error {
	port, err := freePort()
	if err != nil {
		return fmt.Errorf("zookeeper: %w", err)
	}
	z.addr = fmt.Sprintf("127.0.0.1:%d", port)
	file := filepath.Join(z.dir.Path, "zoo.cfg")
	text := fmt.Sprintf(zkConfig, filepath.Join(z.dir.Path, "data"), port)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return fmt.Errorf("zookeeper: %w", err)
	}
	var jars []string
	for _, name := range zkClasspath {
		jars = append(jars, filepath.Join(zkJars, name+".jar"))
	}
	args := append(append([]string{}, zkOptions...), "-cp", strings.Join(jars, ":"),
		"org.apache.zookeeper.server.quorum.QuorumPeerMain", file)
	z.p, err = run("zookeeper", "java", args...)
	return err
}

// serves asks the server itself: its port is open before it serves.
func (z *ZooKeeper) serves(ctx context.Context) bool {
	var d net.Dialer
	c, err := d.DialContext(ctx, "tcp", z.addr)
	if err != nil {
		return false
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(time.Second)) // fails only on a closed connection
	if _, err := io.WriteString(c, "srvr"); err != nil {
		return false
	}
	lines := bufio.NewScanner(c)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "Mode:") {
			return true
		}
	}
	return false
}

// Addr is host:port.
func (z *ZooKeeper) Addr() string { return z.addr }

// Close ends the server and removes what it wrote.
func (z *ZooKeeper) Close() error {
	if z.p != nil {
		z.p.kill()
	}
	return z.dir.Remove()
}

// ready waits until a program serves. One that ends instead is shown with its
// last line.
func ready(ctx context.Context, p *process, within time.Duration, serves func(context.Context) bool) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !serves(ctx) {
		select {
		case <-p.exited:
			return fmt.Errorf("%w: %w", errEndedEarly, p.ended())
		case <-ctx.Done():
			return fmt.Errorf("%s was not ready within %s: %w; its last words: %s", p.name, within, ctx.Err(), p.said.last())
		case <-tick.C:
		}
	}
	return nil
}
