import { isUtf8 } from 'node:buffer'
import { tryParseJson } from '../../shared/json/try-parse-json.ts'
import { WALLET_AUTH_MAX_CHARACTERS } from '../../shared/limits.ts'
import { apiKeyIn } from '../../shared/wire/api-key.ts'
import { ApiError } from '../../shared/errors/api-error.ts'
import { WALLET_AUTH_HEADER } from '../../shared/wire/header-names.ts'
import { apiKeyHash } from '../../shared/crypto/keccak.ts'
import type { AccountsMirror } from '../accounts/mirror.ts'
import type { Principal } from '../accounts/account.ts'
import type { OriginServices } from '../services.ts'
import { authenticateSignature, type UnverifiedProof } from './wallet-signature.ts'

const FIX_KEY =
  'Send a key in the header X-Api-Key, or as Authorization: Bearer <key>. POST /core/v1/new_account creates one.'

/**
 * Kind of authentication that an operation requires.
 * - `none`: API keys are ignored.
 * - `sent_key`: a key is required but may be unknown.
 * - `key`: any valid key.
 * - `account_key`: the account key; a usage key gets 403.
 * - `account_reader`: the account key, or a usage key with `can_read_account`; any other usage key gets 403.
 * - `wallet_signature`: no credential in the headers, but a signature by an account's admin wallet in the body.
 */
export type AuthKind =
  | 'none'
  | 'sent_key'
  | 'key'
  | 'account_key'
  | 'account_reader'
  | 'wallet_signature'

/** Purpose of the proof in `X-Wallet-Auth`. `true` stands for `BillingAuth`. */
export type WalletAuthPurpose = true | 'SendTransactions'

type AuthRequirement = {
  auth: AuthKind
  walletAuth?: WalletAuthPurpose
}

/**
 * Authenticates a request by its headers. Rejects a request with two credentials, because it would be ambiguous which
 * one applies.
 * @returns `undefined` if the operation requires no credential, or takes the credential from the body
 * @throws {ApiError} 401 if a required credential is missing or does not resolve to an account; 400 if two credentials
 * are sent
 */
export async function authenticateHeaders(
  { auth, walletAuth }: AuthRequirement,
  { headers, address }: { headers: Headers; address: string },
  services: Pick<OriginServices, 'mirror' | 'keyLimits' | 'walletProofs' | 'walletCalls'>,
): Promise<Principal | undefined> {
  if (auth === 'none') return undefined
  const key = apiKeyIn(headers)
  const proof = headers.get(WALLET_AUTH_HEADER)
  if (auth === 'wallet_signature') {
    if (key === undefined && proof === null) return undefined
    throw new ApiError(
      400,
      'This operation is authenticated by the signature in the body, but a header carries another credential.',
      'Send neither a key nor X-Wallet-Auth. For an account in API mode, use create_wallet or add_usage_api_key with its key.',
    )
  }
  if (proof === null) {
    return auth === 'sent_key'
      ? findUnexpired(requireKey(key), services)
      : authenticateKey(key, services)
  }
  if (key !== undefined)
    throw new ApiError(
      400,
      'The request has two credentials: a key and X-Wallet-Auth.',
      'Send only one of them.',
    )
  if (!walletAuth)
    throw new ApiError(
      401,
      'X-Wallet-Auth is accepted only for billing, for spending caps of usage keys, for reads of wallet policies, for transactions, for the audit log and for get_account.',
      'Send a usage key in X-Api-Key; to change the account, send a transaction from its admin wallet.',
      BEARER_CHALLENGE,
    )
  const expected = { purpose: walletAuth === true ? 'BillingAuth' : walletAuth } as const
  return authenticateSignature(parseWalletAuthHeader(proof), expected, address, services)
}

type KnownKeys = Pick<OriginServices, 'mirror' | 'keyLimits'>

/**
 * @throws {ApiError} 401 if the key is missing or unknown
 * @throws {KeyExpiredError}
 */
export function authenticateKey(
  key: string | undefined,
  { mirror, keyLimits }: KnownKeys,
): Principal {
  const principal = findPrincipal(requireKey(key), mirror)
  if (principal) {
    keyLimits.requireUnexpired(principal)
    return principal
  }
  throw new ApiError(
    401,
    'The API key does not resolve to an account: it is mistyped, truncated, revoked or unknown.',
    FIX_KEY,
    BEARER_CHALLENGE,
  )
}

function requireKey(key: string | undefined): string {
  if (key === undefined) throw new ApiError(401, 'No API key was sent.', FIX_KEY, BEARER_CHALLENGE)
  return key
}

function findUnexpired(key: string, { mirror, keyLimits }: KnownKeys): Principal | undefined {
  const principal = findPrincipal(key, mirror)
  return principal && keyLimits.isExpired(principal) ? undefined : principal
}

function findPrincipal(key: string, mirror: AccountsMirror): Principal | undefined {
  return mirror.current().principal(apiKeyHash(key))
}

const BEARER_CHALLENGE = { headers: { 'www-authenticate': 'Bearer' } }

const WALLET_AUTH_FIX =
  'Send it once: base64 of the JSON {"typed_data": …, "signature": "0x…"} with primaryType BillingAuth.'

/**
 * Parses the `X-Wallet-Auth` header: JSON in standard base64, with or without padding.
 * @throws {ApiError} 400, or 422 for JSON that is not an object
 */
function parseWalletAuthHeader(header: string): UnverifiedProof {
  const text = header.trim()
  if (text.length > WALLET_AUTH_MAX_CHARACTERS)
    throw invalidHeader(`more than ${WALLET_AUTH_MAX_CHARACTERS} characters`)
  // The values of a repeated header are combined with a comma.
  if (text.includes(',')) throw invalidHeader('sent more than once')
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) throw invalidHeader('not base64')
  const bytes = Buffer.from(text, 'base64')
  if (!isUtf8(bytes)) throw invalidHeader('the base64 does not contain UTF-8')
  const json = tryParseJson(bytes.toString())
  if (json === undefined) throw invalidHeader('the base64 does not contain JSON')
  if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json
  throw new ApiError(422, 'X-Wallet-Auth: expected base64 of a JSON object.', WALLET_AUTH_FIX)
}

function invalidHeader(what: string): ApiError {
  return new ApiError(400, `X-Wallet-Auth: ${what}.`, WALLET_AUTH_FIX)
}
