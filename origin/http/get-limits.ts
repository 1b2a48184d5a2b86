import { z } from 'zod'
import { HOUR_MS } from '../../shared/durations.ts'
import * as limits from '../../shared/limits.ts'
import { POLICY_MAX_BYTES } from '../../shared/policies/limits.ts'
import type { BodyLimits } from '../admission/memory-limits.ts'
import type { OriginSettings } from '../env.ts'
import type { Operation } from './operation.ts'

type Limit = { value: number; unit: string; about: string }

/** Reports all limits, so that clients need not discover them by trial and error. */
export const getLimitsOperation: Operation = {
  method: 'GET',
  path: '/core/v1/limits',
  summary: 'Returns all limits with their units.',
  auth: 'none',
  responseSchema: z.record(
    z.string(),
    z.object({ value: z.number(), unit: z.string(), about: z.string() }),
  ),
  handle: async (_given, { settings, bodyBudgets }) => ({
    ...executionLimits(settings),
    ...requestLimits(),
    ...bodyLimits(settings, bodyBudgets.limits),
    ...accountLimits(settings),
  }),
}

const limit = (value: number, unit: string, about: string): Limit => ({ value, unit, about })

function executionLimits(settings: OriginSettings): Record<string, Limit> {
  return {
    execution_wall_clock: limit(settings.SVC_EXECUTION_WALL_MS, 'ms', 'per execution'),
    execution_cpu: limit(settings.SVC_EXECUTION_CPU_MS, 'ms', 'CPU time per execution'),
    action_memory: limit(limits.ACTION_MEMORY_BYTES, 'bytes', 'memory per execution'),
    returned_value: limit(limits.RESULT_MAX_BYTES, 'bytes', 'return value of main, as JSON'),
    returned_depth: limit(limits.JSON_DEPTH_MAX, 'levels', 'nesting of the return value of main'),
    console_output: limit(
      limits.LOGS_MAX_BYTES,
      'bytes',
      'console output, truncated with a note; not an error',
    ),
    key_operations: limit(limits.KEY_OPERATIONS_MAX, 'operations', 'key operations per execution'),
    rsa_key: limit(limits.RSA_KEY_MAX_BITS, 'bits', 'RSA modulus in crypto.subtle.importKey'),
    encrypted_message: limit(
      limits.ENCRYPTED_MESSAGE_MAX_BYTES,
      'bytes',
      'message of Svc.Actions.encrypt, in UTF-8',
    ),
    signing_input: limit(
      limits.SIGNING_INPUT_MAX_BYTES,
      'bytes',
      'message, transaction data, or typed data as JSON, per signing operation',
    ),
    outbound_requests: limit(
      limits.OUTBOUND_REQUESTS_MAX,
      'requests',
      'outbound requests per execution, including followed redirects',
    ),
    outbound_response: limit(
      limits.OUTBOUND_RESPONSE_MAX_BYTES,
      'bytes',
      'response body per fetch, decompressed',
    ),
    outbound_body: limit(limits.OUTBOUND_BODY_MAX_BYTES, 'bytes', 'request body per fetch'),
    outbound_redirects: limit(limits.OUTBOUND_REDIRECTS_MAX, 'redirects', 'redirects per fetch'),
    outbound_url: limit(limits.OUTBOUND_URL_MAX_CHARACTERS, 'characters', 'URL per fetch'),
  }
}

function requestLimits(): Record<string, Limit> {
  const hours = limits.IDEMPOTENT_RESPONSE_RETENTION_MS / HOUR_MS
  return {
    request_body: limit(
      limits.OPERATION_BODY_MAX_BYTES,
      'bytes',
      'body of a request without source, policy or transaction',
    ),
    request_body_with_policy: limit(
      limits.POLICY_BODY_MAX_BYTES,
      'bytes',
      'body of create_wallet, set_wallet_policy, simulate_signature, send_transaction, and those with a signature',
    ),
    policy: limit(POLICY_MAX_BYTES, 'bytes', 'policy document of a wallet'),
    simulations: limit(
      limits.SIMULATIONS_PER_MINUTE.account,
      'simulations',
      `POST /core/v1/simulate_signature, per account and minute; ${limits.SIMULATIONS_PER_MINUTE.usageKeys} of them with usage keys`,
    ),
    key_limit_changes: limit(
      limits.KEY_LIMIT_CHANGES_PER_MINUTE.account,
      'changes',
      'spending caps and limits of keys with POST /core/v1/update_usage_api_key, per account and minute',
    ),
    transaction_requests: limit(
      limits.TRANSACTION_REQUESTS_PER_MINUTE.account,
      'requests',
      `send_transaction, speed_up_transaction and cancel_transaction, per account and minute; ${limits.TRANSACTION_REQUESTS_PER_MINUTE.usageKeys} of them with usage keys`,
    ),
    listed_data: limit(
      limits.LISTED_DATA_MAX_BYTES,
      'bytes',
      'calldata of a transaction in a list; longer calldata is left out',
    ),
    request_body_with_source: limit(
      limits.CORE_BODY_MAX_BYTES,
      'bytes',
      'body of svc_action and get_svc_action_ipfs_id',
    ),
    source_text: limit(limits.SOURCE_MAX_BYTES, 'bytes', 'source of an action, in UTF-8'),
    js_params: limit(limits.PARAMS_MAX_BYTES, 'bytes', 'js_params, as JSON'),
    head: limit(limits.HEAD_MAX_BYTES, 'bytes', 'URL and headers of a request'),
    wallet_auth: limit(limits.WALLET_AUTH_MAX_CHARACTERS, 'characters', 'X-Wallet-Auth'),
    wallet_signatures: limit(
      limits.WALLET_PROOFS_PER_HOUR,
      'signatures',
      `wallet signatures per client network and hour; burst of ${limits.WALLET_PROOFS_BURST}`,
    ),
    fresh_quotes: limit(
      limits.QUOTES_PER_MINUTE,
      'quotes',
      'GET /attestation?nonce=, per client address and minute',
    ),
    action_look_ups: limit(
      limits.ACTION_LOOKUPS_PER_MINUTE,
      'actions',
      'GET /core/v1/get_svc_action_wallet, per client address and minute',
    ),
    source_cids: limit(
      limits.SOURCE_CIDS_PER_MINUTE,
      'sources',
      'POST /core/v1/get_svc_action_ipfs_id, per client address and minute',
    ),
    list_page_size: limit(limits.LIST_PAGE_MAX, 'records', 'page_size of a list'),
    typed_data: limit(
      limits.TYPED_DATA_MAX_BYTES,
      'bytes',
      'typed data for a wallet to sign, as JSON',
    ),
    wallet_signature: limit(limits.WALLET_SIGNATURE_MAX_BYTES, 'bytes', 'signature of a wallet'),
    issued_at: limit(
      limits.PROOF_WINDOW_S,
      'seconds',
      'maximum difference between a signature’s issuedAt and the server clock',
    ),
    contract_signature_gas: limit(
      limits.CONTRACT_SIGNATURE_GAS,
      'gas',
      'isValidSignature of a contract wallet',
    ),
    idempotency_key: limit(limits.IDEMPOTENCY_KEY_MAX, 'characters', 'Idempotency-Key'),
    idempotent_answer: limit(hours, 'hours', 'retention of the response to an Idempotency-Key'),
  }
}

