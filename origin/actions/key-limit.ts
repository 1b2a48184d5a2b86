import { KEY_OPERATIONS_MAX } from '../../shared/limits.ts'

/** Maximum length of a wallet or action ID in a key operation: four times the longest valid ID. */
export const KEY_ID_MAX_CHARACTERS = 256

export const KEY_LIMIT_REFUSAL = {
  ok: false,
  code: 'key_operation_limit',
  message: `an execution may use at most ${KEY_OPERATIONS_MAX} key operations`,
} as const

/**
 * Maximum number of key operations of one run that an executor forwards to the worker pool. It is one more than a run
 * may make, because the pool enforces the limit. The executor refuses further operations, so that a loop does not flood
 * the process that holds the keys.
 */
export const KEY_OPERATIONS_FORWARDED = KEY_OPERATIONS_MAX + 1
