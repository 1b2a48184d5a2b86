import { sha256 } from '@noble/hashes/sha2.js'
import { encodeBase64url } from '../../shared/base64url.ts'
import { RUN_SUFFIX_BYTES } from '../../shared/ids.ts'
import type { ChainLog } from './chain-log.ts'

/** What tells an event from others, wherever a reorganisation puts its transaction. */
type LogIdentity = Pick<ChainLog, 'transactionHash' | 'address' | 'topics' | 'data' | 'ordinal'>

/**
 * The run's own part of the id of a log's run: the same event always makes the same run, however often it is told of
 * (`DESIGN.md`, Ids). It is no secret; only the owner may read what it names. No part has a comma or a slash, so that
 * no two events have one text.
 */
export function logRunSuffix(triggerId: string, log: LogIdentity): string {
  const { transactionHash, address, topics, data, ordinal } = log
  const event = [transactionHash, address, topics.join(','), data, ordinal].join('/')
  const text = new TextEncoder().encode(`svc/log/v1/${triggerId}/${event}`)
  return encodeBase64url(sha256(text).subarray(0, RUN_SUFFIX_BYTES))
}
