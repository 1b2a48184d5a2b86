import { encodeBase64url } from '../../shared/encoding/base64url.ts'
import { type Env, settingsOf } from '../env.ts'
import { macOf } from '../mac.ts'
import { RATES, type RateName } from './rates.ts'

/** The rejected call had no effect. */
export class RateLimitExceededError extends Error {
  readonly retryAfterMs: number
  constructor(what: string, retryAfterMs: number) {
    super(what)
    this.name = 'RateLimitExceededError'
    this.retryAfterMs = retryAfterMs
  }
}

const CALLER_DESCRIPTIONS: Record<RateName, string> = {
  core_address: 'this address',
  core_key: 'this API key',
  processor_address: 'this address',
  sign_in_address: 'this address',
  sign_in_mailbox: 'this mailbox',
  notice_mailbox: 'this mailbox',
  alert_test: 'this user',
  agent_request_address: 'this address',
  agent_approval: 'this account',
  refused_token_address: 'this address',
  oauth_address: 'this address',
  device_poll: 'this device',
  user_code_account: 'this account',
  user_code_address: 'this address',
  oauth_client: 'this account',
  account_link: 'this user',
  account_invitation: 'this user',
  passkey_address: 'this address',
  api_write: 'this account',
  chain_preview: 'this account',
}

/** Domain separation, because the MAC key has other uses. */
const PURPOSE = 'svc/rate-cap/v1'

/**
 * @param caller an address, a key, a mailbox or a user. The object's name is an HMAC of this value, never the value
 * itself.
 * @throws {RateLimitExceededError} if the rate limit is exceeded
 */
export async function requireRate(env: Env, name: RateName, caller: string): Promise<void> {
  const object = await rateCapName(settingsOf(env).ID_MAC_KEY, name, caller)
  const retryAfterMs = await env.RATE_CAP.getByName(object).take(RATES[name])
  if (retryAfterMs > 0) throw new RateLimitExceededError(CALLER_DESCRIPTIONS[name], retryAfterMs)
}

async function rateCapName(macKey: string, name: RateName, caller: string): Promise<string> {
  const text = new TextEncoder().encode(JSON.stringify([PURPOSE, name, caller]))
  return encodeBase64url(await macOf(macKey, text))
}
