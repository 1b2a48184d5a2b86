import type { HostFunctions } from './host-function.ts'
import { hostFunction } from './host-function.ts'

/** performance.now for the prelude, which counts from the start of the run. */
export const clockFunctions: HostFunctions = {
  monotonicMs: hostFunction([], 'number', () => performance.now()),
}
