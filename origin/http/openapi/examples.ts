/** Request and response examples by path. A test validates each example against the schema of its operation. */
import {
  clientAddressHash,
  detailsHash,
  entryHash,
  type HashedEntry,
} from '../../../shared/audit-log/entry.ts'
import { parsePolicy } from '../../../shared/policies/policy.ts'
import { SEND_TRANSACTION_CID } from '../../../shared/wire/send-transaction-action.ts'
import { type ProofTerms, type Purpose, typedDataOf } from '../../../shared/crypto/typed-data.ts'

const ADDRESS = '0x8ba1f109551bD432803012645Ac136ddd64DBA72'
const PKP_ID = '0x0000000000000000000000008ba1f109551bd432803012645ac136ddd64dba72'
const CID = 'QmRf22bZar3WKmojipms22PkXH1MZGmvsqzQtuSvQE3uhm'
const SOURCE = 'async function main({ name }) { return `hello ${name}` }'
const KEY = 'bm90IGEga2V5LCBqdXN0IDMyIGJ5dGVzIG9mIHRleHQ='
const RECEIPT = 'eyJhbGciOiJFUzI1NiIsImtpZCI6Ij.eyJ2IjoxLCJhY3Rpb25fY2lkIjoiUW1S.c2lnbmF0dXJl'
const STATEMENT = 'eyJhbGciOiJFUzI1NiIsImtpZCI6Ij.eyJ2IjoxLCJhY3Rpb25fY2lkIjoiUW1S.c2lnbmF0dXJl'
const HASH = '0x5f16f4c7f149ac4f9510d9cf8cf384038ad348b3bcdc01915f95de12df9d1b02'

const auditDetails = {
  client_address: '203.0.113.7',
  client_address_salt: '5f16f4c7f149ac4f9510d9cf8cf38403',
  details: {
    transaction_hash: HASH,
    events: [{ event: 'group_removed', group_id: 3 }],
  },
}

const auditEntry: HashedEntry = {
  v: 1,
  account_hash: HASH,
  sequence: 1,
  at: '2026-05-22T13:00:00.000Z',
  operation: 'remove_group',
  outcome: 'done',
  actor: { kind: 'account_key', id: HASH.slice(0, 18) },
  subject: { group_id: 3 },
  request_id: '1b4e28ba-2fa1-41d2-883f-0016d3cca427',
  client_address_sha256: clientAddressHash(
    auditDetails.client_address_salt,
    auditDetails.client_address,
  ),
  details_sha256: detailsHash(auditDetails.details),
  previous_sha256: null,
}

const signed = (purpose: Purpose, terms: ProofTerms = {}) => ({
  typed_data: typedDataOf({
    purpose,
    address: ADDRESS,
    issuedAt: 1_779_454_800,
    chainId: 8453,
    terms,
  }),
  signature: `0x${'5f'.repeat(64)}1b`,
})

const policy = {
  version: 1,
  sums: [{ name: 'a day', of: 'native_spend', window_s: 86_400, max: '1000000000000000000' }],
  rules: [
    {
      name: 'pay the supplier',
      effect: 'allow',
      kind: 'transaction',
      chains: [8453],
      to: [ADDRESS.toLowerCase()],
      calls: 'none',
      value_max: '100000000000000000',
      sums: ['a day'],
    },
  ],
}
const POLICY_HASH = parsePolicy(JSON.stringify(policy)).hash
const sumLeft = {
  sum: 'a day',
  key: 'a day/8453',
  remaining: '899580000000000000',
  max: '1000000000000000000',
  window_s: 86_400,
}
const heldPolicy = { wallet_address: ADDRESS, pkp_id: PKP_ID, policy_hash: POLICY_HASH }

