import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { canonicalJson } from '../../shared/derived-action/canonical-json.ts'
import type { BulkReplayRequest } from '../../shared/wire/replays.ts'

/** Recognizes a repeated request to start a bulk replay. */
export type RequestIdentity = {
  idempotencyKey: string
  /** Hash of the fields of the request, in any order and with their defaults. */
  requestSha256: string
}

export function identityOfRequest(
  idempotencyKey: string,
  request: BulkReplayRequest,
): RequestIdentity {
  const text = new TextEncoder().encode(canonicalJson(request))
  return { idempotencyKey, requestSha256: bytesToHex(sha256(text)) }
}
