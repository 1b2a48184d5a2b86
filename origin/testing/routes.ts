import { isPlainObject } from './plain-object.ts'
import type { SentRequest, SentResponse } from './sandbox/messages.ts'
import { TestSetupError } from './test-setup-error.ts'
import type { ActionRequest, Reply, Routes } from './types.ts'

/** Responds to the requests of a run. Returns undefined if it has no response. */
export type Responder = {
  respond(request: SentRequest): Promise<SentResponse | undefined>
  /** Sentences that explain why a request has no response. */
  hint(request: SentRequest): string
}

const REPLY_MEMBERS = [
  'status',
  'statusText',
  'headers',
  'json',
  'text',
  'bytes',
  'delayMs',
  'networkError',
]
const BODIES = ['json', 'text', 'bytes', 'networkError'] as const

const ROUTE = /^(?:([A-Za-z]+) )?(https?:\/\/\S+)$/

/** @throws {TestSetupError} if the text is not a route */
export function routeMatcher(
  route: string,
  path: string,
): (request: { method: string; url: string }) => boolean {
  const [, method, url] = ROUTE.exec(route) ?? []
  if (url === undefined)
    throw new TestSetupError(
      `${path}: expected a route such as 'GET https://api.example.com/price' or 'https://api.example.com/*'`,
    )
  const pattern = new RegExp(`^${normalized(url).split('*').map(escapeRegExp).join('.*')}$`, 's')
  return (request) =>
    (method === undefined || method.toUpperCase() === request.method.toUpperCase()) &&
    pattern.test(request.url)
}

/** Normalizes a URL like those of requests: with a path, and with its host in lower case. */
function normalized(url: string): string {
  // A wildcard in the host is not a valid URL.
  const parsed = URL.canParse(url) ? new URL(url).href : url
  return parsed.split('*').length === url.split('*').length ? parsed : url
}

const escapeRegExp = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')

/** @throws {TestSetupError} */
export function scripted(routes: Routes): Responder {
  const compiled = Object.entries(routes).map(([route, reply]) => {
    const path = `fetch[${JSON.stringify(route)}]`
    const replies = typeof reply === 'function' ? [] : [reply].flat()
    for (const one of replies) requireReply(one, path)
    return {
      route,
      reply,
      replies: Array.isArray(reply) ? [...replies] : undefined,
      matches: routeMatcher(route, path),
    }
  })
  return {
    async respond(request) {
      const found = compiled.find(({ matches }) => matches(request))
      if (!found) return undefined
      const { reply, replies, route } = found
      if (typeof reply === 'function') {
        const handled: unknown = await reply(actionRequest(request))
        if (isResponse(handled)) return fromResponse(handled)
        const path = `the handler of fetch[${JSON.stringify(route)}]`
        requireReply(handled, path)
        return toResponse(handled)
      }
      const next = replies ? replies.shift() : (reply as Reply)
      return next && toResponse(next)
    },
    hint(request) {
      const used = compiled.find(({ matches }) => matches(request))
      if (used) return `All responses of the route ${used.route} have been used.`
      const names = compiled.map(({ route }) => `  ${route}`)
      return names.length === 0
        ? 'The option fetch has no routes.'
        : `The routes are:\n${names.join('\n')}`
    },
  }
}

const isResponse = (value: unknown): value is Response =>
  typeof value === 'object' && value !== null && 'arrayBuffer' in value && 'headers' in value

function requireReply(value: unknown, path: string): asserts value is Reply {
  if (!isPlainObject(value))
    throw new TestSetupError(`${path}: expected a response such as { json: { price: '1' } }`)
  const unknown = Object.keys(value).find((name) => !REPLY_MEMBERS.includes(name))
  if (unknown !== undefined)
    throw new TestSetupError(
      `${path}: unknown member ${JSON.stringify(unknown)}; the members of a response are ${REPLY_MEMBERS.join(', ')}`,
    )
  const bodies = BODIES.filter((name) => value[name] !== undefined)
  if (bodies.length > 1) throw new TestSetupError(`${path}: has both ${bodies[0]} and ${bodies[1]}`)
  const { status = 200, delayMs = 0, headers = {} } = value
  try {
    void new Headers(headers as Record<string, string>)
  } catch (error) {
    throw new TestSetupError(`${path}.headers: ${(error as Error).message}`)
  }
  if (!Number.isInteger(status) || (status as number) < 200 || (status as number) > 599)
    throw new TestSetupError(`${path}.status: expected an integer from 200 to 599`)
  if (typeof delayMs !== 'number' || !(delayMs >= 0))
    throw new TestSetupError(`${path}.delayMs: expected milliseconds`)
}

function toResponse(reply: Reply): SentResponse {
  const { status = 200, statusText = '', headers = {}, delayMs = 0, networkError } = reply
  if (networkError !== undefined) return { delayMs, failure: networkError }
  const { type, bytes } = bodyOf(reply)
  const fields = [...new Headers(headers)]
  if (type !== undefined && fields.every(([name]) => name !== 'content-type'))
    fields.push(['content-type', type])
  return { delayMs, status, statusText, headers: fields, body: bytes }
}

function bodyOf({ json, text, bytes }: Reply): { type?: string; bytes: Uint8Array } {
  if (json !== undefined)
    return { type: 'application/json', bytes: Buffer.from(JSON.stringify(json)) }
  if (text !== undefined) return { type: 'text/plain;charset=UTF-8', bytes: Buffer.from(text) }
  return { bytes: bytes ?? new Uint8Array(0) }
}

/** The body is decoded already, so its encoding and length no longer apply. */
const ENCODED = ['content-encoding', 'content-length', 'transfer-encoding']

export async function fromResponse(response: Response): Promise<SentResponse> {
  const headers = [...response.headers].filter(([name]) => !ENCODED.includes(name))
  const body = new Uint8Array(await response.arrayBuffer())
  const { status, statusText } = response
  return { delayMs: 0, status, statusText, headers, body }
}

function actionRequest({ method, url, headers, body }: SentRequest): ActionRequest {
  const text = Buffer.from(body).toString('utf8')
  return { method, url, headers, body: text, json: () => JSON.parse(text) as unknown }
}
