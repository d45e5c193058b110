package lock

import (
	"context"
	"fmt"
	"strings"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"
)

// etcdUnaryWire writes each request and reply into the context's record.
func etcdUnaryWire(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn,
	invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	err := invoke(ctx, method, req, reply, cc, opts...)
	record(ctx, etcdRequest(req), etcdReply(reply, err))
	return err
}

// etcdStreamWire does the same for the one stream that a lease needs: its
// keep-alive.
func etcdStreamWire(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string,
	open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	s, err := open(ctx, desc, cc, method, opts...)
	if err != nil || !strings.HasSuffix(method, "LeaseKeepAlive") {
		return s, err
	}
	return &keepAliveWire{ClientStream: s, ctx: ctx}, nil
}

type keepAliveWire struct {
	grpc.ClientStream
	ctx  context.Context
	sent any
}

func (k *keepAliveWire) SendMsg(m any) error {
	k.sent = m
	return k.ClientStream.SendMsg(m)
}

func (k *keepAliveWire) RecvMsg(m any) error {
	err := k.ClientStream.RecvMsg(m)
	record(k.ctx, etcdRequest(k.sent), etcdReply(m, err))
	return err
}

func etcdRequest(m any) string {
	switch r := m.(type) {
	case *pb.LeaseGrantRequest:
		return fmt.Sprintf("LeaseGrant ttl=%ds", r.TTL)
	case *pb.LeaseKeepAliveRequest:
		return fmt.Sprintf("LeaseKeepAlive id=%x", r.ID)
	case *pb.LeaseRevokeRequest:
		return fmt.Sprintf("LeaseRevoke id=%x", r.ID)
	case *pb.RangeRequest:
		return "Get " + rangeText(r)
	case *pb.DeleteRangeRequest:
		return fmt.Sprintf("Delete %s", r.Key)
	case *pb.TxnRequest:
		return txnText(r)
	}
	return fmt.Sprintf("%T", m)
}

func rangeText(r *pb.RangeRequest) string {
	if len(r.RangeEnd) > 0 {
		return fmt.Sprintf("%s… first by create revision", r.Key)
	}
	return string(r.Key)
}

func txnText(r *pb.TxnRequest) string {
	var b strings.Builder
	b.WriteString("Txn")
	for _, c := range r.Compare {
		fmt.Fprintf(&b, " if create_revision(%s) = %d", c.Key, c.GetCreateRevision())
	}
	for i, op := range r.Success {
		b.WriteString(map[bool]string{true: " then ", false: ", "}[i == 0])
		b.WriteString(opText(op))
	}
	return b.String()
}

func opText(op *pb.RequestOp) string {
	switch {
	case op.GetRequestPut() != nil:
		p := op.GetRequestPut()
		return fmt.Sprintf("put %s lease=%x", p.Key, p.Lease)
	case op.GetRequestRange() != nil:
		return "get " + rangeText(op.GetRequestRange())
	case op.GetRequestDeleteRange() != nil:
		return fmt.Sprintf("delete %s", op.GetRequestDeleteRange().Key)
	}
	return "?"
}

func etcdReply(m any, err error) string {
	if err != nil {
		return err.Error()
	}
	switch r := m.(type) {
	case *pb.LeaseGrantResponse:
		return fmt.Sprintf("granted id=%x ttl=%ds", r.ID, r.TTL)
	case *pb.LeaseKeepAliveResponse:
		return fmt.Sprintf("ttl=%ds", r.TTL)
	case *pb.LeaseRevokeResponse:
		return fmt.Sprintf("revoked, revision %d", r.Header.GetRevision())
	case *pb.RangeResponse:
		if len(r.Kvs) == 0 {
			return fmt.Sprintf("no key, revision %d", r.Header.GetRevision())
		}
		return fmt.Sprintf("%s create_revision=%d, revision %d", r.Kvs[0].Key, r.Kvs[0].CreateRevision, r.Header.GetRevision())
	case *pb.TxnResponse:
		return fmt.Sprintf("succeeded=%t, revision %d", r.Succeeded, r.Header.GetRevision())
	case *pb.DeleteRangeResponse:
		return fmt.Sprintf("deleted %d, revision %d", r.Deleted, r.Header.GetRevision())
	}
	return ""
}
