import type { z } from 'zod'
import type { nodeChainConfigResponse } from '../../wire/core.ts'
import { NotTheApi } from '../failures/transport-errors.ts'
import type { CallOptions } from '../options.ts'
import type { Requester } from '../request.ts'
import { publicRead } from './core-calls.ts'

export type NodeChainConfig = z.infer<typeof nodeChainConfigResponse>
export type Version = { version: string; api_version: string }
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

export function nodeOperations(requester: Requester): NodeOperations {
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
