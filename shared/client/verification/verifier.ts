/**
 * Entry point of the code that is loaded on demand: evidence verification, HPKE and zod. Errors are converted to errors
 * of the client.
 */
import {
  type ActionStatement,
  readActionStatement,
  StatementMismatchError,
} from '../../receipts/action-statement.ts'
import type { AuditHead } from '../../audit-log/head.ts'
import {
  InvalidAuditLogError,
  requireAuditHead,
  verifyAuditEntries,
} from '../../audit-log/verify-entries.ts'
import { type SignedAuditLog, verifyAuditLog } from '../../audit-log/verify-log.ts'
import type { TriggerLogEntry, TriggerLogPage } from '../../wire/trigger-log.ts'
import { EvidenceFetchError } from '../../attestation/fetch-bounded.ts'
import { EvidenceRejectedError } from '../../attestation/require-verified.ts'
import { ResponseDecryptionError } from '../../envelope/seal.ts'
import { InvalidJwsError } from '../../crypto/jws.ts'
import { InvalidReceiptError, type Receipt, verifyReceipt } from '../../receipts/receipt.ts'
import {
  AnswerNotAuthentic,
  AuditLogRefused,
  EvidenceRefused,
  EvidenceUnavailable,
  ReceiptRefused,
  StatementRefused,
} from './failures.ts'
export { toActionResponse, toPlainError } from './outcome-response.ts'
import { importReceiptKey } from './receipt-key.ts'
import {
  type ActionCall,
  sealedSvcAction,
  type SealedResult,
  type SealedChannel,
} from './sealed-svc-action.ts'
import { type OriginToVerify, type TrustedOrigin, verifyOrigin } from './trusted-origin.ts'

/** @throws {EvidenceUnavailable | EvidenceRefused} */
export function verifyTrustedOrigin(origin: OriginToVerify): Promise<TrustedOrigin> {
  return verifyOrigin(origin).catch(rethrowAsClientError)
}

/** @throws {SvcError} an error of `failures.ts`, or `CallRefused` */
export function callSealed(channel: SealedChannel, call: ActionCall): Promise<SealedResult> {
  return sealedSvcAction(channel, call).catch(rethrowAsClientError)
}

/** @throws {ReceiptRefused} */
export async function verifyOriginReceipt(
  text: string,
  { receiptKey }: TrustedOrigin,
): Promise<Receipt> {
  return verifyReceipt(text, await importReceiptKey(receiptKey)).catch(rethrowAsClientError)
}

/** @throws {StatementRefused} */
export async function verifyActionStatement(
  text: string,
  cid: string,
  { receiptKey, composeHash }: TrustedOrigin,
): Promise<ActionStatement> {
  const key = await importReceiptKey(receiptKey)
  return readActionStatement(text, key, { cid, composeHash }).catch(rethrowAsClientError)
}

/** @throws {AuditLogRefused} */
export async function verifyOriginAuditLog(
  log: SignedAuditLog,
  { receiptKey }: TrustedOrigin,
): Promise<AuditHead> {
  const key = await importReceiptKey(receiptKey)
  return verifyAuditLog(log, key).catch((error: unknown) => {
    if (error instanceof InvalidJwsError)
      throw new AuditLogRefused(error.flaw, `the head: ${error.message}`, undefined, {
        cause: error,
      })
    return rethrowLogError(error)
  })
}

/**
 * Verifies the log of changes of triggers, whose head is not signed.
 * @param head head that the service returned, at which the entries must end
 * @param since head that the caller kept
 * @throws {AuditLogRefused}
 */
export function verifyTriggerLog(
  entries: readonly TriggerLogEntry[],
  { head, since }: { head: TriggerLogPage['head']; since: TriggerLogPage['head'] | undefined },
): void {
  try {
    const last = verifyAuditEntries(entries)
    const account_hash = last?.account_hash ?? ''
    requireAuditHead({ ...head, account_hash }, entries, last)
    if (last && last.sequence > head.sequence)
      throw new InvalidAuditLogError('fork', last.sequence, 'follows the head')
    if (since) requireAuditHead({ ...since, account_hash }, entries, last)
  } catch (error) {
    rethrowLogError(error)
  }
}

function rethrowLogError(error: unknown): never {
  if (!(error instanceof InvalidAuditLogError)) throw error
  const { flaw, message, sequence } = error
  throw new AuditLogRefused(flaw, message, sequence, { cause: error })
}

function rethrowAsClientError(error: unknown): never {
  const options = { cause: error }
  if (error instanceof EvidenceRejectedError)
    throw new EvidenceRefused(error.rule, error.reason, error.report, options)
  if (error instanceof EvidenceFetchError) throw new EvidenceUnavailable(error.message, options)
  if (error instanceof ResponseDecryptionError) throw new AnswerNotAuthentic(options)
  if (error instanceof InvalidReceiptError)
    throw new ReceiptRefused(error.flaw, error.message, options)
  if (error instanceof InvalidJwsError)
    throw new StatementRefused(error.flaw, error.message, options)
  if (error instanceof StatementMismatchError)
    throw new StatementRefused(error.field, error.message, options)
  throw error
}
