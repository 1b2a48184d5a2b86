import { KEY_OPERATIONS_MAX } from '../../shared/limits.ts'

/** Limit on the characters of a wallet or action id in a call by an action: four times the longest valid id. */
export const KEY_ID_MAX_CHARACTERS = 256

/** Refusal of a key operation beyond the limit, shared by both sides of the process boundary. */
export const KEY_LIMIT_REFUSAL = {
  ok: false,
  code: 'key_operation_limit',
  message: `an execution may use at most ${KEY_OPERATIONS_MAX} key operations`,
} as const

/**
 * Number of operations that an executor passes on: one more than allowed, because the pool's own count decides. The
 * executor refuses all others itself, so that a loop of them does not flood the process that holds the keys.
 */
export const KEY_OPERATIONS_PASSED_ON = KEY_OPERATIONS_MAX + 1
