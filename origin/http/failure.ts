import { ApiError, type ErrorStatus } from '../../shared/errors.ts'
import { NotTheAdmin } from '../accounts/admin-wallet.ts'
import { ChainUnavailable } from '../accounts/chain.ts'
import { ForeseenRefusal } from '../accounts/foreseen-refusal.ts'
import { AccountChainSecured } from '../accounts/ownership-mode.ts'
import { WalletProofRefused } from '../accounts/wallet-proofs/refusal.ts'
import { ContractRefused } from '../accounts/writer.ts'
import { EnvelopeRefused } from '../channel/open-request.ts'
import { Overloaded } from '../admission/event-loop-load.ts'
import { TooManyCalls } from '../admission/call-rate.ts'
import { dollars } from '../credits/dollars.ts'
import { NoProcessor } from '../credits/processor/no-processor.ts'
import { NotCredited } from '../credits/processor/not-credited.ts'
import { ProcessorUnavailable } from '../credits/processor/processor.ts'
import { TooManyPayments } from '../credits/processor/too-many-payments.ts'
import { WebhookRefused } from '../credits/processor/webhook.ts'
import {
  CreditsUnavailable,
  FailedExecutionAllowance,
  PaymentRequired,
  SpendCapReached,
} from '../credits/shortage.ts'
import { DatabaseUnavailable } from '../db/unavailable.ts'
import { ExecutorUnavailable } from '../runs/executed-run.ts'
import { ActionNotPermitted } from '../runs/executions.ts'
import { TeeUnavailable } from '../tee/provider.ts'
import { contractRefusal } from './contract-refusals.ts'
import { NestedTooDeeply } from './json/scan.ts'
import { notCredited, webhookRefusal } from './payment-refusals.ts'
import { KeyShownBefore } from './key-shown-before.ts'
import { ActionFailed, ActionStopped } from './svc-action.ts'
import { SignatureRefused } from './wallet-signature.ts'
import { walletProofRefusal } from './wallet-proof-refusals.ts'

/** What a 401 has to name (RFC 9110, 15.5.2), where a wallet asks. No scheme is registered for it. */
const WALLET_CHALLENGE = { headers: { 'www-authenticate': 'EIP712' } }
const RETRY = { headers: { 'retry-after': '2' } }
const FIX_PAYMENT =
  'Add funds: POST /core/v1/billing/create_payment_intent, then confirm_payment. GET /core/v1/billing/balance shows the balance.'
const FIX_CAP =
  'Wait, or let the account key raise the cap of this key: POST /core/v1/update_usage_api_key.'

/** A failure as it is answered. */
export type FailureAnswer = {
  status: ErrorStatus
  headers: Record<string, string>
  /** A structured error, or a string (specification, Errors). */
  body: object | string
  /** The name of the failure. */
  code: string
}

/** @param publicUrl where this origin's documents are */
export function failureAnswer(error: unknown, publicUrl: string): FailureAnswer {
  if (error instanceof ActionFailed)
    return {
      status: 500,
      headers: { 'x-svc-error': error.code, ...error.headers },
      body: error.message,
      code: error.code,
    }
  const failure = toApiError(error)
  const { status, headers, message } = failure
  const structured = failure.toBody(publicUrl)
  const isText = error instanceof ContractRefused && (status === 400 || status === 409)
  return { status, headers, body: isText ? message : structured, code: failure.error }
}

