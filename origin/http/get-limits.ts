import { z } from 'zod'
import * as limits from '../../shared/limits.ts'
import type { Settings } from '../env.ts'
import type { Operation } from './operation.ts'

type Limit = { value: number; unit: string; about: string }

/** Returns every limit of this origin, so that clients need not discover them by trial and error. */
export const getLimits: Operation = {
  method: 'GET',
  path: '/core/v1/limits',
  summary: 'Every limit in force, with its unit.',
  auth: 'none',
  answer: z.record(
    z.string(),
    z.object({ value: z.number(), unit: z.string(), about: z.string() }),
  ),
  handle: async (_given, { settings }) => ({
    ...executionLimits(settings),
    ...requestLimits(),
    ...bodyLimits(settings),
    ...accountLimits(settings),
  }),
}

const limit = (value: number, unit: string, about: string): Limit => ({ value, unit, about })

function executionLimits(settings: Settings): Record<string, Limit> {
  return {
    execution_wall_clock: limit(settings.SVC_EXECUTION_WALL_MS, 'ms', 'one execution'),
    execution_cpu: limit(settings.SVC_EXECUTION_CPU_MS, 'ms', 'CPU time of one execution'),
    action_memory: limit(limits.ACTION_MEMORY_BYTES, 'bytes', 'memory of an action'),
    returned_value: limit(limits.RESULT_MAX_BYTES, 'bytes', 'what main returns, as JSON'),
    returned_depth: limit(limits.JSON_DEPTH_MAX, 'levels', 'nesting of what main returns'),
    console_output: limit(limits.LOGS_MAX_BYTES, 'bytes', 'then cut with a note; no error'),
    key_operations: limit(limits.KEY_OPERATIONS_MAX, 'operations', 'of one execution'),
    rsa_key: limit(limits.RSA_KEY_MAX_BITS, 'bits', 'of crypto.subtle.importKey'),
    encrypted_message: limit(
      limits.ENCRYPTED_MESSAGE_MAX_BYTES,
      'bytes',
      'a message of Svc.Actions.encrypt, in UTF-8',
    ),
    outbound_requests: limit(
      limits.OUTBOUND_REQUESTS_MAX,
      'requests',
      'of one execution, followed redirects included',
    ),
    outbound_response: limit(
      limits.OUTBOUND_RESPONSE_MAX_BYTES,
      'bytes',
      'one response to fetch, decompressed',
    ),
    outbound_body: limit(limits.OUTBOUND_BODY_MAX_BYTES, 'bytes', 'the body of one fetch'),
    outbound_redirects: limit(limits.OUTBOUND_REDIRECTS_MAX, 'redirects', 'of one fetch'),
    outbound_url: limit(limits.OUTBOUND_URL_MAX_CHARACTERS, 'characters', 'URL of one fetch'),
  }
}

function requestLimits(): Record<string, Limit> {
  const hours = limits.ANSWER_KEPT_MS / 3_600_000
  return {
    request_body: limit(limits.OPERATION_BODY_MAX_BYTES, 'bytes', 'a request without source'),
    request_body_with_source: limit(
      limits.CORE_BODY_MAX_BYTES,
      'bytes',
      'svc_action and get_svc_action_ipfs_id',
    ),
    source_text: limit(limits.SOURCE_MAX_BYTES, 'bytes', 'code of an action, in UTF-8'),
    js_params: limit(limits.PARAMS_MAX_BYTES, 'bytes', 'js_params, as JSON'),
    head: limit(limits.HEAD_MAX_BYTES, 'bytes', 'the URL and the headers of a request'),
    wallet_auth: limit(limits.WALLET_AUTH_MAX_CHARACTERS, 'characters', 'X-Wallet-Auth'),
    wallet_signatures: limit(
      limits.WALLET_PROOFS_PER_HOUR,
      'signatures',
      `of wallets, from one client network in an hour; ${limits.WALLET_PROOFS_BURST} at once`,
    ),
    fresh_quotes: limit(
      limits.QUOTES_PER_MINUTE,
      'quotes',
      'GET /attestation?nonce=, of one client address in a minute',
    ),
    action_look_ups: limit(
      limits.ACTION_LOOK_UPS_PER_MINUTE,
      'actions',
      'GET /core/v1/get_svc_action_wallet, of one client address in a minute',
    ),
    source_cids: limit(
      limits.SOURCE_CIDS_PER_MINUTE,
      'sources',
      'POST /core/v1/get_svc_action_ipfs_id, of one client address in a minute',
    ),
    list_page_size: limit(limits.LIST_PAGE_MAX, 'records', 'page_size of a list'),
    typed_data: limit(limits.TYPED_DATA_MAX_BYTES, 'bytes', 'what a wallet signs, as JSON'),
    wallet_signature: limit(limits.WALLET_SIGNATURE_MAX_BYTES, 'bytes', 'what a wallet signed'),
    issued_at: limit(
      limits.PROOF_WINDOW_S,
      'seconds',
      'between issuedAt of what a wallet signed and the clock here, either way',
    ),
    contract_signature_gas: limit(
      limits.CONTRACT_SIGNATURE_GAS,
      'gas',
      'of isValidSignature of a contract wallet',
    ),
    idempotency_key: limit(limits.IDEMPOTENCY_KEY_MAX, 'characters', 'Idempotency-Key'),
    idempotent_answer: limit(hours, 'hours', 'an answer under an Idempotency-Key is kept'),
  }
}

