import type { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import {
  getWalletPolicyQuery,
  getWalletPolicyResponse,
  simulateSignatureRequest,
  simulateSignatureResponse,
} from '../../../wire/wallet-policies.ts'
import { createWalletRequest, createWalletResponse } from '../../../wire/wallets.ts'
import { ADDS, addTool, READS } from '../../../mcp/tool.ts'
import { usageKeyFields } from '../../../mcp/tools/trigger-fields.ts'
import type { McpParts } from '../mcp-parts.ts'

const CHANGES =
  'You cannot change the policy of a wallet: your user can, with svc wallet policy set <wallet> <file>.'

const pkp_id = z.string().describe('Address or ID of the wallet.')

const createWalletInput = z.strictObject({
  name: createWalletRequest.shape.name.describe('Name of the wallet.'),
  description: createWalletRequest.shape.description.describe('Description of the wallet.'),
  policy: createWalletRequest.shape.policy,
  ...usageKeyFields,
})

export function addWalletTools(server: McpServer, { core, local }: McpParts): void {
  /** Creates a core API client with the usage key that the arguments select. */
  const clientWith = async (given: z.infer<z.ZodObject<typeof usageKeyFields>>) =>
    core(await local.usageKey(given))

  addTool(server, 'create_wallet', {
    title: 'Create a wallet',
    description:
      'Creates a wallet, optionally under a policy: then it signs only what the policy allows, and no action can get its private key. A ' +
      'wallet that was created without a policy can never have one. Show your user the policy first. The usage key needs the right to ' +
      `create wallets, and a person adds the wallet to a group: svc group add-wallet. ${CHANGES}`,
    input: createWalletInput,
    output: createWalletResponse,
    hints: ADDS,
    async run({ name, description, policy, ...key }, signal) {
      const client = await clientWith(key)
      return client.createWallet({ name, description, ...(policy && { policy }) }, { signal })
    },
  })
  addTool(server, 'get_wallet_policy', {
    title: 'Show a wallet’s policy',
    description:
      'Shows the policy that limits what a wallet may sign, what remains of each of its sums, and a pending change. Sums that are not ' +
      `listed are unused. ${CHANGES}`,
    input: getWalletPolicyQuery.extend({ pkp_id, ...usageKeyFields }),
    output: getWalletPolicyResponse,
    hints: READS,
    async run({ pkp_id: id, ...key }, signal) {
      return (await clientWith(key)).getWalletPolicy({ pkp_id: id }, { signal })
    },
  })
  addTool(server, 'simulate_signature', {
    title: 'Simulate a signature',
    description:
      'Decides whether the policy of a wallet allows a request for a signature, and explains why, without signing or counting anything. Send ' +
      `policy to decide by another policy, for example before you propose it to your user. ${CHANGES}`,
    input: simulateSignatureRequest.extend({ pkp_id, ...usageKeyFields }),
    output: simulateSignatureResponse,
    hints: READS,
    async run({ pkp_id: id, request, action_ipfs_cid, policy, ...key }, signal) {
      const fields = {
        pkp_id: id,
        request,
        ...(action_ipfs_cid !== undefined && { action_ipfs_cid }),
        ...(policy && { policy }),
      }
      return (await clientWith(key)).simulateSignature(fields, { signal })
    },
  })
}
