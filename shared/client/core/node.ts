/** Operations of an origin that need no key. */
import type { z } from 'zod'
import type { nodeChainConfigAnswer } from '../../wire/core.ts'
import { NotTheApi } from '../failures/on-the-way.ts'
import type { CallOptions } from '../options.ts'
import type { Requester } from '../request.ts'

export type NodeChainConfig = z.infer<typeof nodeChainConfigAnswer>
export type Version = { version: string; api_version: string }
export type Limits = Record<string, { value: number; unit: string; about: string }>

export type NodeOperations = {
  /** The chain and the contract that hold the accounts. */
  getNodeChainConfig(options?: CallOptions): Promise<NodeChainConfig>
  version(options?: CallOptions): Promise<Version>
  /** All limits in force, with their units. */
  limits(options?: CallOptions): Promise<Limits>
  /**
   * Returns the CIDv0 of a source as computed by the origin. @throws {NotTheApi} if it differs from the local result
   */
  getSvcActionIpfsId(source: string, options?: CallOptions): Promise<string>
}

export function nodeOperations(requester: Requester): NodeOperations {
  const read = async <Body>(name: string, options?: CallOptions) => {
    const path = `/core/v1/${name}`
    return (await requester.core<Body>({ method: 'GET', path, repeat: 'idempotent', options })).body
  }
  return {
    getNodeChainConfig: (options) => read('get_node_chain_config', options),
    version: (options) => read('version', options),
    limits: (options) => read('limits', options),
    getSvcActionIpfsId: async (source, options) => {
      const path = '/core/v1/get_svc_action_ipfs_id'
      const question = {
        method: 'POST',
        path,
        json: source,
        repeat: 'idempotent',
        options,
      } as const
      const { body, status, requestId } = await requester.core<string>(question)
      const { actionCid } = await import('../../cid.ts')
      // Funds sent to a wrong CID's wallet would belong to another action.
      if (body === (await actionCid(source))) return body
      throw new NotTheApi('it names another CID than the source has', status, requestId)
    },
  }
}
