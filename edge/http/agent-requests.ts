/** Lets an agent register a name and scopes before a person opens the agent's link (docs/decisions/0049). */
import { clientNetwork } from '../../shared/network/client-network.ts'
import { ApiError } from '../../shared/errors/api-error.ts'
import { type AgentRequestResponse, agentRequestBody } from '../../shared/wire/agent.ts'
import { registerRequest } from '../identity/agent-requests.ts'
import type { App } from './app-env.ts'
import { authorizePath } from '../identity/authorize-path.ts'
import { clientAddress } from './client-address.ts'
import { readFields } from './json-request.ts'

/** Maximum body size. Sufficient for a challenge, a name and two scopes, even in indented JSON. */
const BODY_MAX_BYTES = 4 * 1024

/**
 * The route requires no authentication, because a stored request grants nothing: the request is only shown to the
 * person who opens the agent's link.
 */
export function registerAgentRequests(app: App): void {
  app.post('/agent/requests', async (c) => {
    const { services } = c.var
    const { settings, requireRate } = services
    await requireRate('agent_request_address', clientNetwork(clientAddress(c.req.raw, settings)))
    const body = await readFields(c.req.raw, agentRequestBody, BODY_MAX_BYTES)
    const registered = await registerRequest(services, body)
    if (!registered) throw challengeTaken()
    const response: AgentRequestResponse = {
      request_id: registered.id,
      user_code: registered.userCode,
      authorize_url: new URL(authorizePath(body.challenge), settings.PUBLIC_URL).href,
      expires_at: new Date(registered.expiresAt).toISOString(),
    }
    c.header('Cache-Control', 'no-store')
    return c.json(response, 201)
  })
}

/** The message does not reveal whether the challenge was registered or approved, because only its owner may know. */
function challengeTaken(): ApiError {
  return new ApiError(
    409,
    'challenge: already registered or approved.',
    'Generate a new token and register its challenge. If you registered this one but lost the response, its code cannot be retrieved.',
    { reason: 'challenge_taken' },
  )
}
