/** Describes transactions to people. The console and the command line use the same words. */
import type {
  TransactionFailureCode,
  TransactionSpeed,
  TransactionState,
  WaitingReason,
} from './transaction-states.ts'
import type { TransactionRecord } from './transactions.ts'

export const STATE_NAMES: Record<TransactionState, string> = {
  queued: 'Queued',
  signed: 'Signed',
  broadcast: 'Broadcast',
  mined: 'Mined',
  final: 'Final',
  replaced: 'Replaced',
  cancelled: 'Cancelled',
  failed: 'Failed',
}

export const SPEED_NAMES: Record<TransactionSpeed, string> = {
  fast: 'Fast',
  normal: 'Normal',
  cheap: 'Cheap',
}

export const ATTEMPT_NAMES: Record<TransactionRecord['attempts'][number]['kind'], string> = {
  send: 'Send',
  speed_up: 'Speed-up',
  cancel: 'Cancellation',
}

const WAITING_TEXTS: Record<WaitingReason, string> = {
  order: 'Waiting for earlier transactions of this wallet.',
  funds: 'Waiting for funds: the balance of the wallet is too low.',
  fees: 'Waiting for lower fees: the fee limit is below the current fees.',
  nonce: 'Waiting for the transaction that used the same nonce to become final.',
  chain: 'Waiting for the chain: its nodes do not respond, or it has no new blocks.',
}

const FAILURE_NAMES: Record<TransactionFailureCode, string> = {
  policy_denied: 'Denied by the policy of the wallet',
  permission_revoked: 'Permission revoked',
  would_revert: 'Would revert',
  insufficient_funds: 'Insufficient funds',
  gas_limit_too_high: 'Gas limit too high',
  reverted: 'Reverted',
}

/** Listed transactions do not have all data. */
type Described = Omit<TransactionRecord, 'data'>

/** Explains the state of a transaction in one or two sentences. May quote a revert reason, which is untrusted. */
export function explainTransaction(transaction: Described): string {
  const { state, mined, failure, ended_at } = transaction
  const reorg = mined && ended_at === null ? ' A reorganization can still remove its block.' : ''
  switch (state) {
    case 'queued':
    case 'signed':
    case 'broadcast':
      return [
        ...(isCancelling(transaction) ? ['Cancelling the transaction.'] : []),
        waitingText(transaction) ?? PENDING_TEXTS[state],
      ].join(' ')
    case 'mined':
    case 'final':
      return `In block ${mined?.block_number}.${reorg}`
    case 'replaced':
      return 'Another transaction used its nonce. It is not sent again.'
    case 'cancelled':
      return mined
        ? `Transaction cancelled in block ${mined.block_number}.${reorg}`
        : 'Transaction cancelled before it was signed.'
    case 'failed': {
      const name = failure ? FAILURE_NAMES[failure.code] : 'Failed'
      const block = mined ? ` in block ${mined.block_number}` : ''
      return `${sentence(`${name}${block}${failure ? `: ${failure.message}` : ''}`)}${reorg}`
    }
  }
}

function waitingText({ waiting_for, waiting_message }: Described): string | undefined {
  if (waiting_for === null) return undefined
  if (!waiting_message) return WAITING_TEXTS[waiting_for]
  const refused = waiting_for === 'fees' ? 'Higher fees' : 'Filling a gap between nonces'
  return sentence(`${refused} refused: ${waiting_message}`)
}

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)

const PENDING_TEXTS: Record<'queued' | 'signed' | 'broadcast', string> = {
  queued: 'Not signed yet.',
  signed: 'Not accepted by a node yet.',
  broadcast: 'Waiting for a block.',
}

/** Returns true until the transaction is in a block or has ended. Only then can it be sped up or cancelled. */
export const isPending = ({ state }: Pick<TransactionRecord, 'state'>): boolean =>
  state === 'queued' || state === 'signed' || state === 'broadcast'

/** Returns true if a cancellation is signed, and neither it nor the transaction is in a block yet. */
export const isCancelling = (transaction: Described): boolean =>
  isPending(transaction) && transaction.attempts.some(({ kind }) => kind === 'cancel')
