import { LOGS_MAX_BYTES, RESULT_MAX_BYTES } from '../../../shared/limits.ts'
import type { HostFunctions } from './host-function.ts'
import type { RunHooks } from './run-functions.ts'
import { runFunctions } from './run-functions.ts'

/** Everything that the prelude may call; the action itself reaches none of it but through the prelude. */
export function hostFunctions(hooks: () => RunHooks): HostFunctions {
  return { ...runFunctions(hooks) }
}

/** Numbers that the prelude finds beside the functions. */
export const HOST_CONSTANTS = { resultMaxBytes: RESULT_MAX_BYTES, logsMaxBytes: LOGS_MAX_BYTES }
