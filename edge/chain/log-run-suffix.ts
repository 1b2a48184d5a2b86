import { sha256 } from '@noble/hashes/sha2.js'
import { encodeBase64url } from '../../shared/encoding/base64url.ts'
import { RUN_SUFFIX_BYTES } from '../../shared/ids.ts'
import type { ChainLog } from './chain-log.ts'

/** Identity of an event, even if a reorganization moves its transaction to another block. */
type LogIdentity = Pick<ChainLog, 'transactionHash' | 'address' | 'topics' | 'data' | 'ordinal'>

/**
 * Maps an event to the same run, however often the log is delivered (`docs/decisions/0045`). It does not have to be
 * secret, because only the owner can read the run. The hashed fields contain no commas or slashes, so different events
 * never produce the same text.
 */
export function logRunSuffix(triggerId: string, log: LogIdentity): string {
  const { transactionHash, address, topics, data, ordinal } = log
  const event = [transactionHash, address, topics.join(','), data, ordinal].join('/')
  const text = new TextEncoder().encode(`svc/log/v1/${triggerId}/${event}`)
  return encodeBase64url(sha256(text).subarray(0, RUN_SUFFIX_BYTES))
}