/** The one place where the origin's failures get their status. What is not listed is ours, and says nothing. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof ActionNotPermitted)
    return new ApiError(
      403,
      `The key may not run the action ${error.cid}: no group that it may execute in permits it.`,
      'Add the action to a group (add_action_to_group, or cid_hashes_permitted) that the key lists in execute_in_groups.',
    )
  if (error instanceof ContractRefused || error instanceof ForeseenRefusal)
    return contractRefusal(error.errorName, error.args)
  if (error instanceof AccountChainSecured) return chainSecured(error)
  if (error instanceof NotTheAdmin) return notTheAdmin(error)
  if (error instanceof SignatureRefused) {
    const { message, fix } = walletProofRefusal(error.refusal)
    return new ApiError(401, message, fix, WALLET_CHALLENGE)
  }
  if (error instanceof WalletProofRefused) return walletProofRefusal(error)
  if (error instanceof ChainUnavailable)
    return new ApiError(
      503,
      `The chain is not available: ${error.message}.`,
      'Try again; nothing was charged.',
      RETRY,
    )
  if (error instanceof PaymentRequired) return paymentRequired(error)
  if (error instanceof SpendCapReached) return spendCapReached(error)
  if (error instanceof FailedExecutionAllowance) return failedTooMuch(error)
  if (error instanceof CreditsUnavailable)
    return new ApiError(
      503,
      `Whether the account can pay is not known: ${error.message}.`,
      'Try again; nothing was executed and nothing was charged.',
      RETRY,
    )
  if (error instanceof NoProcessor)
    return new ApiError(
      503,
      'Payments are not taken here: no payment processor is configured.',
      'Ask the operator of this origin for credits; nothing was charged.',
      { headers: { 'retry-after': '3600' } },
    )
  if (error instanceof ProcessorUnavailable)
    return new ApiError(
      503,
      'The payment processor does not answer.',
      'Try again; a payment that was made is credited once, whenever it is asked for.',
      RETRY,
    )
  if (error instanceof NotCredited) return notCredited(error)
  if (error instanceof TooManyPayments)
    return new ApiError(
      429,
      `Too many payments: ${error.message}.`,
      'Pay one that was begun, or try again after the seconds in Retry-After.',
      retryAfter(error.retryAfterMs),
    )
  if (error instanceof WebhookRefused) return webhookRefusal(error)
  if (error instanceof ActionStopped) return actionStopped(error)
  if (error instanceof ExecutorUnavailable)
    return new ApiError(
      503,
      'The actions runtime is not available.',
      'Try again; nothing was executed and nothing was charged.',
      RETRY,
    )
  if (error instanceof NestedTooDeeply)
    return new ApiError(
      400,
      `The body is nested too deeply: ${error.message}.`,
      'Send it flatter, or what is nested as a string.',
    )
  if (error instanceof DatabaseUnavailable)
    return new ApiError(
      503,
      'The database is not available.',
      'Try again; nothing was executed and nothing was charged.',
      RETRY,
    )
  if (error instanceof Overloaded)
    return new ApiError(
      429,
      `This node has too much to do: ${error.message}.`,
      'Try again with growing waits; nothing was executed and nothing was charged.',
      { error: 'overloaded', ...retryAfter(error.retryAfterMs) },
    )
  if (error instanceof TooManyCalls)
    return new ApiError(
      429,
      `Too many requests: ${error.message}.`,
      'Try again after the seconds in Retry-After.',
      retryAfter(error.retryAfterMs),
    )
  if (error instanceof TeeUnavailable)
    return new ApiError(
      503,
      `What this machine is verified by is not available: ${error.message}.`,
      'Try again later, and send nothing secret before it is there.',
      { headers: { 'retry-after': '30' } },
    )
  if (error instanceof KeyShownBefore)
    return new ApiError(
      409,
      `A request under this Idempotency-Key made the key with the hash ${error.keyHash}; a key is shown once.`,
      'Where that answer was lost, remove the key (by this hash) and make another under a new Idempotency-Key.',
      { error: 'key_shown_before' },
    )
  if (error instanceof EnvelopeRefused) return envelopeRefusal(error)
  return new ApiError(
    500,
    'The server failed to answer this request.',
    'Try again; if it stays, report the x-request-id of this answer.',
  )
}

/** Whole seconds, at least one; two where nobody can tell. */
function retryAfter(ms: number | undefined) {
  if (ms === undefined) return RETRY
  return { headers: { 'retry-after': String(Math.max(1, Math.ceil(ms / 1000))) } }
}

function paymentRequired({ requiredCents, balanceCents, debtCents }: PaymentRequired): ApiError {
  const message = `This costs ${dollars(requiredCents)} and the balance is ${dollars(balanceCents)}.`
  const owed =
    debtCents > 0
      ? ` The account owes ${dollars(debtCents)}, which the next payment pays first.`
      : ''
  return new ApiError(402, message + owed, FIX_PAYMENT)
}

