/** What is asked of a CID itself; `cid.ts` makes one of a source, and has the IPFS library for it. */
import { keccak_256 } from '@noble/hashes/sha3.js'
import { encodeHex } from './hex.ts'

/** The shape of a CIDv0 (specification, Action identity 7). */
export const CID_SHAPE = /^Qm[1-9A-HJ-NP-Za-km-z]{44}$/

/** Whether a text has the shape of an action's CID; whether there is such an action, nobody knows. */
export function isActionCid(text: unknown): text is string {
  return typeof text === 'string' && CID_SHAPE.test(text)
}

/** keccak256 of a CID's text in 0x hex: an action in `cid_hashes_permitted` (specification, Action identity 6). */
export function cidHash(cid: string): string {
  return `0x${encodeHex(keccak_256(new TextEncoder().encode(cid)))}`
}
