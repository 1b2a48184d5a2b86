import { TRANSACTION_START_BLOCKS_MAX } from '../../shared/limits.ts'
import { TriggerRejectedError } from './trigger-rejected-error.ts'

/** @param earliest first block that is accepted as `start_block` */
export function startTooEarly(earliest: number): TriggerRejectedError {
  return new TriggerRejectedError({
    reason: 'field',
    field: 'config.start_block',
    problem: `more than ${TRANSACTION_START_BLOCKS_MAX} blocks before the head of the chain`,
    fix: `Send ${earliest} or a later block: a trigger on transactions reads each block in full.`,
  })
}
