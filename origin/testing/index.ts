/**
 * `@svc-run/cli/test`: runs actions in the sandbox, in tests of vitest (docs/testing.md).
 */
import { MATCHERS } from './matchers.ts'

export { recording, type Recording, type RecordingOptions } from './recording.ts'
export type { ActionRequest, Handler, Reply, Routes } from './routes.ts'
export {
  type ActionRun,
  type ActionSource,
  runAction,
  type RunActionOptions,
  type SentActionRequest,
  UnscriptedRequestError,
} from './run-action.ts'
export type { SignatureMatch, TransactionMatch } from './matchers.ts'
export type { TestSignature } from './test-account.ts'
export { TestSetupError } from './test-setup-error.ts'
export type { TestChain, TestChains, TestTransaction } from './test-transactions.ts'
export { testWallet, type TestWallet } from './test-wallet.ts'

// Vitest can be imported only in its own processes.
if (process.env['VITEST']) (await import('vitest')).expect.extend(MATCHERS)
