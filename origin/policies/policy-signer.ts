import { DeniedError } from '../../shared/policies/denial.ts'
import { type Decision, evaluate } from '../../shared/policies/evaluate.ts'
import type { Policy } from '../../shared/policies/policy.ts'
import type { SigningRequest } from '../../shared/policies/request.ts'
import { maxFee, type Transaction } from '../../shared/policies/transaction.ts'
import type { ReceiptSignature } from '../../shared/receipts/receipt-signature.ts'
import type { WalletPolicy } from '../accounts/wallet-policy.ts'
import type { SigningOperation } from '../actions/run.ts'
import { DatabaseUnavailableError } from '../db/database-unavailable.ts'
import type { Keyring } from '../keys/keyring.ts'
import type { OriginLog } from '../log.ts'
import { digestOf } from '../signing/digest.ts'
import { requestOf } from '../signing/fields.ts'
import { signRequest } from '../signing/sign.ts'
import {
  cancellationOf,
  costlierAs,
  emptyCharges,
  type Fees,
  fillerOf,
  requireSameButFees,
} from './attempts.ts'
import { denialMessage, overSumReason } from './denial-message.ts'
import { PolicyDocumentError, type PolicyDocuments } from './documents.ts'
import type { PolicyWallet } from './policy-wallet.ts'
import type { PolicySums } from './sums/policy-sums.ts'
import type { SignatureReservation } from './sums/reservation.ts'
import { SumsUnavailableError } from './sums/sums-unavailable.ts'

export type PolicySignerOptions = {
  keyring: Keyring
  documents: Pick<PolicyDocuments, 'cached' | 'load'>
  sums: Pick<PolicySums, 'reserve' | 'reservedUnder'>
  /**
   * Returns the timestamp in Unix seconds of the block from which permissions are read. It decides when a pending
   * policy takes effect.
   */
  chainTime: () => number
  /** Unix milliseconds. */
  now: () => number
  log: OriginLog
}

/** Thrown if a request is not signed. The message is shown to the action's author. */
export class SignatureRefusedError extends Error {
  override readonly name: string = 'SignatureRefusedError'
}

/** Thrown if the policy denies a request, in contrast to a policy that cannot be checked now. */
export class SignatureDeniedError extends SignatureRefusedError {
  override readonly name = 'SignatureDeniedError'
}

type Requester = {
  /** CID of the action. */
  action: string
  wallet: PolicyWallet
  /** Returns the wallet's current state. Throws if the run has ended or has lost its permission to use the wallet. */
  current: () => { address: string; policy?: WalletPolicy | undefined }
}

export type RequestedSignature = Requester & {
  operation: SigningOperation
  /** Called with the parsed request before anything is reserved. May throw to refuse it. */
  precondition?: (request: SigningRequest) => Promise<void>
}

export type RequestedTransaction = Requester & {
  transaction: Transaction
  /** A signed transaction that differs only in its fees. The sums count only what it costs more. */
  replaced?: Transaction | undefined
}

export type RequestedCancellation = Requester & { cancelled: Transaction; fees: Fees }

export type RequestedFiller = Requester & {
  nonce: bigint
  /** A transaction of the wallet with a higher nonce. */
  above: Transaction
  fees: Fees
  /** Fees of an earlier transaction that fills the gap. The sums count only the difference. */
  replaced?: Fees | undefined
}

export type PolicySignature = {
  /** Same form as for a wallet without a policy: the signature, or the signed transaction. */
  result: string
  /** Entry for the run's receipt. */
  signature: ReceiptSignature
}

/** Signs requests with wallets that have a policy, if the policy allows the request. */
export class PolicySigner {
  readonly #options: PolicySignerOptions

  constructor(options: PolicySignerOptions) {
    this.#options = options
  }

  chainTime(): number {
    return this.#options.chainTime()
  }

  /**
   * Signs a request of an action. Checks the permission and the policy again after each database query, because they
   * may have changed. If it then refuses, amounts that were already reserved stay spent.
   * @throws {SignatureRefusedError}
   */
  async sign({
    operation,
    precondition,
    ...requester
  }: RequestedSignature): Promise<PolicySignature> {
    const policy = await this.#heldPolicy(requester)
    const allowed = requireAllowed(this.#decide(policy, requested(operation), requester))
    if (precondition) {
      await precondition(allowed.request)
      requireUnchanged(requester.wallet, requester.current())
    }
    return this.#reserveAndSign(allowed, requester, {})
  }

  /**
   * Signs a transaction that the service sends, with the same checks as `sign`. Stores its digest, so that it can be
   * replaced and cancelled.
   * @throws {SignatureDeniedError} if the policy denies it
   * @throws {SignatureRefusedError} if it cannot be checked now
   */
  async signTransaction({
    transaction,
    replaced,
    ...requester
  }: RequestedTransaction): Promise<PolicySignature> {
    if (replaced) requireSameButFees(transaction, replaced)
    const policy = await this.#heldPolicy(requester)
    const allowed = requireAllowed(this.#decide(policy, requestFor(transaction), requester))
    const before = replaced && this.#decide(policy, requestFor(replaced), requester)
    const replaces = before && reservedBefore(before)
    return this.#reserveAndSign(allowed, requester, {
      isRecorded: true,
      ...(replaces && { replaces }),
    })
  }

