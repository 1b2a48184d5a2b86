/** Loaded only if the console verifies the origin before a key is sent. */
import '../verify/disable-zod-jit.ts'

export * from '../../../shared/client/verification/verifier.ts'
