/**
 * Verifies the origin's evidence before a key is sent. This module is loaded only if the console verifies the origin.
 */
import '../verify/no-code-of-text.ts'

export * from '../../../shared/client/verification/verifier.ts'
