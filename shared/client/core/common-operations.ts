/** Operations that need no account, and that clients in both modes have. */
import type { z } from 'zod'
import type { Report } from '../../attestation/report.ts'
import type { Receipt } from '../../receipts/receipt.ts'
import { actionWallet, type ActionWallet } from '../action-wallet.ts'
import type { ClientParts } from '../client-parts.ts'
import type { CallOptions } from '../options.ts'
import type { TriggerOperations } from '../triggers/triggers.ts'
import type { OriginVerification } from '../verification/origin-verification.ts'
import { type WaitUntilPermitted, waitUntilPermitted } from './wait-until-permitted.ts'
import type { nodeChainConfigResponse } from '../../wire/core.ts'
import { NotTheApi } from '../failures/transport-errors.ts'
import type { Requester } from '../request.ts'
import { publicRead } from './core-calls.ts'

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

export type NodeChainConfig = z.infer<typeof nodeChainConfigResponse>
/** `commit` is absent if the origin is of an earlier version. */
export type Version = { version: string; commit?: string; api_version: string }
export type Limits = Record<string, { value: number; unit: string; about: string }>

export type NodeOperations = {
  /** Returns the chain and the contract that store the accounts. */
  getNodeChainConfig(options?: CallOptions): Promise<NodeChainConfig>
  version(options?: CallOptions): Promise<Version>
  /** Returns all limits that are in effect, with their units. */
  limits(options?: CallOptions): Promise<Limits>
  /**
   * Returns the CIDv0 of a source, as computed by the origin.
   * @throws {NotTheApi} if the CID differs from the one that the client computes
   */
  getSvcActionIpfsId(source: string, options?: CallOptions): Promise<string>
}

function nodeOperations(requester: Requester): NodeOperations {
  return {
    getNodeChainConfig: (options) => publicRead(requester, 'get_node_chain_config', options),
    version: (options) => publicRead(requester, 'version', options),
    limits: (options) => publicRead(requester, 'limits', options),
    getSvcActionIpfsId: async (source, options) => {
      const { body, status, requestId } = await requester.core<string>({
        method: 'POST',
        path: '/core/v1/get_svc_action_ipfs_id',
        json: source,
        repeat: 'idempotent',
        options,
      })
      const { actionCid } = await import('../../cid/compute-cid.ts')
      // The CID is checked, because funds that are sent to the wallet of a wrong CID would belong to another action.
      if (body === (await actionCid(source))) return body
      throw new NotTheApi('its CID does not match the source', status, requestId)
    },
  }
}