function bodyLimits(settings: Settings): Record<string, Limit> {
  const perSecond = (limits.BODY_STALL_BYTES * 1_000) / limits.BODY_STALL_MS
  return {
    request_body_time: limit(limits.BODY_WITHIN_MS, 'ms', 'until the whole body is there, or 408'),
    request_body_rate: limit(
      perSecond,
      'bytes per second',
      `at least, of a body of over ${limits.OPERATION_BODY_MAX_BYTES} bytes in any ${limits.BODY_STALL_MS} ms`,
    ),
    request_body_pieces: limit(
      limits.BODY_SMALL_PIECES_MAX,
      'pieces',
      `chunks of a body, where they have under ${limits.BODY_PIECE_MIN_BYTES} bytes on average`,
    ),
    arriving_bodies: limit(
      limits.ARRIVING_BODIES_SHARE_BYTES,
      'bytes',
      'large bodies of one account, or one client network without a key, that arrive at once',
    ),
    arriving_bodies_without_key: limit(
      limits.KEYLESS_BODIES_BYTES,
      'bytes',
      'large bodies of all senders without a key that arrive at once, at one process',
    ),
    connections: limit(settings.SVC_CONNECTIONS_MAX, 'connections', 'open at one process'),
  }
}

function accountLimits(settings: Settings): Record<string, Limit> {
  return {
    spend_cap: limit(limits.SPEND_CAP_MAX_CENTS, 'cents', 'the cap of a usage key'),
    spend_window: limit(limits.SPEND_WINDOW_MAX_S, 'seconds', 'the window of a cap'),
    usage_days: limit(limits.USAGE_DAYS_MAX, 'days', 'one statement of charges'),
    made_by_signature: limit(
      limits.MADE_FOR_WALLETS_PER_HOUR,
      'wallets and keys',
      `of one ChainSecured account in an hour; ${limits.MADE_FOR_WALLETS_BURST} at once`,
    ),
    permission_ids: limit(limits.PERMISSION_IDS_MAX, 'ids', 'one permission array'),
    new_account_burst: limit(settings.SVC_NEW_ACCOUNT_BURST, 'accounts', 'at once, an address'),
    new_account_rate: limit(
      settings.SVC_NEW_ACCOUNT_PER_HOUR,
      'accounts per hour',
      'over time, an address (IPv6: a /64)',
    ),
    payment_minimum: limit(limits.PAYMENT_MIN_CENTS, 'cents', 'one payment'),
    payment_maximum: limit(limits.PAYMENT_MAX_CENTS, 'cents', 'one payment'),
    ...unpaidPayments('unpaid_payments', limits.UNPAID_PAYMENTS_PER_HOUR, 'an hour'),
    ...unpaidPayments('unpaid_payments_week', limits.UNPAID_PAYMENTS_PER_WEEK, 'a week'),
  }
}

function unpaidPayments(
  name: string,
  most: typeof limits.UNPAID_PAYMENTS_PER_HOUR,
  span: string,
): Record<string, Limit> {
  const about = `begun within ${span} and not paid`
  return {
    [name]: limit(most.account, 'payments', `${about}, an account`),
    [`${name}_of_keys`]: limit(most.usageKeys, 'payments', `${about}, all its usage keys`),
    [`${name}_of_a_key`]: limit(most.usageKey, 'payments', `${about}, one usage key`),
  }
}
