/** Verifies the origin's evidence before a key is sent. Loaded only if the console verifies its origin. */
import '../verify/no-code-of-text.ts'

export * from '../../../shared/client/verification/verifier.ts'
