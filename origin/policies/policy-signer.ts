import { DeniedError } from '../../shared/policies/denial.ts'
import { evaluate } from '../../shared/policies/evaluate.ts'
import type { Policy } from '../../shared/policies/policy.ts'
import type { ReceiptSignature } from '../../shared/receipts/receipt-signature.ts'
import type { WalletPolicy } from '../accounts/wallet-policy.ts'
import type { SigningOperation } from '../actions/run.ts'
import { DatabaseUnavailableError } from '../db/database-unavailable.ts'
import type { Keyring } from '../keys/keyring.ts'
import type { OriginLog } from '../log.ts'
import { digestOf } from '../signing/digest.ts'
import { requestOf } from '../signing/fields.ts'
import { signRequest } from '../signing/sign.ts'
import { denialMessage, overSumReason } from './denial-message.ts'
import { PolicyDocumentError, type PolicyDocuments } from './documents.ts'
import type { PolicyWallet } from './policy-wallet.ts'
import type { PolicySums } from './sums/policy-sums.ts'
import type { SignatureReservation } from './sums/reservation.ts'
import { SumsUnavailableError } from './sums/sums-unavailable.ts'

export type PolicySignerOptions = {
  keyring: Keyring
  documents: Pick<PolicyDocuments, 'cached' | 'load'>
  sums: Pick<PolicySums, 'reserve'>
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
  override readonly name = 'SignatureRefusedError'
}

export type RequestedSignature = {
  operation: SigningOperation
  /** CID of the action. */
  action: string
  wallet: PolicyWallet
  /** Returns the wallet's current state. Throws if the run has ended or has lost its permission to use the wallet. */
  current: () => { address: string; policy?: WalletPolicy | undefined }
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
  async sign({ operation, action, wallet, current }: RequestedSignature): Promise<PolicySignature> {
    const { pkpId, address } = wallet
    const policyHash = wallet.policy.hash
    const policy = await this.#load(policyHash)
    requireUnchanged(wallet, current())
    requireTerms(policy, wallet.policy)

    const now = this.#options.now()
    const decision = evaluate(policy, requested(operation), { wallet: address, action, now })
    if (decision.decision === 'deny')
      throw new SignatureRefusedError(denialMessage(decision.explanation))
    // Signs the parsed request, and never the operation's own input, so that nothing unchecked is signed.
    const { rule, charges, explanation, request } = decision
    const digest = digestOf(request)

    const reservation = { pkpId, digest, policyHash, policySetAt: wallet.policy.setAt, charges }
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
      throw this.#unavailable(error)
    }
  }

  async #reserve(
    reservation: SignatureReservation,
    explanation: readonly string[],
  ): Promise<ReceiptSignature['sums']> {
    const { sums } = this.#options
    if (reservation.charges.length === 0) return []
    const reserved = await sums.reserve(reservation).catch((error: unknown) => {
      throw this.#unavailable(error)
    })
    if (!reserved.isReserved)
      // The last sentence of the explanation says that a rule allows the request.
      throw new SignatureRefusedError(
        denialMessage([...explanation.slice(0, -1), overSumReason(reserved)]),
      )
    return reserved.remaining.map(({ charge, remaining }) => ({
      key: charge.key,
      remaining: String(remaining),
      max: String(charge.max),
    }))
  }

  #unavailable(cause: unknown): SignatureRefusedError {
    const reason = unavailableReason(cause)
    this.#options.log('policies.unavailable', { reason, cause: namesOf(cause) })
    return new SignatureRefusedError(reason, { cause })
  }

  #signing({ address, accountHash, derivationPath, lock }: PolicyWallet) {
    const { keyring } = this.#options
    const privateKey = () => keyring.policyWalletKey(accountHash, derivationPath, lock)
    return { address, privateKey }
  }
}

function requested(operation: SigningOperation): object {
  try {
    return requestOf(operation)
  } catch (error) {
    if (error instanceof DeniedError) throw new SignatureRefusedError(`Denied: ${error.message}.`)
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
