/** Loaded only if the console verifies the origin before a key is sent. */
import '../verify/no-code-of-text.ts'

export * from '../../../shared/client/verification/verifier.ts'