const TRANSACTION_ID = 'tx_0d2c6f6b1f7c4e0a9b3d5e8f7a6c5b4d'
const queued = {
  id: TRANSACTION_ID,
  state: 'queued',
  waiting_for: null,
  waiting_message: null,
  chain: 'base',
  chain_id: 8453,
  wallet_address: ADDRESS,
  pkp_id: PKP_ID,
  to: ADDRESS,
  data: '0x',
  value: '100000000000000000',
  gas: null,
  max_fee_per_gas: null,
  speed: 'normal',
  nonce: null,
  attempts: [],
  mined: null,
  replaced_by: null,
  failure: null,
  policy: null,
  action_cid: SEND_TRANSACTION_CID,
  run_id: null,
  step: null,
  created_at: '2026-05-22T13:00:00.000Z',
  updated_at: '2026-05-22T13:00:00.000Z',
  ended_at: null,
}
const mined = {
  ...queued,
  state: 'mined',
  gas: '21000',
  nonce: 7,
  attempts: [
    {
      hash: HASH,
      kind: 'send',
      nonce: 7,
      max_fee_per_gas: '2000000000',
      max_priority_fee_per_gas: '100000000',
      created_at: '2026-05-22T13:00:01.000Z',
    },
  ],
  mined: {
    hash: HASH,
    block_number: 30_000_000,
    block_hash: HASH,
    gas_used: '21000',
    effective_gas_price: '1100000000',
  },
  updated_at: '2026-05-22T13:00:05.000Z',
}
const cancelled = { ...queued, state: 'cancelled', ended_at: '2026-05-22T13:00:00.000Z' }
const defaults = {
  chain: 'base',
  chain_id: 8453,
  max_fee_per_gas: '2000000000',
  low_balance: '10000000000000000',
}

const done = { success: true }
const pkpInGroup = { group_id: 1, pkp_id: PKP_ID }
const actionInGroup = { group_id: 1, action_ipfs_cid: CID }

const wallet = {
  wallet_address: ADDRESS,
  pkp_id: PKP_ID,
  name: 'treasury',
  description: '',
  derivation_path: HASH,
}
const group = {
  id: 1,
  group_id: 1,
  name: 'signers',
  description: '',
  pkp_ids_permitted: [PKP_ID],
  cid_hashes_permitted: [HASH],
}
const action = {
  cid_hash: HASH,
  action_ipfs_cid: CID,
  name: 'greet',
  description: '',
  groups: [1],
}
const usageKey = {
  id: HASH,
  api_key_hash: HASH,
  name: 'only runs',
  description: '',
  can_create_groups: false,
  can_delete_groups: false,
  can_create_pkps: false,
  manage_ipfs_ids_in_groups: [],
  add_pkp_to_groups: [],
  remove_pkp_from_groups: [],
  execute_in_groups: [1],
  created_at: '2026-05-22T13:05:00Z',
  last_used_at: null,
}
const chainConfig = {
  chain_name: 'base',
  chain_id: 8453,
  contract_address: ADDRESS,
  is_evm: true,
  testnet: false,
  token: 'ETH',
}

