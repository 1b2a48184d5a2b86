/** Operations that need no account, and that clients in both modes have. */
import type { Report } from '../../attestation/report.ts'
import type { Receipt } from '../../receipts/receipt.ts'
import { actionWallet, type ActionWallet } from '../action-wallet.ts'
import type { ClientParts } from '../client-parts.ts'
import type { CallOptions } from '../options.ts'
import type { TriggerOperations } from '../triggers/triggers.ts'
import type { OriginVerification } from '../verification/origin-verification.ts'
import { type NodeOperations, nodeOperations } from './node.ts'
import { type WaitUntilPermitted, waitUntilPermitted } from './wait-until-permitted.ts'

export type CommonOperations = NodeOperations & {
  /** Retries a call until a new grant is visible. See `core/wait-until-permitted.ts`. */
  waitUntilPermitted: WaitUntilPermitted
  /**
   * Verification of the origin. Other clients of the same origin can share it: `createClient({ verification:
   * client.verification })`.
   */
  readonly verification: OriginVerification
  /** Verifies the origin's current evidence. @throws {EvidenceUnavailable | EvidenceRefused | EvidenceChanged} */
  verify(options?: CallOptions): Promise<Report>
  /** Checks that the verified origin signed the receipt. @throws {ReceiptRefused} */
  verifyReceipt(receipt: string, options?: CallOptions): Promise<Receipt>
  /** Returns the wallet of an action. See `action-wallet.ts`. */
  actionWallet(cid: string, options?: CallOptions): Promise<ActionWallet>
  triggers: TriggerOperations
}

export function commonOperations(parts: ClientParts): CommonOperations {
  const { requester, environment, verification, triggers, signal } = parts
  return {
    ...nodeOperations(requester),
    waitUntilPermitted: waitUntilPermitted(environment, signal),
    verification,
    verify: (options) => verification.report(options?.signal),
    verifyReceipt: (receipt, options) => verification.receipt(receipt, options?.signal),
    actionWallet: (cid, options) => actionWallet(parts, cid, options),
    triggers,
  }
}
