/** The remote MCP server (docs/decisions/0143): Streamable HTTP without sessions. */
import { createMcpHandler } from '@modelcontextprotocol/server'
import type { Context } from 'hono'
import { ApiError } from '../../shared/errors/api-error.ts'
import { MCP_MESSAGE_MAX_BYTES } from '../../shared/limits.ts'
import { MCP_PATH } from '../../shared/wire/mcp.ts'
import { SCOPES } from '../../shared/wire/agent.ts'
import { type AgentUser, findAgentUser } from '../identity/agent-tokens.ts'
import { inProcessSession } from '../mcp/in-process-session.ts'
import { makeRemoteServer } from '../mcp/remote-server.ts'
import { findGrantUser } from '../oauth/grant-tokens.ts'
import { resourceMetadataUrlOf } from '../oauth/server-urls.ts'
import { isAccessToken } from '../oauth/token-text.ts'
import { buildOf } from '../version.ts'
import type { App, AppEnv, Services } from './app-env.ts'
import { requireTokenUser } from './authenticate.ts'
import { authenticateInProcess } from './in-process-requests.ts'
import { readJson } from './json-request.ts'

export function registerMcp(app: App): void {
  app.post(MCP_PATH, async (c) => {
    rejectRebinding(c)
    const resourceMetadataUrl = resourceMetadataUrlOf(c.var.services.settings.PUBLIC_URL)
    const user = await requireTokenUser(c, {
      find: findMcpUser,
      challenge: challengeOf(c, resourceMetadataUrl),
    })
    const parsedBody = await readJson(c.req.raw, MCP_MESSAGE_MAX_BYTES)
    // The tools never change, so there is nothing to subscribe to.
    const options = { maxSubscriptions: 0 }
    const handler = createMcpHandler(() => serverFor(c, app, user), options)
    const { label, scopes, tokenExpiresAt } = user
    return handler.fetch(c.req.raw, {
      parsedBody,
      // The library needs the scopes for its challenges. It does not need the token.
      authInfo: {
        token: '',
        clientId: label ?? '',
        scopes,
        expiresAt: Math.floor(tokenExpiresAt / 1000),
        resourceMetadataUrl,
      },
    })
  })
}

/** Accepts access tokens that were issued for this server, and tokens of agents. */
function findMcpUser(services: Services, token: string): Promise<AgentUser | undefined> {
  return isAccessToken(token) ? findGrantUser(services, token) : findAgentUser(services, token)
}

/** Challenge from which clients find the OAuth server (RFC 9728, 5.1), and the scopes to request. */
function challengeOf(c: Context<AppEnv>, resourceMetadataUrl: string): string {
  const error = c.req.header('authorization') === undefined ? '' : 'error="invalid_token", '
  return `Bearer ${error}resource_metadata="${resourceMetadataUrl}", scope="${SCOPES.join(' ')}"`
}

/**
 * Rejects requests of pages of other sites, and requests to other names of this service (DNS rebinding).
 * @throws {ApiError} 403
 */
function rejectRebinding(c: Context<AppEnv>): void {
  const { origin, host } = new URL(c.var.services.settings.PUBLIC_URL)
  const from = c.req.header('origin')
  if (new URL(c.req.url).host === host && (from === undefined || from === origin)) return
  throw new ApiError(
    403,
    'This request came from a page of another site, or was sent to another host name.',
    `Send it to ${origin}${MCP_PATH}, from a program that is not a web page of another site.`,
  )
}

function serverFor(c: Context<AppEnv>, app: App, user: AgentUser) {
  const { settings, now, random } = c.var.services
  const fetchInProcess: typeof fetch = async (input, init) => {
    const request = new Request(input, init)
    const address = c.req.header('cf-connecting-ip')
    if (address !== undefined) request.headers.set('cf-connecting-ip', address)
    authenticateInProcess(request, user)
    return app.fetch(request, c.env, c.executionCtx)
  }
  const { PUBLIC_URL: publicUrl } = settings
  return makeRemoteServer({
    session: inProcessSession({ fetch: fetchInProcess, publicUrl, now, random }),
    publicUrl,
    version: buildOf(settings).version,
    document: async (path) => (await fetchInProcess(new URL(path, publicUrl))).text(),
  })
}