  /**
   * Signs an empty transaction to the wallet itself with the nonce of another one. It is free if that one was signed,
   * and its gas may cost as much. Otherwise, the policy must allow that one at the price of the cancellation, and the
   * sums count the additional amount. After a change of the policy, up to twice the gas price is free too
   * (`docs/decisions/0116`).
   * @returns the signed transaction
   * @throws like `signTransaction`
   */
  async signCancellation({
    cancelled,
    fees,
    ...requester
  }: RequestedCancellation): Promise<string> {
    const { wallet, current } = requester
    const policy = await this.#heldPolicy(requester)
    const digest = digestOf(requestFor(cancelled))
    const reservedUnder = await this.#options.sums
      .reservedUnder(wallet.pkpId, digest)
      .catch((error: unknown) => this.#fail(error))
    const request = requestFor(cancellationOf(cancelled, wallet.address, fees))
    const isCostlier = maxFee(request.transaction) > maxFee(cancelled)
    const isNewPolicy = reservedUnder !== policy.hash
    const isTolerated = isNewPolicy && fees.maxFeePerGas <= 2n * cancelled.maxFeePerGas!
    if (reservedUnder === undefined || (isCostlier && !isTolerated)) {
      const priced = isCostlier ? costlierAs(cancelled, request.transaction) : cancelled
      const allowed = this.#decide(policy, requestFor(priced), requester)
      if (allowed.decision === 'deny')
        throw new SignatureDeniedError(
          `the policy does not allow the transaction at the price of its cancellation. ${denialMessage(allowed.explanation)}`,
        )
      const replaces = reservedBefore(this.#decide(policy, requestFor(cancelled), requester))
      const reserved = { ...allowed, request }
      return (await this.#reserveAndSign(reserved, requester, replaces ? { replaces } : {})).result
    }
    requireUnchanged(wallet, current())
    return signRequest(request, this.#signing(wallet))
  }

  /**
   * Signs an empty transaction to the wallet itself that fills a gap between nonces. The policy must allow the
   * transaction above the gap, whose gas must cost at least as much. The sums that count that one's gas count the fee.
   * @returns the signed transaction
   * @throws {TypeError} if the nonce is not below that of the transaction above the gap
   * @throws like `signTransaction`
   */
  async signFiller({
    above,
    nonce,
    fees,
    replaced,
    ...requester
  }: RequestedFiller): Promise<string> {
    const { address } = requester.wallet
    const filler = fillerOf({ above, nonce }, address, fees)
    const policy = await this.#heldPolicy(requester)
    const decided = this.#decide(policy, requestFor(above), requester)
    if (decided.decision === 'deny')
      throw new SignatureDeniedError(
        `the policy does not allow the transaction above the gap. ${denialMessage(decided.explanation)}`,
      )
    if (maxFee(filler) > maxFee(above))
      throw new SignatureDeniedError(
        'a transaction that fills a gap may not pay more for gas than the transaction above the gap',
      )
    const filling = (transaction: Transaction) => ({
      request: requestFor(transaction),
      charges: emptyCharges(decided.charges, transaction, policy.scope),
    })
    const before = replaced && filling(fillerOf({ above, nonce }, address, replaced))
    const explanation = [`Fills the gap at the nonce ${nonce}.`, 'Allowed.']
    const allowed = { ...decided, ...filling(filler), explanation }
    const replaces = before && { digest: digestOf(before.request), charges: before.charges }
    const changes = { isRecorded: true, ...(replaces && { replaces }) }
    return (await this.#reserveAndSign(allowed, requester, changes)).result
  }

  /** Returns the policy that holds for the wallet. */
  async #heldPolicy({ wallet, current }: Requester): Promise<Policy> {
    const policy = await this.#load(wallet.policy.hash)
    requireUnchanged(wallet, current())
    requireTerms(policy, wallet.policy)
    return policy
  }

  #decide(policy: Policy, request: object, { wallet, action }: Requester): Decision {
    return evaluate(policy, request, { wallet: wallet.address, action, now: this.#options.now() })
  }

  /** Signs the parsed request, and never the operation's own input, so that nothing unchecked is signed. */
  async #reserveAndSign(
    { rule, charges, explanation, request }: Allowed,
    { wallet, current }: Requester,
    changes: Pick<SignatureReservation, 'replaces' | 'isRecorded'>,
  ): Promise<PolicySignature> {
    const { pkpId, address } = wallet
    const { hash: policyHash, setAt: policySetAt } = wallet.policy
    const digest = digestOf(request)
    const reservation = { pkpId, digest, policyHash, policySetAt, charges, ...changes }
    const sums = await this.#reserve(reservation, explanation)
    requireUnchanged(wallet, current())
    return {
      result: signRequest(request, this.#signing(wallet), digest),
      signature: { wallet: address, digest, policy_hash: policyHash, rule, sums },
    }
  }

  async #load(hash: string): Promise<Policy> {
    const { documents } = this.#options
    try {
      return documents.cached(hash) ?? (await documents.load(hash))
    } catch (error) {
      return this.#fail(error)
    }
  }

  async #reserve(
    reservation: SignatureReservation,
    explanation: readonly string[],
  ): Promise<ReceiptSignature['sums']> {
    const { sums } = this.#options
    if (reservation.charges.length === 0 && !reservation.isRecorded) return []
    const reserved = await sums.reserve(reservation).catch((error: unknown) => this.#fail(error))
    if (!reserved.isReserved)
      // The last sentence of the explanation says that a rule allows the request.
      throw new SignatureDeniedError(
        denialMessage([...explanation.slice(0, -1), overSumReason(reserved)]),
      )
    return reserved.remaining.map(({ charge, remaining }) => ({
      key: charge.key,
      remaining: String(remaining),
      max: String(charge.max),
    }))
  }

  #fail(cause: unknown): never {
    const reason = unavailableReason(cause)
    this.#options.log('policies.unavailable', { reason, cause: namesOf(cause) })
    throw new SignatureRefusedError(reason, { cause })
  }

  #signing({ address, accountHash, derivationPath, lock }: PolicyWallet) {
    const { keyring } = this.#options
    const privateKey = () => keyring.policyWalletKey(accountHash, derivationPath, lock)
    return { address, privateKey }
  }
}

type Allowed = Extract<Decision, { decision: 'allow' }>

function requireAllowed(decision: Decision): Allowed {
  if (decision.decision === 'allow') return decision
  throw new SignatureDeniedError(denialMessage(decision.explanation))
}

const requestFor = (transaction: Transaction) => ({ kind: 'transaction', transaction }) as const

/** Returns what the policy charges for a transaction. Undefined if it does not allow it any more. */
function reservedBefore(decision: Decision): SignatureReservation['replaces'] {
  if (decision.decision === 'deny') return undefined
  return { digest: digestOf(decision.request), charges: decision.charges }
}

function requested(operation: SigningOperation): object {
  try {
    return requestOf(operation)
  } catch (error) {
    if (error instanceof DeniedError) throw new SignatureDeniedError(`Denied: ${error.message}.`)
    throw error
  }
}

/** Hides the messages of other database errors, because they may contain rows. */
function unavailableReason(cause: unknown): string {
  if (cause instanceof PolicyDocumentError) return cause.message
  const refusal = 'the wallet’s policy cannot be checked'
  if (cause instanceof SumsUnavailableError) return `${refusal}, because ${cause.message}`
  const reason = cause instanceof DatabaseUnavailableError ? `, because ${cause.message}` : ''
  return `${refusal}${reason}; try again later`
}

/** Names of an error and its causes, with the error codes of Postgres and of the operating system. */
function namesOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  const code = 'code' in error && typeof error.code === 'string' ? ` ${error.code}` : ''
  const cause = error.cause === undefined ? '' : `, caused by ${namesOf(error.cause)}`
  return `${error.name}${code}${cause}`
}

function requireUnchanged(
  { address, policy: before }: PolicyWallet,
  now: { address: string; policy?: WalletPolicy | undefined },
): void {
  if (now.policy?.hash !== before.hash || now.address !== address)
    throw new SignatureRefusedError('the wallet’s policy changed in the meantime; try again')
}

/** Requires the document to match the contract, whose terms decide when and whether a policy can change. */
function requireTerms({ hash, document }: Policy, held: WalletPolicy): void {
  const { change_delay_s = 0, immutable = false } = document
  if (change_delay_s !== held.changeDelay || immutable !== held.isImmutable)
    throw new SignatureRefusedError(
      `change_delay_s and immutable of the policy ${hash} are not those in the contract`,
    )
}
