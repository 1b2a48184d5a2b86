/** Attempts and progress as tests store them. */
import { hexlify, randomBytes } from 'ethers'
import type { NewAttempt } from '../../../origin/transactions/record-attempts.ts'
import type { Progress } from '../../../origin/transactions/save-progress.ts'

/** An attempt of a transaction without a policy. */
export const attemptOf = (
  transactionId: string,
  nonce: number,
  more: Partial<NewAttempt> = {},
): NewAttempt => ({
  hash: hexlify(randomBytes(32)),
  transactionId,
  kind: 'send',
  nonce,
  raw: '0x02',
  maxFeePerGas: 3n,
  maxPriorityFeePerGas: 1n,
  isFirst: true,
  knownNonce: more.isFirst === false ? nonce : null,
  gasLimit: 21_000n,
  waitingFor: null,
  policyHash: null,
  policyRule: null,
  ...more,
})

/** Progress of a transaction that a node has accepted. */
export const progressOf = (more: Partial<Progress> = {}): Progress => ({
  state: 'broadcast',
  waitingFor: null,
  waitingMessage: null,
  minedHash: null,
  minedBlock: null,
  minedBlockHash: null,
  gasUsed: null,
  effectiveGasPrice: null,
  replacedBy: null,
  failureCode: null,
  failureMessage: null,
  hasEnded: false,
  ...more,
})
