import { sha256 } from '@noble/hashes/sha2.js'
import { encodeHex } from '../encoding/hex.ts'

/** Returns the `account_hash` in entries of the log of a user's triggers. */
export function userLogHash(userId: string): string {
  return `0x${encodeHex(sha256(new TextEncoder().encode(`svc/user-log/v1\n${userId}`)))}`
}
