import { importBytes } from 'ipfs-unixfs-importer'
import { CID } from 'multiformats/cid'
import { sha256 } from 'multiformats/hashes/sha2'
import { joinBytes } from '../encoding/bytes.ts'

const CHUNK_BYTES = 262_144

const encoder = new TextEncoder()

/**
 * Computes the CIDv0 of an action's source, with the UnixFS settings: 262,144-byte chunks, a balanced tree with at most
 * 174 children per node, and no raw leaves.
 */
export async function actionCid(source: string): Promise<string> {
  const bytes = encoder.encode(source)
  if (bytes.length > CHUNK_BYTES) return unixfsCid(bytes)
  return CID.createV0(await sha256.digest(leafBlock(bytes))).toString()
}

/**
 * Computes the CID of a file of any size. For a single chunk, the most common case, `actionCid` is several times
 * faster.
 */
export async function unixfsCid(bytes: Uint8Array): Promise<string> {
  const { cid } = await importBytes(
    bytes,
    { put: async (blockCid) => blockCid },
    { profile: 'unixfs-v0-2015' },
  )
  return cid.toString()
}

/** Protobuf tags. A tag is the field number shifted left by three, plus the wire type (0 is varint, 2 is bytes). */
const PB_NODE_DATA = 0x0a
const UNIXFS_TYPE = 0x08
const UNIXFS_DATA = 0x12
const UNIXFS_FILE_SIZE = 0x18
const TYPE_FILE = 2

/**
 * Encodes a single-chunk file as an IPFS block: a PBNode (dag-pb) that contains only the UnixFS message (type, data and
 * size). An empty file has no data field.
 */
function leafBlock(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const size = varint(bytes.length)
  const start = [UNIXFS_TYPE, TYPE_FILE]
  if (bytes.length > 0) start.push(UNIXFS_DATA, ...size)
  const end = [UNIXFS_FILE_SIZE, ...size]
  const head = [PB_NODE_DATA, ...varint(start.length + bytes.length + end.length), ...start]
  return joinBytes(Uint8Array.from(head), bytes, Uint8Array.from(end))
}

/** Encodes a protobuf varint: seven bits per byte, lowest first. The top bit is set if more bytes follow. */
function varint(value: number): number[] {
  const bytes = []
  for (; value > 0x7f; value >>>= 7) bytes.push((value & 0x7f) | 0x80)
  bytes.push(value)
  return bytes
}
