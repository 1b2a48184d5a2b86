import { KEY_OPERATIONS_MAX } from '../../shared/limits.ts'

/** Characters of a wallet's or an action's id as an action writes it: four times the longest that there is. */
export const KEY_ID_MAX_CHARACTERS = 256

/** How a key operation beyond the limit is refused, by whichever side of the boundary refuses it. */
export const KEY_LIMIT_REFUSAL = {
  ok: false,
  code: 'key_operation_limit',
  message: `an execution may use at most ${KEY_OPERATIONS_MAX} key operations`,
} as const

/**
 * Operations that an executor passes on: one more than are granted, for the pool's own count decides.
 * The rest are refused inside, so that a loop of them does not flood the process that holds the keys.
 */
export const KEY_OPERATIONS_PASSED_ON = KEY_OPERATIONS_MAX + 1
