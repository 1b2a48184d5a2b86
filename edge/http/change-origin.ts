import type { Context } from 'hono'
import type { ChangeOrigin } from '../audit-log/trigger-change.ts'
import type { AgentUser } from '../identity/agent-tokens.ts'
import type { AppEnv } from './app-env.ts'
import { clientAddress } from './client-address.ts'

/** Describes the program that requests a change. In-process requests of `/mcp` have the address of its client. */
export function originOfAgent(c: Context<AppEnv>, { credential, label }: AgentUser): ChangeOrigin {
  return { actor: credential, actorName: label, clientAddress: addressOf(c) }
}

/** Describes the signed-in user who requests a change on a page. */
export function originOfSession(c: Context<AppEnv>): ChangeOrigin {
  return { actor: { kind: 'session', id: null }, actorName: null, clientAddress: addressOf(c) }
}

function addressOf(c: Context<AppEnv>): string | null {
  return clientAddress(c.req.raw, c.var.services.settings) || null
}
