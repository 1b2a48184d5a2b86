/** Computes CIDv0 without an IPFS library. */
import { createHash } from 'node:crypto'

import { encodeBase58, keccak256, toUtf8Bytes } from 'ethers'

const CHUNK = 262_144
const MOST_CHILDREN = 174

type Node = { hash: Uint8Array; fileSize: number; totalSize: number }

export function cidOf(source: string): string {
  const bytes = toUtf8Bytes(source)
  let level: Node[] = []
  for (let start = 0; start === 0 || start < bytes.length; start += CHUNK) {
    level.push(leaf(bytes.subarray(start, start + CHUNK)))
  }
  while (level.length > 1) {
    const parents: Node[] = []
    for (let start = 0; start < level.length; start += MOST_CHILDREN) {
      parents.push(parent(level.slice(start, start + MOST_CHILDREN)))
    }
    level = parents
  }
  const [root] = level
  if (!root) throw new Error('a file has at least one node')
  return encodeBase58(root.hash)
}

/** Hash of a CID for `cid_hashes_permitted`. */
export function cidHash(cid: string): string {
  return keccak256(toUtf8Bytes(cid))
}

function leaf(data: Uint8Array): Node {
  return node([], unixFsFile(data, data.length, []), data.length)
}

function parent(children: Node[]): Node {
  const fileSize = children.reduce((sum, child) => sum + child.fileSize, 0)
  const sizes = children.map((child) => child.fileSize)
  return node(children, unixFsFile(new Uint8Array(), fileSize, sizes), fileSize)
}

/** Encodes UnixFS `Data`: 1 type (2 is a file), 2 data, 3 file size, 4 the size of each child. */
function unixFsFile(data: Uint8Array, fileSize: number, sizes: number[]): Uint8Array {
  return Buffer.concat([
    Buffer.from([0x08, 0x02]),
    data.length ? field(2, data) : new Uint8Array(),
    Buffer.from([0x18, ...varint(fileSize)]),
    ...sizes.map((size) => Buffer.from([0x20, ...varint(size)])),
  ])
}

/** Encodes DAG-PB: the links (2) come before the data (1). */
function node(children: Node[], data: Uint8Array, fileSize: number): Node {
  const links = children.map(({ hash, totalSize }) =>
    field(
      2,
      Buffer.concat([
        field(1, hash),
        field(2, new Uint8Array()),
        Buffer.from([0x18, ...varint(totalSize)]),
      ]),
    ),
  )
  const block = Buffer.concat([...links, field(1, data)])
  const digest = createHash('sha256').update(block).digest()
  const below = children.reduce((sum, child) => sum + child.totalSize, 0)
  return {
    hash: Buffer.concat([Buffer.from([0x12, 0x20]), digest]),
    fileSize,
    totalSize: block.length + below,
  }
}

function field(number: number, bytes: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...varint(bytes.length)]), bytes])
}

function varint(value: number): number[] {
  const bytes: number[] = []
  let rest = value
  while (rest > 127) {
    bytes.push((rest % 128) | 128)
    rest = Math.floor(rest / 128)
  }
  return [...bytes, rest]
}
