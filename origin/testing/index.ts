/** `@svc-run/cli/test`: runs actions in the sandbox, in tests of vitest (docs/testing.md). */
import { MATCHERS } from './matchers.ts'

export { recording } from './recording.ts'
export { runAction, UnscriptedRequestError } from './run-action.ts'
export { TestSetupError } from './test-setup-error.ts'
export { testWallet } from './test-wallet.ts'
export type {
  ActionRequest,
  ActionRun,
  ActionSource,
  Handler,
  Recording,
  RecordingOptions,
  Reply,
  Routes,
  RunActionOptions,
  SentActionRequest,
  SignatureMatch,
  TestChain,
  TestChains,
  TestSignature,
  TestTransaction,
  TestWallet,
  TransactionMatch,
} from './types.ts'

// Vitest can be imported only in its own processes.
if (process.env['VITEST']) (await import('vitest')).expect.extend(MATCHERS)
