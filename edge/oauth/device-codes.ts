/** Device codes (RFC 8628). Their requests are those of agents, and are approved on the same page (docs/decisions/0147). */
import type { Scope } from '../../shared/wire/agent.ts'
import {
  type AgentRequestDeps,
  type RegisteredRequest,
  registerRequest,
} from '../identity/agent-requests.ts'
import { hashSecret, newSecret } from '../identity/secret.ts'

const PREFIX = 'svcd_'

/** Attempts to find an unused user code. A collision is unlikely even with a million stored requests. */
const ATTEMPTS = 3

type DeviceRequest = RegisteredRequest & { deviceCode: string; challenge: string }

/** @throws {AgentRequestsFullError} if the table of requests is full */
export async function requestDeviceCode(
  deps: AgentRequestDeps,
  request: { clientId: string; label: string; scopes: readonly Scope[] },
): Promise<DeviceRequest> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const deviceCode = PREFIX + newSecret(deps.random)
    const challenge = await deviceChallengeOf(deviceCode)
    const registered = await registerRequest(deps, { ...request, challenge })
    if (registered) return { ...registered, deviceCode, challenge }
  }
  throw new Error('no unused user code was found')
}

/**
 * Returns the challenge of a device code. The prefix contains a space, which no agent token can contain, so that a device
 * code can never be used as an agent token.
 */
export function deviceChallengeOf(deviceCode: string): Promise<string> {
  return hashSecret(`device code ${deviceCode}`)
}