function bodyLimits(
  settings: OriginSettings,
  { keylessBytes, shareBytes }: BodyLimits,
): Record<string, Limit> {
  const perSecond = (limits.BODY_STALL_BYTES * 1_000) / limits.BODY_STALL_MS
  return {
    request_body_time: limit(
      limits.BODY_TIMEOUT_MS,
      'ms',
      'time for the whole body to arrive, or 408',
    ),
    request_body_rate: limit(
      perSecond,
      'bytes per second',
      `minimum rate in any ${limits.BODY_STALL_MS} ms, for bodies over ${limits.OPERATION_BODY_MAX_BYTES} bytes`,
    ),
    request_body_pieces: limit(
      limits.BODY_SMALL_CHUNKS_MAX,
      'pieces',
      `chunks of a body, if they average under ${limits.BODY_CHUNK_MIN_BYTES} bytes`,
    ),
    arriving_bodies: limit(
      shareBytes,
      'bytes',
      'concurrently arriving large bodies per account, or per client network without a key',
    ),
    arriving_bodies_without_key: limit(
      keylessBytes,
      'bytes',
      'concurrently arriving large bodies of all senders without a key, per process',
    ),
    connections: limit(settings.SVC_CONNECTIONS_MAX, 'connections', 'open connections per process'),
  }
}

function accountLimits(settings: OriginSettings): Record<string, Limit> {
  return {
    spend_cap: limit(limits.SPEND_CAP_MAX_CENTS, 'cents', 'spending cap of a usage key'),
    spend_window: limit(limits.SPEND_WINDOW_MAX_S, 'seconds', 'window of a spending cap'),
    key_requests: limit(
      limits.KEY_REQUESTS_PER_MINUTE_MAX,
      'requests per minute',
      'max_requests_per_minute of a usage key',
    ),
    key_runs: limit(limits.KEY_CONCURRENT_MAX, 'runs', 'max_concurrent of a usage key'),
    key_origins: limit(limits.KEY_ORIGINS_MAX, 'origins', 'allowed_origins of a usage key'),
    key_networks: limit(limits.KEY_NETWORKS_MAX, 'networks', 'allowed_ips of a usage key'),
    usage_days: limit(limits.USAGE_DAYS_MAX, 'days', 'range of a usage query'),
    made_by_signature: limit(
      limits.ADMIN_WALLET_CREATIONS_PER_HOUR,
      'wallets and keys',
      `created by signature per ChainSecured account and hour; burst of ${limits.ADMIN_WALLET_CREATIONS_BURST}`,
    ),
    permission_ids: limit(limits.PERMISSION_IDS_MAX, 'ids', 'per permission array'),
    new_account_burst: limit(
      settings.SVC_NEW_ACCOUNT_BURST,
      'accounts',
      'burst per client address',
    ),
    new_account_rate: limit(
      settings.SVC_NEW_ACCOUNT_PER_HOUR,
      'accounts per hour',
      'sustained rate per client address (IPv6: per /64)',
    ),
    payment_minimum: limit(limits.PAYMENT_MIN_CENTS, 'cents', 'per payment'),
    payment_maximum: limit(limits.PAYMENT_MAX_CENTS, 'cents', 'per payment'),
    ...unpaidPayments('unpaid_payments', limits.UNPAID_PAYMENTS_PER_HOUR, 'hour'),
    ...unpaidPayments('unpaid_payments_week', limits.UNPAID_PAYMENTS_PER_WEEK, 'week'),
  }
}

function unpaidPayments(
  name: string,
  most: typeof limits.UNPAID_PAYMENTS_PER_HOUR,
  span: string,
): Record<string, Limit> {
  const about = `unpaid payments per ${span}`
  return {
    [name]: limit(most.account, 'payments', `${about} and account`),
    [`${name}_of_keys`]: limit(
      most.usageKeys,
      'payments',
      `${about}, of all usage keys of an account`,
    ),
    [`${name}_of_a_key`]: limit(most.usageKey, 'payments', `${about} and usage key`),
  }
}
