/** A valid request for each operation, and the rights of a key that may send any of them. */
import { Wallet } from 'ethers'
import { conversionTo } from './chain-secured.ts'
import { parsePolicy } from '../../../shared/policies/policy.ts'
import { type ProofTerms, type Purpose, typedDataOf } from '../../../shared/crypto/typed-data.ts'

/** Objects in the account of the request. */
export type Known = {
  group: number
  /** Wallet with a policy. */
  pkpId: string
  cid: string
  usageKeyHash: string
  /** ID of a transaction. */
  transaction: string
}

export type ValidRequest = {
  /** JSON; absent if the operation takes no body. */
  body?: unknown
  /** Includes the question mark. */
  query?: string
}

export const CODE = 'async function main() { return 1 }'

const inGroup = ({ group }: Known) => ({ query: `?group_id=${group}` })
const pkpInGroup = ({ group, pkpId }: Known) => ({ body: { group_id: group, pkp_id: pkpId } })
const actionInGroup = ({ group, cid }: Known) => ({
  body: { group_id: group, action_ipfs_cid: cid },
})

/** Well-formed only; the tests of wallets cover the signature and its time. */
const signed = (purpose: Purpose, terms: ProofTerms = {}) => ({
  typed_data: typedDataOf({ purpose, address: ADDRESS, issuedAt: 1, chainId: 31337, terms }),
  signature: `0x${'11'.repeat(65)}`,
})
const ADDRESS = '0x8ba1f109551bD432803012645Ac136ddd64DBA72'

/** Allows messages, and nothing else. */
export const POLICY = {
  version: 1,
  rules: [{ name: 'messages', effect: 'allow', kind: 'message', messages: 'any' }],
}
export const POLICY_HASH = parsePolicy(JSON.stringify(POLICY)).hash

