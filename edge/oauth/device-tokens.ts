import { findAgentRequest } from '../identity/agent-requests.ts'
import type { IdentityDeps } from '../identity/deps.ts'
import { RateLimitExceededError } from '../limits/require-rate.ts'
import type { RateName } from '../limits/rates.ts'
import { deviceChallengeOf } from './device-codes.ts'
import { findGrant, type IssuedTokens, issueOnce, unusable } from './grant-tokens.ts'
import { OAuthError } from './oauth-error.ts'

type PollDeps = IdentityDeps & {
  /** @throws {RateLimitExceededError} */
  requireRate: (name: RateName, caller: string) => Promise<void>
}

/**
 * Exchanges an approved device code once. A second exchange revokes the tokens of the first.
 * @throws {OAuthError} `authorization_pending` or `slow_down` while the request is open (RFC 8628, 3.5)
 */
export async function exchangeDeviceCode(
  deps: PollDeps,
  { deviceCode, clientId }: { deviceCode: string; clientId: string },
): Promise<IssuedTokens> {
  const challenge = await deviceChallengeOf(deviceCode)
  const request = await findAgentRequest(deps, challenge)
  if (!request || request.clientId !== clientId) throw unusable()
  switch (request.state) {
    case 'open':
      await requireInterval(deps, challenge)
      throw new OAuthError('authorization_pending', 'The person has not decided yet.')
    case 'request_refused':
      throw new OAuthError('access_denied', 'The person refused the request.')
    case 'request_locked':
      throw new OAuthError('access_denied', 'Too many wrong user codes were entered.')
    case 'request_expired':
      throw expired()
    case 'approved': {
      const grant = await findGrant(deps, request.id)
      if (!grant || (grant.codeUsedAt === null && grant.expiresAt <= deps.now())) throw expired()
      return issueOnce(deps, grant)
    }
  }
}

const expired = () =>
  new OAuthError('expired_token', 'The device code has expired. Request another one.')

async function requireInterval({ requireRate }: PollDeps, challenge: string): Promise<void> {
  try {
    await requireRate('device_poll', challenge)
  } catch (error) {
    if (!(error instanceof RateLimitExceededError)) throw error
    throw new OAuthError('slow_down', 'Wait five seconds longer between polls.')
  }
}
