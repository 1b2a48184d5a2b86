import type { HostFunctions } from './host-function.ts'
import { hostFunction } from './host-function.ts'

/** The prelude subtracts the start time of the run. */
export const clockFunctions: HostFunctions = {
  monotonicMs: hostFunction([], 'number', () => performance.now()),
}