/** By path. */
export const VALID_REQUESTS: Readonly<Record<string, (known: Known) => ValidRequest>> = {
  '/get_node_chain_config': () => ({}),
  '/core/v1/get_node_chain_config': () => ({}),
  '/core/v1/get_svc_action_ipfs_id': () => ({ body: CODE }),
  '/core/v1/get_svc_action_wallet': ({ cid }) => ({ query: `?action_ipfs_cid=${cid}` }),
  '/core/v1/new_account': () => ({ body: { account_name: 'a', account_description: '' } }),
  '/core/v1/account_exists': () => ({}),
  '/core/v1/get_account': () => ({}),
  '/core/v1/rotate_account_api_key': () => ({ body: {} }),
  '/core/v1/convert_to_chain_secured_account': () => ({
    body: conversionTo(Wallet.createRandom()),
  }),
  '/core/v1/create_wallet': () => ({ body: { name: 'w', description: '' } }),
  '/core/v1/create_wallet_with_signature': () => ({
    body: { ...signed('CreateWallet'), name: 'w', description: '' },
  }),
  '/core/v1/set_wallet_policy': ({ pkpId }) => ({ body: { pkp_id: pkpId, policy: POLICY } }),
  '/core/v1/set_wallet_policy_with_signature': ({ pkpId }) => ({
    body: {
      ...signed('SetWalletPolicy', { pkpId, policyHash: POLICY_HASH }),
      pkp_id: pkpId,
      policy: POLICY,
    },
  }),
  '/core/v1/get_wallet_policy': ({ pkpId }) => ({ query: `?pkp_id=${pkpId}` }),
  '/core/v1/simulate_signature': ({ pkpId }) => ({
    body: { pkp_id: pkpId, request: { kind: 'message', message: 'hello' } },
  }),
  '/core/v1/send_transaction': ({ pkpId }) => ({
    body: { pkp_id: pkpId, chain: 'ethereum', to: ADDRESS },
  }),
  '/core/v1/transactions': () => ({ query: '?state=queued' }),
  '/core/v1/cancel_transaction': ({ transaction }) => ({ body: { id: transaction } }),
  '/core/v1/speed_up_transaction': ({ transaction }) => ({ body: { id: transaction } }),
  '/core/v1/get_transaction_balances': ({ pkpId }) => ({ query: `?pkp_id=${pkpId}` }),
  '/core/v1/get_transaction_defaults': () => ({}),
  '/core/v1/set_transaction_defaults': () => ({ body: { chain: 'ethereum' } }),
  '/core/v1/transaction_chains': () => ({}),
  '/core/v1/list_wallets': () => ({}),
  '/core/v1/list_wallets_in_group': inGroup,
  '/core/v1/get_wallet_statement': ({ pkpId }) => ({ query: `?pkp_id=${pkpId}` }),
  '/core/v1/add_group': ({ pkpId }) => ({
    body: {
      group_name: 'g',
      group_description: 'd',
      pkp_ids_permitted: [pkpId],
      cid_hashes_permitted: [0],
    },
  }),
  '/core/v1/update_group': ({ group }) => ({ body: { group_id: group, group_name: 'renamed' } }),
  '/core/v1/remove_group': ({ group }) => ({ body: { group_id: group } }),
  '/core/v1/list_groups': () => ({}),
  '/core/v1/get_group': inGroup,
  '/core/v1/add_pkp_to_group': pkpInGroup,
  '/core/v1/remove_pkp_from_group': pkpInGroup,
  '/core/v1/add_action_to_group': actionInGroup,
  '/core/v1/remove_action_from_group': actionInGroup,
  '/core/v1/add_action': ({ cid }) => ({ body: { action_ipfs_cid: cid, name: 'a' } }),
  '/core/v1/update_action_metadata': ({ cid }) => ({ body: { action_ipfs_cid: cid, name: 'a' } }),
  '/core/v1/delete_action': ({ cid }) => ({ body: { action_ipfs_cid: cid } }),
  '/core/v1/list_actions': () => ({}),
  '/core/v1/add_usage_api_key': ({ group }) => ({
    body: {
      name: 'k',
      description: 'd',
      can_create_groups: false,
      manage_ipfs_ids_in_groups: [group],
      add_pkp_to_groups: [group],
      remove_pkp_from_groups: [group],
      execute_in_groups: [group],
    },
  }),
  '/core/v1/add_usage_api_key_with_signature': ({ group }) => ({
    body: { ...signed('AddUsageApiKey'), name: 'k', execute_in_groups: [group] },
  }),
  '/core/v1/update_usage_api_key': ({ usageKeyHash }) => ({
    body: { usage_api_key: usageKeyHash, description: 'changed' },
  }),
  '/core/v1/remove_usage_api_key': ({ usageKeyHash }) => ({
    body: { usage_api_key: usageKeyHash },
  }),
  '/core/v1/list_api_keys': () => ({}),
  '/core/v1/audit_log': () => ({ query: '?order=oldest&page_size=3' }),
  '/core/v1/billing/balance': () => ({}),
  '/core/v1/billing/usage': () => ({ query: '?from=2026-01-01&to=2026-12-31' }),
  '/core/v1/billing/processor_config': () => ({}),
  '/core/v1/billing/create_payment_intent': () => ({ body: { amount_cents: 500 } }),
  '/core/v1/billing/confirm_payment': () => ({ body: { payment_intent_id: 'pi_1' } }),
  '/core/v1/version': () => ({}),
  '/core/v1/limits': () => ({}),
  '/core/v1/svc_action': () => ({ body: { code: CODE, js_params: {} } }),
}

/** Every right that a usage key can have, in every group. */
export const EVERY_RIGHT = {
  can_create_groups: true,
  can_delete_groups: true,
  can_create_pkps: true,
  manage_ipfs_ids_in_groups: [0],
  add_pkp_to_groups: [0],
  remove_pkp_from_groups: [0],
  execute_in_groups: [0],
}
