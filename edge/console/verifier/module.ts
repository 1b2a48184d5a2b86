/** Judges the origin's evidence before a key is sent: loaded where the console asks an origin of a machine. */
import '../verify/no-code-of-text.ts'

export * from '../../../shared/client/verification/verifier.ts'
