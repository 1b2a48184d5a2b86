import type { Context } from 'hono'
import type { ChangeOrigin } from '../audit-log/trigger-change.ts'
import type { AgentUser } from '../identity/agent-tokens.ts'
import type { AppEnv } from './app-env.ts'
import { clientAddress } from './client-address.ts'
import { inProcessUser } from './in-process-requests.ts'

/** Describes the agent that requests a change. Calls from `/mcp` are made in process, without a client address. */
export function originOfAgent(c: Context<AppEnv>, { label }: AgentUser): ChangeOrigin {
  if (inProcessUser(c.req.raw))
    return { actor: { kind: 'oauth_client', id: label }, clientAddress: null }
  return { actor: { kind: 'agent_token', id: label }, clientAddress: addressOf(c) }
}

/** Describes the signed-in user who requests a change on a page. */
export function originOfSession(c: Context<AppEnv>): ChangeOrigin {
  return { actor: { kind: 'session', id: null }, clientAddress: addressOf(c) }
}

function addressOf(c: Context<AppEnv>): string | null {
  return clientAddress(c.req.raw, c.var.services.settings) || null
}
