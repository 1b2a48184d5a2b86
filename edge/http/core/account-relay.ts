/**
 * Relays core API requests of the console with the stored usage key of a linked account (docs/decisions/0155). The key is
 * encrypted to the origin: the sealed request names it, and only the origin can open it.
 */
import type { Context } from 'hono'
import { ApiError } from '../../../shared/errors/api-error.ts'
import { encodeBase64url } from '../../../shared/encoding/base64url.ts'
import { clientNetwork } from '../../../shared/network/client-network.ts'
import { formatTraceparent } from '../../../shared/telemetry/trace-context.ts'
import { coreBodyMaxBytes, isProxiedPath } from '../../../shared/wire/core-routes.ts'
import { RECEIPT_HEADER } from '../../../shared/wire/header-names.ts'
import { requireAccess } from '../../accounts/access.ts'
import { AccountLinkError } from '../../accounts/account-link-error.ts'
import { type LinkRole, permission } from '../../accounts/permitted-operations.ts'
import type { Session } from '../../identity/sessions.ts'
import { requestContext } from '../../telemetry/request-trace.ts'
import { forwardSealed } from '../../trust/sealed-http.ts'
import type { App, AppEnv } from '../app-env.ts'
import { clientAddress } from '../client-address.ts'
import { unmatchedRoute } from '../unmatched-route.ts'
import { toByteString, fromByteString } from './byte-string.ts'
import { HEAD_ROOM_BYTES, NO_BODY, requireHeadSize } from './core-proxy.ts'
import { hasCredential } from './credentials.ts'
import { readBodyWithRoom } from './request-body.ts'
import { sharingMemory } from './with-memory-share.ts'

/** Headers of the browser that reach the origin. All others, such as cookies and the page token, are dropped. */
const SENT_HEADERS = ['accept', 'content-type', 'idempotency-key']

/** Headers of the origin that reach the page. None of them lets another web origin read the response. */
const RETURNED_HEADERS = new Set([
  'content-disposition',
  'content-type',
  'idempotent-replayed',
  'link',
  'retry-after',
  'www-authenticate',
  'x-request-id',
  'x-svc-error',
  'x-total-count',
  RECEIPT_HEADER,
])

type RelayGuards = {
  /** Authenticates the person, and rejects requests of other sites. */
  requirePageRequest: (c: Context<AppEnv>) => Promise<Session>
  /** Makes responses private. */
  privateResponse: (c: Context<AppEnv>, respond: () => Promise<Response>) => Promise<Response>
}

export function registerAccountRelay(app: App, guards: RelayGuards): void {
  app.all('/console/accounts/:id/core/v1/*', (c) =>
    guards.privateResponse(c, async () => relay(c, await guards.requirePageRequest(c))),
  )
}

/** Checks a request in the order of the status codes 401, 404, 403, 400, 429 and 413, and then forwards it. */
async function relay(c: Context<AppEnv>, { user }: Session): Promise<Response> {
  const request = c.req.raw
  const { services } = c.var
  const linkId = c.req.param('id') ?? ''
  const { pathname, search: query } = new URL(request.url)
  const path = pathname.slice(`/console/accounts/${linkId}`.length)
  if (!isProxiedPath(path)) throw unmatchedRoute(request.method, [])
  const { role, ownerId, sealedUsageKey } = await requireAccess(services, linkId, user.id)
  requirePermission(role, request.method, path)
  requireNoCredential(request.headers)
  const address = clientAddress(request, services.settings)
  await Promise.all([
    services.requireRate('core_address', clientNetwork(address)),
    services.requireRate('core_key', linkId),
  ])
  const method = request.method === 'POST' ? 'POST' : 'GET'
  const headers = sentHeaders(request, services.settings.PUBLIC_URL)
  const storedKey = {
    sealed_usage_key: encodeBase64url(sealedUsageKey),
    link_id: linkId,
    owner_id: ownerId,
  }
  requireHeadSize(JSON.stringify([path, query, headers, { stored_key: storedKey }]).length)
  const context = requestContext(request, c.env)
  return sharingMemory(async (share) => {
    const body =
      method === 'POST'
        ? await readBodyWithRoom(request, {
            maxBytes: coreBodyMaxBytes(path),
            roomBytes: HEAD_ROOM_BYTES,
            share,
          })
        : { room: new Uint8Array(HEAD_ROOM_BYTES), bodyBytes: 0 }
    const answer = await forwardSealed(c.env, services.now, {
      method,
      path,
      query,
      headers,
      client_address: address,
      ...(context === undefined ? {} : { trace: formatTraceparent(context) }),
      stored_key: storedKey,
      ...body,
    })
    const returned = answer.headers
      .filter(([name]) => RETURNED_HEADERS.has(name))
      .map(([name, value]): [string, string] => [name, fromByteString(value)])
    const { status } = answer
    return new Response(NO_BODY.has(status) ? null : answer.body, { status, headers: returned })
  })
}

/** @throws {AccountLinkError} */
function requirePermission(role: LinkRole, method: string, path: string): void {
  const permitted = permission(role, method, path)
  if (permitted === 'never') throw new AccountLinkError({ reason: 'account_key_required' })
  if (permitted === 'scope') throw new AccountLinkError({ reason: 'scope', scope: role })
}

/** @throws {ApiError} 400, because it would be ambiguous which credential applies */
function requireNoCredential(headers: Headers): void {
  if (!hasCredential(headers)) return
  throw new ApiError(
    400,
    'The request has a credential, but a linked account is used with its stored key.',
    'Send the request to /core/v1 with the credential, or omit the credential.',
  )
}

/** Sends the web origin of the console, for keys that are restricted to web origins. */
function sentHeaders(request: Request, publicUrl: string): [string, string][] {
  const sent = SENT_HEADERS.flatMap((name): [string, string][] => {
    const value = request.headers.get(name)
    return value === null ? [] : [[name, toByteString(value)]]
  })
  return [...sent, ['origin', new URL(publicUrl).origin]]
}
