/** `compute-cid.ts`, which computes CIDs, is separate because it needs the IPFS library. */
import { keccakHex } from '../crypto/keccak.ts'

/** CIDv0: a SHA-256 multihash in base58. */
export const CID_PATTERN = /^Qm[1-9A-HJ-NP-Za-km-z]{44}$/

/** Returns true if the text has the shape of an action's CID. Such an action may still not exist. */
export function isActionCid(text: unknown): text is string {
  return typeof text === 'string' && CID_PATTERN.test(text)
}

/** Returns the keccak256 of the CID's text as 0x hex, the form used in `cid_hashes_permitted`. */
export function cidHash(cid: string): string {
  return keccakHex(cid)
}
