/**
 * Checks the format of CIDs. The computation (`compute-cid.ts`) is in a separate file, because it needs the IPFS
 * library.
 */
import { keccakHex } from '../crypto/keccak.ts'

/** Pattern of a CIDv0: a SHA-256 multihash in base58. */
export const CID_PATTERN = /^Qm[1-9A-HJ-NP-Za-km-z]{44}$/

/** Returns true if the text has the format of an action's CID. The action itself may not exist. */
export function isActionCid(text: unknown): text is string {
  return typeof text === 'string' && CID_PATTERN.test(text)
}

/** Returns the keccak-256 of the CID's text as 0x hex, the format of `cid_hashes_permitted`. */
export function cidHash(cid: string): string {
  return keccakHex(cid)
}
