import { derivedRunSuffix } from '../derived-run-suffix.ts'
import type { ChainLog } from './chain-log.ts'

/** Fields that identify an event, even if a reorganization moves its transaction to another block. */
type LogIdentity = Pick<ChainLog, 'transactionHash' | 'address' | 'topics' | 'data' | 'ordinal'>

/**
 * Derives the suffix of a run ID from an event, so that repeated deliveries of a log start the same run
 * (`docs/decisions/0045`). The hashed fields contain no commas or slashes, so different events never produce the same
 * text.
 */
export function logRunSuffix(triggerId: string, log: LogIdentity): string {
  const { transactionHash, address, topics, data, ordinal } = log
  const event = [transactionHash, address, topics.join(','), data, ordinal].join('/')
  return derivedRunSuffix(`svc/log/v1/${triggerId}/${event}`)
}
