import { statSync } from 'node:fs'
import { join } from 'node:path'
import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operatorProgram } from '../../origin/operator/command.ts'
import { createApprovedToken } from '../../origin/stack/approved-token.ts'
import { EXPORT_PAGE_TRIGGERS } from '../../shared/wire/operator.ts'
import type { ListedTrigger, TriggerRecord } from '../../shared/wire/trigger.ts'
import { until } from './owner.ts'
import { type StartedStack, startStack } from './stack.ts'

let started: StartedStack
let token: string
beforeAll(async () => {
  started = await startStack({
    edgeSettings: async () => ({ OPERATOR_TOKEN: 'operator-token-of-this-test-0123' }),
  })
  token = (await createApprovedToken(started.triggersUrl)).token
})
afterAll(() => started.stop())

/** Sends a request of the owner. @throws if the connection breaks */
async function api(method: string, path: string, body?: object) {
  const response = await fetch(`${started.triggersUrl}/api/triggers${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
}

const fields = {
  name: 'new',
  kind: 'webhook',
  action_code: 'async function main() {}',
  // An unknown key. It is stored with a warning, and nothing runs here.
  usage_api_key: 'A'.repeat(43),
}
const known = new Set<string>()
async function create(): Promise<string> {
  const { body } = await api('POST', '', fields)
  known.add(body.id)
  return body.id
}

/** Changes `width` triggers concurrently until stopped. Ignores broken connections. */
function flood(width: number) {
  const enough = new AbortController()
  let changes = 0
  const one = async (lane: number) => {
    let id = ''
    for (let n = 0; !enough.signal.aborted; n++) {
      try {
        if (id === '') id = await create()
        const { status } = await api('PATCH', `/${id}`, {
          enabled: n % 2 === 0,
          name: `${lane}/${n}`,
        })
        if (status === 200) changes++
        // Even lanes delete the triggers they create, odd lanes keep them.
        if (n % 4 === 3 && lane % 2 === 0) await api('DELETE', `/${id}`)
        if (n % 4 === 3) id = ''
      } catch {
        // The outcome of this request is unknown; the test checks for a consistent state.
        await new Promise((resume) => setTimeout(resume, 50))
        id = ''
      }
    }
  }
  const lanes = Array.from({ length: width }, (_, lane) => one(lane))
  return {
    reached: (count: number) =>
      until(30, `${count} changes`, async () => changes >= count || undefined),
    stop: async () => {
      enough.abort()
      await Promise.all(lanes)
    },
  }
}

const shown = ({ id, name, enabled, updated_at }: TriggerRecord | ListedTrigger) => ({
  id,
  name,
  enabled,
  updated_at,
})

/** Reads the triggers from their objects and from the list. */
async function objectsAndList() {
  const ids = [...known]
  const answers = await Promise.all(ids.map((id) => api('GET', `/${id}`)))
  const objects = answers.filter(({ status }) => status === 200).map(({ body }) => shown(body))
  const gone = answers.filter(({ status }) => status === 404).length
  expect(objects.length + gone).toBe(ids.length)
  const list: ListedTrigger[] = (await api('GET', '')).body
  const listed = list.filter(({ id }) => known.has(id)).map(shown)
  const sorted = (all: { id: string }[]) => all.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  return { objects: sorted(objects), listed: sorted(listed), gone }
}

describe('the list of triggers, if the edge is killed between writes to object and index', () => {
  it('converges to the state of the objects for changed, created and deleted triggers', async () => {
    for (let kill = 0; kill < 2; kill++) {
      const flooding = flood(8)
      await flooding.reached(60 + 20 * kill)
      await started.stack.kill('edge')
      await flooding.stop()
      await started.stack.startComponent('edge')
    }
    // The object's alarm repeats an interrupted write.
    const { objects, listed, gone } = await until(30, 'list and objects agree', async () => {
      const now = await objectsAndList()
      return JSON.stringify(now.objects) === JSON.stringify(now.listed) ? now : undefined
    })
    expect(listed).toEqual(objects)
    expect(objects.length).toBeGreaterThan(0)
    expect(gone).toBeGreaterThan(0)
  })
})

it('stolen edge: rejects an account key as usage key, as identified by the origin', async () => {
  const opened = await fetch(`${started.baseUrl}/core/v1/new_account`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ account_name: 'owner', account_description: '' }),
  })
  const { api_key } = (await opened.json()) as { api_key: string }
  const refused = await api('POST', '', { ...fields, usage_api_key: api_key })
  expect(refused).toMatchObject({
    status: 422,
    body: { message: expect.stringContaining('usage_api_key') },
  })
  const taken = await api('POST', '', fields)
  expect(taken).toMatchObject({ status: 201, body: { warnings: [expect.any(String)] } })
  const patched = await api('PATCH', `/${taken.body.id}`, { usage_api_key: api_key })
  expect(patched.status).toBe(422)
})

it('exports, erases and imports with the command of operators', async () => {
  /** The words follow `--`, because an ID can start with a hyphen. */
  const operate = async (
    command: string,
    words: string[] = [],
    more: string[] = [],
  ): Promise<any> => {
    const printed: object[] = []
    const environment = { OPERATOR_TOKEN: 'operator-token-of-this-test-0123' }
    const who = ['--operator', 'ada', '--reason', 'ticket 7', '--yes']
    const options = ['--edge', started.triggersUrl, ...(command === 'log' ? [] : who), ...more]
    await operatorProgram((result) => printed.push(result), environment).parseAsync(
      [command, ...options, '--', ...words],
      { from: 'user' },
    )
    return printed.at(-1)
  }
  const me = await fetch(`${started.triggersUrl}/api/me`, {
    headers: { authorization: `Bearer ${token}` },
  })
  const { id: user } = (await me.json()) as { id: string }
  while ((await api('GET', '')).body.length <= EXPORT_PAGE_TRIGGERS) await create()
  const { body: list } = await api('GET', '')
  const output = join(started.stateDir, 'triggers.json')
  expect(await operate('export-triggers', [user], ['--output', output])).toMatchObject({
    triggers: list.length,
  })
  expect(statSync(output).mode & 0o777).toBe(0o600)
  await api('DELETE', `/${list[0].id}`)
  const { triggers } = await operate('import-triggers', [user, output])
  expect(triggers.filter(({ imported }: { imported: boolean }) => imported)).toEqual([
    { from: list[0].id, ...imported(list[0]) },
  ])
  expect(await operate('erase-user', [user])).toMatchObject({ done: true, triggers_left: 0 })
  expect((await api('GET', '')).status).toBe(401)
  const { edge } = await operate('log')
  expect(edge[0]).toMatchObject({ command: 'erase-user', subject: user, operator: 'ada' })
  await expect(
    operatorProgram(() => {}, { OPERATOR_TOKEN: 'x'.repeat(32) }).parseAsync(
      ['log', '--edge', started.triggersUrl],
      { from: 'user' },
    ),
  ).rejects.toThrow(/^the edge responded with 401: The operator token is missing or wrong/)
})

const imported = ({ id, webhook_url }: ListedTrigger) => ({
  id,
  webhook_url,
  warnings: [],
  imported: true,
})

it('serves a valid OpenAPI 3.1 description of the trigger service', async () => {
  const response = await fetch(`${started.triggersUrl}/openapi.json`)
  const description = (await response.json()) as { openapi: string }
  expect(description.openapi).toBe('3.1.0')
  expect(await new Validator().validate(description)).toEqual({ valid: true })
})
