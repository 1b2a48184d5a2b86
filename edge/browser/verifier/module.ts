/** Verifier of the origin's evidence. The console loads it only if it verifies the origin before sending a key. */
import '../verify/disable-zod-jit.ts'

export * from '../../../shared/client/verification/verifier.ts'
