package hfile

import (
	"bytes"
	"encoding/binary"

	"google.golang.org/protobuf/encoding/protowire"
)

// trailerSize is the fixed length of the trailer at the end of a version 3
// file.
const trailerSize = 4096

const trailerMagic = `TRABLK"$`

// maxIndexLevels bounds the depth of the block index; real files have up to 3.
const maxIndexLevels = 32

// A trailer says where everything else is.
type trailer struct {
	fileInfoOffset   int64
	loadOnOpenOffset int64
	rootEntries      int
	entries          int64
	indexLevels      int
	firstDataBlock   int64
	codec            codec
}

// parseTrailer takes the last trailerSize bytes of a file apart.
func parseTrailer(b []byte) (trailer, error) {
	t := trailer{indexLevels: 1, codec: codecNone, firstDataBlock: -1}
	if !bytes.HasPrefix(b, []byte(trailerMagic)) {
		return t, corruptf("no trailer at the end of the file")
	}
	// The first byte of the last four is the minor version.
	if major := binary.BigEndian.Uint32(b[len(b)-4:]) & 0xffffff; major != 3 {
		return t, unsupportedf("version %d, only version 3 is read", major)
	}
	fields, n := protowire.ConsumeBytes(b[len(trailerMagic) : len(b)-4])
	if n < 0 {
		return t, corruptf("trailer: %v", protowire.ParseError(n))
	}
	encrypted := false
	err := protoFields(fields, func(num protowire.Number, v uint64, bytes []byte) error {
		switch num {
		case 1:
			t.fileInfoOffset = int64(v)
		case 2:
			t.loadOnOpenOffset = int64(v)
		case 5:
			t.rootEntries = int(int32(v))
		case 7:
			t.entries = int64(v)
		case 8:
			t.indexLevels = int(int32(v))
		case 9:
			t.firstDataBlock = int64(v)
		case 12:
			t.codec = codec(v)
		case 13:
			encrypted = len(bytes) > 0
		}
		return nil
	})
	switch {
	case err != nil:
		return t, err
	case encrypted:
		return t, unsupportedf("the file is encrypted")
	case t.rootEntries < 0 || t.entries < 0:
		return t, corruptf("trailer: negative count")
	case t.indexLevels < 0 || t.indexLevels > maxIndexLevels:
		return t, corruptf("trailer: %d index levels", t.indexLevels)
	}
	return t, t.codec.check()
}

// parseFileInfo takes the payload of the file info block apart.
func parseFileInfo(b []byte) (map[string][]byte, error) {
	b, ok := bytes.CutPrefix(b, []byte("PBUF"))
	if !ok {
		return nil, corruptf("file info does not begin with PBUF")
	}
	entries, n := protowire.ConsumeBytes(b)
	if n < 0 {
		return nil, corruptf("file info: %v", protowire.ParseError(n))
	}
	info := make(map[string][]byte)
	err := protoFields(entries, func(num protowire.Number, _ uint64, pair []byte) error {
		if num != 1 {
			return nil
		}
		var key, value []byte
		err := protoFields(pair, func(num protowire.Number, _ uint64, b []byte) error {
			switch num {
			case 1:
				key = b
			case 2:
				value = b
			}
			return nil
		})
		info[string(key)] = value
		return err
	})
	return info, err
}

// protoFields calls f for each field of a protobuf message with its number and
// its value: an integer or bytes.
func protoFields(b []byte, f func(protowire.Number, uint64, []byte) error) error {
	for len(b) > 0 {
		num, typ, n := protowire.ConsumeTag(b)
		if n < 0 {
			return corruptf("protobuf: %v", protowire.ParseError(n))
		}
		b = b[n:]
		var v uint64
		var bytes []byte
		switch typ {
		case protowire.VarintType:
			v, n = protowire.ConsumeVarint(b)
		case protowire.BytesType:
			bytes, n = protowire.ConsumeBytes(b)
		default:
			n = protowire.ConsumeFieldValue(num, typ, b)
		}
		if n < 0 {
			return corruptf("protobuf: %v", protowire.ParseError(n))
		}
		b = b[n:]
		if err := f(num, v, bytes); err != nil {
			return err
		}
	}
	return nil
}
