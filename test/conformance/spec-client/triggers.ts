import { rowsIn, runIdIn } from './discover.ts'
import { SpecViolation, ask, isFields, send, type Answer, type Fetch, type Fields } from './http.ts'

export type TriggerFields = {
  name: string
  kind: 'webhook' | 'schedule' | 'chain_event'
  action_code: string
  usage_api_key: string
  config: Fields
  default_params?: Fields
  max_runs_per_minute?: number
  max_queued_runs?: number
}
export type Trigger = Fields & { id: string }
export type Delivery = {
  body: string | Uint8Array<ArrayBuffer>
  headers?: Record<string, string>
}

export class TriggersClient {
  readonly #url: string
  readonly #fetch: Fetch

  constructor(triggersUrl: string, fetch: Fetch) {
    this.#url = triggersUrl.replace(/\/$/, '')
    this.#fetch = fetch
  }

  /** URL where a user approves the token. Opened in a browser, never fetched by the client. */
  authorizeUrl(challenge: string): string {
    return `${this.#url}/agent/authorize?challenge=${challenge}`
  }

  async skill(): Promise<string> {
    return (await ask(this.#fetch, { method: 'GET', url: `${this.#url}/SKILL.md` })).text
  }

  async me(token: string): Promise<{ id: string; email: string }> {
    const { body } = await this.#api('GET', '/api/me', token)
    if (isFields(body) && typeof body['id'] === 'string' && typeof body['email'] === 'string') {
      return { id: body['id'], email: body['email'] }
    }
    throw new SpecViolation('/api/me shows no id and email')
  }

  /** `fields` is loosely typed because journeys also send invalid ones. */
  async create(token: string, fields: TriggerFields | Fields): Promise<Trigger> {
    return asTrigger((await this.#api('POST', '/api/triggers', token, fields)).body)
  }

  async list(token: string): Promise<Fields[]> {
    return rowsIn((await this.#api('GET', '/api/triggers', token)).body)
  }

  async get(token: string, id: string): Promise<Trigger> {
    return asTrigger((await this.#api('GET', `/api/triggers/${id}`, token)).body)
  }

  async setEnabled(token: string, id: string, enabled: boolean): Promise<Fields> {
    const { body } = await this.#api('PATCH', `/api/triggers/${id}`, token, { enabled })
    if (!isFields(body)) throw new SpecViolation('PATCH does not answer the trigger')
    return body
  }

  async delete(token: string, id: string): Promise<void> {
    await this.#api('DELETE', `/api/triggers/${id}`, token)
  }

  /** One page of runs. The specification does not define their order. */
  async runs(token: string, id: string, page: { limit?: number; offset?: number } = {}) {
    const query = new URLSearchParams()
    for (const [name, value] of Object.entries(page)) query.set(name, String(value))
    const path = `/api/triggers/${id}/runs${query.size ? `?${query.toString()}` : ''}`
    return rowsIn((await this.#api('GET', path, token)).body)
  }

  /** Sends a webhook. @returns the response, whatever its status */
  async deliver(id: string, { body, headers }: Delivery): Promise<Answer> {
    const url = `${this.#url}/webhook/${id}`
    return send(this.#fetch, {
      method: 'POST',
      url,
      raw: body,
      headers: { 'content-type': 'application/json', ...headers },
    })
  }

  /** Sends a webhook. @returns the run ID. @throws {SpecViolation} unless the status is 202 */
  async fire(id: string, delivery: Delivery): Promise<string> {
    const answer = await this.deliver(id, delivery)
    if (answer.status === 202) return runIdIn(answer.body)
    throw new SpecViolation(`a webhook POST answered ${answer.status}: ${answer.text}`)
  }

  #api(method: string, path: string, token: string, json?: unknown): Promise<Answer> {
    const headers: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {}
    return ask(this.#fetch, { method, url: `${this.#url}${path}`, headers, json })
  }
}

function asTrigger(body: unknown): Trigger {
  if (isFields(body) && typeof body['id'] === 'string') return { ...body, id: body['id'] }
  throw new SpecViolation(`no trigger with an id in ${JSON.stringify(body)}`)
}
