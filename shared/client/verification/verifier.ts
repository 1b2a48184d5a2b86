/** Loaded on demand: evidence verification, HPKE and zod. Errors are converted to errors of the client. */
import {
  type ActionStatement,
  readActionStatement,
  StatementMismatch,
} from '../../action-statement.ts'
import { EvidenceUnavailable as Unavailable } from '../../attestation/bounded-answer.ts'
import { EvidenceRefused as Refused } from '../../attestation/refused.ts'
import { AnswerNotAuthentic as NotAuthentic } from '../../envelope/seal.ts'
import { JwsRefused } from '../../jws.ts'
import { ReceiptRefused as Flawed, type Receipt, verifyReceipt } from '../../receipt.ts'
import {
  AnswerNotAuthentic,
  EvidenceRefused,
  EvidenceUnavailable,
  ReceiptRefused,
  StatementRefused,
} from './failures.ts'
export { answerOfOutcome, refusalInside } from './answer-of-outcome.ts'
import { importReceiptKey } from './receipt-key.ts'
import {
  type ActionCall,
  sealedSvcAction,
  type SealedAnswer,
  type SealedChannel,
} from './sealed-svc-action.ts'
import { type OriginToVerify, type TrustedOrigin, verifyOrigin } from './trusted-origin.ts'

/** @throws {EvidenceUnavailable | EvidenceRefused} */
export function judgedOrigin(origin: OriginToVerify): Promise<TrustedOrigin> {
  return verifyOrigin(origin).catch(rethrown)
}

/** @throws {SvcError} an error of `failures.ts`, or `CallRefused` */
export function sealedAnswer(channel: SealedChannel, call: ActionCall): Promise<SealedAnswer> {
  return sealedSvcAction(channel, call).catch(rethrown)
}

/** @throws {ReceiptRefused} */
export async function receiptOf(text: string, { receiptKey }: TrustedOrigin): Promise<Receipt> {
  return verifyReceipt(text, await importReceiptKey(receiptKey)).catch(rethrown)
}

/** @throws {StatementRefused} */
export async function actionStatementOf(
  text: string,
  cid: string,
  { receiptKey, composeHash }: TrustedOrigin,
): Promise<ActionStatement> {
  const key = await importReceiptKey(receiptKey)
  return readActionStatement(text, key, { cid, composeHash }).catch(rethrown)
}

function rethrown(error: unknown): never {
  const options = { cause: error }
  if (error instanceof Refused)
    throw new EvidenceRefused(error.rule, error.reason, error.report, options)
  if (error instanceof Unavailable) throw new EvidenceUnavailable(error.message, options)
  if (error instanceof NotAuthentic) throw new AnswerNotAuthentic(options)
  if (error instanceof Flawed) throw new ReceiptRefused(error.flaw, error.message, options)
  if (error instanceof JwsRefused) throw new StatementRefused(error.flaw, error.message, options)
  if (error instanceof StatementMismatch)
    throw new StatementRefused(error.field, error.message, options)
  throw error
}
