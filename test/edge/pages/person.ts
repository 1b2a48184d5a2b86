/** A signed-in user who requests pages without a browser. */
import { startSession } from '../../../edge/identity/sessions.ts'
import { findOrCreateUser } from '../../../edge/identity/users.ts'
import { createTrigger, db, edge, env, type Owner, random } from '../app.ts'
import { approveAgentToken } from '../../../edge/identity/agent-tokens.ts'
import { encodeBase64url } from '../../../shared/encoding/base64url.ts'
import { SCOPES } from '../../../shared/wire/agent.ts'

/** Headers that a browser sends with a form of one of our pages. */
export const FROM_US = { origin: 'https://edge.test', 'sec-fetch-site': 'same-origin' }

export type Page = { response: Response; status: number; text: string }

export class Person {
  readonly owner: Owner
  readonly #cookie: string

  private constructor(owner: Owner, cookie: string) {
    this.owner = owner
    this.#cookie = cookie
  }

  static async signedIn(): Promise<Person> {
    const identity = { db, now: Date.now, random, settings: env }
    const user = await findOrCreateUser(identity, `${crypto.randomUUID()}@example.test`)
    const token = encodeBase64url(random(48))
    const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token))
    const challenge = encodeBase64url(new Uint8Array(hash))
    await approveAgentToken(identity, { challenge, userId: user.id, scopes: SCOPES })
    const api: typeof edge = (path, init = {}) =>
      edge(path, { ...init, headers: { authorization: `Bearer ${token}`, ...init.headers } })
    const secret = await startSession(identity, user.id)
    return new Person({ id: user.id, token, api }, `__Host-svc=${secret}`)
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Page> {
    return this.#ask(path, { headers: { accept: 'text/html', ...headers } })
  }

  /** @param headers default to the headers of a form on one of our pages */
  post(
    path: string,
    form: Record<string, string>,
    headers: Record<string, string> = FROM_US,
  ): Promise<Page> {
    const body = new URLSearchParams(form)
    return this.#ask(path, { method: 'POST', body, headers: { accept: 'text/html', ...headers } })
  }

  /** Sends a request as a script of a page would. */
  ask(path: string, body: unknown, headers: Record<string, string> = FROM_US): Promise<Page> {
    const type = { 'content-type': 'application/json' }
    return this.#ask(path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { ...type, ...headers },
    })
  }

  trigger(over: object = {}) {
    return createTrigger(this.owner, over)
  }

  async #ask(path: string, init: RequestInit & { headers: Record<string, string> }): Promise<Page> {
    const headers = { cookie: this.#cookie, ...init.headers }
    const response = await edge(path, { ...init, headers, redirect: 'manual' })
    return { response, status: response.status, text: await response.text() }
  }
}

/** Returns the value of a hidden field: of the first form, or of the form with this `action`. */
export function hidden({ text }: Page, name: string, action = ''): string {
  const from = action === '' ? 0 : text.indexOf(`action="${action}"`)
  return new RegExp(`name="${name}" value="([^"]*)"`).exec(text.slice(from))![1]!
}

/** Returns the text of a page, with character references resolved. */
export function textOf(html: string): string {
  return html
    .replace(/<script[^>]*>[^]*?<\/script>|<style>[^]*?<\/style>/g, '')
    .replace(/<[^>]*>/g, '')
    .replace(/&(lt|gt|quot|amp|#39);/g, (_, name: string) => ENTITIES[name]!)
}

const ENTITIES: Record<string, string> = { lt: '<', gt: '>', quot: '"', amp: '&', '#39': "'" }
