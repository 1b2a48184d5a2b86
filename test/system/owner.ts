/**
 * A trigger owner on a stack: an account with a usage key that is permitted to run any action, and an approved token.
 */
import { createApprovedToken } from '../../origin/stack/approved-token.ts'
import { apiKeyHash } from '../../shared/crypto/keccak.ts'
import type { RunRecord, TriggerRecord } from '../../shared/wire/trigger.ts'

export type Owner = {
  /** Hash of the account, as in the ledger. */
  accountHash: string
  createTrigger(action: string, more?: object): Promise<{ id: string; webhook_url: string }>
  trigger(triggerId: string): Promise<TriggerRecord>
  /** Calls the core API with the account key. @throws {Error} unless the status is 2xx */
  core(path: string, body: object): Promise<any>
  /** Calls the trigger service with the owner's token. @throws {Error} unless the status is 2xx */
  api(path: string, body?: object, method?: string): Promise<any>
  /** @returns the run ID of a 202. @throws {Error} for any other status, and for a broken connection */
  fire(webhookUrl: string, event?: object): Promise<string>
  /** Up to 100 runs, newest first. */
  runs(triggerId: string, offset?: number): Promise<RunRecord[]>
  /** Waits until all runs of the trigger are finished, and returns them. */
  allEnded(triggerId: string, seconds: number): Promise<RunRecord[]>
}

export async function newOwner(urls: { baseUrl: string; triggersUrl: string }): Promise<Owner> {
  const core = (path: string, body: object, key = '') =>
    json(`${urls.baseUrl}/core/v1/${path}`, { body, headers: { 'x-api-key': key } })
  const account = await core('new_account', { account_name: 'owner', account_description: '' })
  const group = { group_name: 'any action', cid_hashes_permitted: ['0'] }
  const { group_id } = await core('add_group', group, account.api_key)
  const usage = { name: 'runs', execute_in_groups: [group_id] }
  const { usage_api_key } = await core('add_usage_api_key', usage, account.api_key)
  const { token } = await createApprovedToken(urls.triggersUrl)
  const headers = { authorization: `Bearer ${token}` }
  const api = (path: string, body?: object, method?: string) =>
    json(`${urls.triggersUrl}/api/${path}`, { body, method, headers })

  const runs = async (triggerId: string, offset = 0): Promise<RunRecord[]> =>
    (await api(`triggers/${triggerId}/runs?limit=100&offset=${offset}`)).runs
  return {
    accountHash: apiKeyHash(account.api_key),
    createTrigger: (action_code, more = {}) =>
      api('triggers', { name: 't', kind: 'webhook', action_code, usage_api_key, ...more }),
    core: (path, body) => core(path, body, account.api_key),
    api,
    trigger: (triggerId) => api(`triggers/${triggerId}`),
    fire: async (webhookUrl, event = {}) => (await json(webhookUrl, { body: event })).run_id,
    runs,
    allEnded: (triggerId, seconds) =>
      until(seconds, `the runs of ${triggerId} end`, async () => {
        const all = await runs(triggerId)
        return all.every((run) => run.finished_at !== null) ? all : undefined
      }),
  }
}

/** Polls until `ask` returns a value; treats an error as no value. */
export async function until<Answer>(
  seconds: number,
  what: string,
  ask: () => Promise<Answer | undefined>,
): Promise<Answer> {
  const deadline = performance.now() + seconds * 1000
  let last = ''
  while (performance.now() < deadline) {
    try {
      const answer = await ask()
      if (answer !== undefined) return answer
    } catch (error) {
      last = ` (${error instanceof Error ? error.message : 'unknown'})`
    }
    await new Promise((resume) => setTimeout(resume, 100))
  }
  throw new Error(`not within ${seconds} s: ${what}${last}`)
}

type Call = {
  body?: object | undefined
  method?: string | undefined
  headers?: Record<string, string>
}

async function json(url: string, { body, method, headers = {} }: Call): Promise<any> {
  const response = await fetch(url, {
    method: method ?? (body ? 'POST' : 'GET'),
    headers: { 'content-type': 'application/json', ...headers },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${response.status} ${text.slice(0, 500)}`)
  return text === '' ? undefined : JSON.parse(text)
}