function spendCapReached(error: SpendCapReached): ApiError {
  const { requiredCents, leftCents, capCents, windowSeconds, nextLeavesAt } = error
  const later = nextLeavesAt
    ? ` Some of what was spent is forgotten at ${rfc3339(nextLeavesAt)}.`
    : ''
  return new ApiError(
    402,
    `This costs ${dollars(requiredCents)} and the key may spend ${dollars(leftCents)} more: its cap is ${dollars(capCents)} in ${windowSeconds} s.${later}`,
    FIX_CAP,
    { error: 'spend_cap_reached' },
  )
}

function failedTooMuch({ of, retryAfterMs }: FailedExecutionAllowance): ApiError {
  const whose = of === 'pair' ? 'of this action by this key' : 'of this account'
  return new ApiError(
    429,
    `Runs ${whose} that failed have used what they may take for nothing in an hour; nothing was executed.`,
    'Look why they fail before you try again after the seconds in Retry-After. Runs that are paid for add to it.',
    { error: 'failed_execution_allowance', ...retryAfter(retryAfterMs) },
  )
}

function rfc3339(time: Date): string {
  return time.toISOString().replace(/\.\d+Z$/, 'Z')
}

function actionStopped({ code, message, headers }: ActionStopped): ApiError {
  const fix = 'The action may have had effects; look before you try again. Nothing was charged.'
  switch (code) {
    case 'out_of_credits':
      return new ApiError(402, message, FIX_PAYMENT, { error: code, headers })
    case 'spend_cap_reached':
      return new ApiError(402, message, FIX_CAP, { error: code, headers })
    case 'failed_execution_allowance':
      return new ApiError(429, message, fix, {
        error: code,
        headers: { 'retry-after': '60', ...headers },
      })
    case 'credits_unavailable':
      return new ApiError(503, message, fix, { headers: { ...RETRY.headers, ...headers } })
  }
}

function chainSecured({ adminWallet, write }: AccountChainSecured): ApiError {
  const message =
    'The account is in ChainSecured mode: the API key that it had is worth nothing here.'
  if (!write)
    return new ApiError(
      403,
      message,
      'Use a usage key of the account, or read the account from the chain. For billing and the caps of usage keys send X-Wallet-Auth, signed by the admin wallet.',
    )
  const { functionName, clientMethod, contractAddress, chainId } = write
  const send = `Send ${functionName} to the contract ${contractAddress} on chain ${chainId} from the wallet ${adminWallet}`
  return new ApiError(
    403,
    'The account is in ChainSecured mode: its admin wallet alone may write it.',
    clientMethod === undefined
      ? `${send}.`
      : `${send}; in svc/client with mode 'sovereign' that is ${clientMethod}().`,
  )
}

/** Here the wallet is the credential. Who is the admin now is for everybody to read on the chain. */
function notTheAdmin({ wallet, heir }: NotTheAdmin): ApiError {
  if (heir !== undefined)
    return new ApiError(
      401,
      `The wallet ${wallet} is no longer the admin of the account: it was transferred to ${heir}.`,
      `Sign with the wallet ${heir}.`,
      WALLET_CHALLENGE,
    )
  return new ApiError(
    401,
    `The wallet ${wallet} is the admin of no ChainSecured account.`,
    'Open an account from this wallet (newChainSecuredAccount at the contract), or convert one to it (convert_to_chain_secured_account). An account in API mode asks with its key.',
    WALLET_CHALLENGE,
  )
}

function envelopeRefusal({ failure }: EnvelopeRefused): ApiError {
  switch (failure.reason) {
    case 'unknown_key':
      return new ApiError(
        421,
        `The request is sealed to a key that this origin has not: ${failure.keyId}.`,
        'Read and verify /evidences/channel-key.json again, and seal to the key it names.',
        { error: 'unknown_channel_key' },
      )
    case 'unknown_psk':
      return new ApiError(
        401,
        'The pre-shared key is not the one of this origin.',
        'Give edge and origin the same channel PSK.',
        { error: 'unknown_psk' },
      )
    case 'malformed':
    case 'not_authentic':
      return new ApiError(
        400,
        'The sealed request does not open.',
        'Seal it to the key in /evidences/channel-key.json for this very method and path.',
      )
  }
}