export const operationExamples: Record<string, { request?: unknown; answer?: unknown }> = {
  '/core/v1/new_account': {
    request: { account_name: 'first', account_description: '', email: 'ada@example.com' },
    answer: { api_key: KEY, wallet_address: ADDRESS },
  },
  '/core/v1/account_exists': { answer: true },
  '/core/v1/get_account': {
    answer: {
      account_name: 'first',
      account_description: '',
      email: 'ada@example.com',
      wallet_address: ADDRESS,
      api_key_hash: HASH,
      managed: true,
    },
  },
  '/core/v1/rotate_account_api_key': {
    request: {},
    answer: { ...done, api_key: KEY, api_key_hash: HASH },
  },
  '/core/v1/convert_to_chain_secured_account': {
    request: {
      new_admin_wallet_address: ADDRESS,
      ...signed('ConvertAccount'),
    },
    answer: { ...done, wallet_address: ADDRESS, api_key_hash: HASH },
  },
  '/core/v1/create_wallet': {
    request: { name: 'treasury' },
    answer: { wallet_address: ADDRESS, pkp_id: PKP_ID },
  },
  '/core/v1/create_wallet_with_signature': {
    request: { ...signed('CreateWallet'), name: 'treasury' },
    answer: { wallet_address: ADDRESS, pkp_id: PKP_ID, derivation_path: HASH },
  },
  '/core/v1/set_wallet_policy': {
    request: { pkp_id: PKP_ID, policy },
    answer: { ...heldPolicy, pending: null },
  },
  '/core/v1/set_wallet_policy_with_signature': {
    request: {
      ...signed('SetWalletPolicy', { pkpId: PKP_ID, policyHash: POLICY_HASH }),
      pkp_id: PKP_ID,
      policy,
    },
    answer: {
      pkp_id: PKP_ID,
      replaces: HASH,
      policy_hash: POLICY_HASH,
      change_delay_s: 0,
      is_immutable: false,
      at_once: false,
      attestation: `0x${'5f'.repeat(64)}1b`,
    },
  },
  '/core/v1/get_wallet_policy': {
    answer: {
      ...heldPolicy,
      policy,
      set_at: '2026-05-22T13:05:00Z',
      pending: null,
      sums: [sumLeft],
    },
  },
  '/core/v1/simulate_signature': {
    request: {
      pkp_id: PKP_ID,
      request: {
        kind: 'transaction',
        transaction: {
          type: 2,
          chainId: 8453,
          nonce: 0,
          to: ADDRESS,
          value: '100000000000000000',
          gasLimit: '21000',
          maxFeePerGas: '20000000000',
          maxPriorityFeePerGas: '1000000000',
        },
      },
    },
    answer: {
      decision: 'allow',
      rule: 'pay the supplier',
      policy_hash: POLICY_HASH,
      explanation: [
        `Sends 100000000000000000 wei to ${ADDRESS.toLowerCase()} on chain 8453.`,
        'Pays at most 420000000000000 wei for 21000 gas at 20000000000 wei.',
        'Allowed by the rule "pay the supplier".',
      ],
      sums: [{ ...sumLeft, added: '100420000000000000' }],
    },
  },
  '/core/v1/list_wallets': { answer: [wallet] },
  '/core/v1/list_wallets_in_group': { answer: [wallet] },
  '/core/v1/get_wallet_statement': {
    answer: {
      wallet_address: ADDRESS,
      pkp_id: PKP_ID,
      derivation: 'policy',
      lock: null,
      statement: STATEMENT,
    },
  },
  '/core/v1/send_transaction': {
    request: { pkp_id: ADDRESS, chain: 'base', to: ADDRESS, value: '100000000000000000' },
    answer: queued,
  },
  '/core/v1/transactions': { answer: [mined] },
  '/core/v1/cancel_transaction': { request: { id: TRANSACTION_ID }, answer: cancelled },
  '/core/v1/speed_up_transaction': {
    request: { id: TRANSACTION_ID, max_fee_per_gas: '4000000000' },
    answer: { ...queued, max_fee_per_gas: '4000000000' },
  },
  '/core/v1/get_transaction_balances': {
    answer: [
      {
        chain: 'base',
        chain_id: 8453,
        balance: '25000000000000000',
        low_balance: '10000000000000000',
        is_low: false,
        read_at: '2026-05-04T12:00:00.000Z',
      },
    ],
  },
  '/core/v1/get_transaction_defaults': { answer: [defaults] },
  '/core/v1/set_transaction_defaults': {
    request: { chain: 'base', max_fee_per_gas: '2000000000', low_balance: '10000000000000000' },
    answer: defaults,
  },
  '/core/v1/transaction_chains': { answer: [{ chain: 'base', chain_id: 8453, finality: 12 }] },
  '/core/v1/add_group': {
    request: { group_name: 'signers', pkp_ids_permitted: [PKP_ID], cid_hashes_permitted: [HASH] },
    answer: { ...done, group_id: 1 },
  },
  '/core/v1/update_group': {
    request: { group_id: 1, group_name: 'signers of May' },
    answer: done,
  },
  '/core/v1/remove_group': { request: { group_id: 1 }, answer: done },
  '/core/v1/list_groups': { answer: [group] },
  '/core/v1/get_group': {
    answer: { ...group, wallets: [wallet], actions: [action], keys: [usageKey] },
  },
  '/core/v1/add_pkp_to_group': { request: pkpInGroup, answer: done },
  '/core/v1/remove_pkp_from_group': { request: pkpInGroup, answer: done },
  '/core/v1/add_action_to_group': {
    request: { ...actionInGroup, name: 'greet' },
    answer: done,
  },
  '/core/v1/remove_action_from_group': { request: actionInGroup, answer: done },
  '/core/v1/add_action': {
    request: { action_ipfs_cid: CID, name: 'greet' },
    answer: { ...done, cid_hash: HASH },
  },
  '/core/v1/update_action_metadata': {
    request: { action_ipfs_cid: CID, name: 'greet' },
    answer: done,
  },
  '/core/v1/delete_action': { request: { action_ipfs_cid: CID }, answer: done },
  '/core/v1/list_actions': { answer: [action] },
  '/core/v1/add_usage_api_key': {
    request: {
      name: 'only runs',
      execute_in_groups: [1],
      spend_cap_cents: 500,
      spend_window_seconds: 86_400,
    },
    answer: { ...done, usage_api_key: KEY, usage_api_key_hash: HASH },
  },
  '/core/v1/add_usage_api_key_with_signature': {
    request: { ...signed('AddUsageApiKey'), name: 'only runs', execute_in_groups: [1] },
    answer: { usage_api_key: KEY, usage_api_key_hash: HASH },
  },
  '/core/v1/update_usage_api_key': {
    request: { usage_api_key: HASH, execute_in_groups: [1, 2] },
    answer: done,
  },
  '/core/v1/remove_usage_api_key': { request: { usage_api_key: HASH }, answer: done },
  '/core/v1/list_api_keys': {
    answer: [
      {
        ...usageKey,
        spend_cap_cents: 500,
        spend_window_seconds: 86_400,
        spent_cents: 42,
        expires_at: '2027-01-01T00:00:00Z',
        max_requests_per_minute: 60,
        max_concurrent: null,
        allowed_origins: ['https://app.example.com'],
        allowed_ips: null,
        allow_triggers: null,
        can_read_account: null,
      },
    ],
  },
  '/core/v1/get_svc_action_ipfs_id': { request: SOURCE, answer: CID },
  '/core/v1/get_svc_action_wallet': {
    answer: {
      action_cid: CID,
      public_key: `0x04${'ab'.repeat(64)}`,
      wallet_address: ADDRESS,
      statement: STATEMENT,
    },
  },
  '/core/v1/svc_action': {
    request: { code: SOURCE, js_params: { name: 'you' } },
    answer: {
      response: 'hello you',
      logs: '',
      has_error: false,
      action_cid: CID,
      duration_ms: 12,
      charged_cents: 1,
      receipt: RECEIPT,
    },
  },
  '/core/v1/audit_log': {
    answer: {
      entries: [{ ...auditEntry, sha256: entryHash(auditEntry), ...auditDetails }],
      head: { sequence: 1, sha256: entryHash(auditEntry), statement: STATEMENT },
    },
  },
  '/core/v1/billing/balance': {
    answer: {
      balance_cents: 500,
      reserved_cents: 0,
      debt_cents: 0,
      balance_display: '$5.00',
    },
  },
  '/core/v1/billing/usage': {
    answer: [
      {
        day: '2026-05-22',
        api_key_hash: HASH,
        key_name: 'only runs',
        kind: 'execution',
        action_cid: CID,
        operation: null,
        quantity: 40,
        cents: 42,
      },
    ],
  },
  '/core/v1/billing/processor_config': { answer: { publishable_key: 'pk_example' } },
  '/core/v1/billing/create_payment_intent': {
    request: { amount_cents: 500 },
    answer: { client_secret: 'pi_example_secret', payment_intent_id: 'pi_example' },
  },
  '/core/v1/billing/confirm_payment': {
    request: { payment_intent_id: 'pi_example' },
    answer: { ...done, balance_cents: 500, balance_display: '$5.00' },
  },
  '/get_node_chain_config': { answer: chainConfig },
  '/core/v1/get_node_chain_config': { answer: chainConfig },
  '/core/v1/version': {
    answer: {
      version: '0.1.0',
      commit: '8f14e45fceea167a5a36dedd4bea2543a9b1c2d3',
      api_version: 'v1.2',
    },
  },
  '/core/v1/limits': {
    answer: { execution_cpu: { value: 30_000, unit: 'ms', about: 'CPU time per execution' } },
  },
}
