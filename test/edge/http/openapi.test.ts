import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createApp } from '../../../edge/app.ts'
import { openApiDocument } from '../../../edge/http/openapi/document.ts'
import { apiOperations } from '../../../edge/http/api-operations.ts'
import { createTrigger, edge, fire, type Owner, post, runOnce, someOwner, webhook } from '../app.ts'

const owner: Owner = await someOwner()
const description = openApiDocument('https://edge.test') as any
const described = Object.entries<any>(description.paths).flatMap(([path, methods]) =>
  Object.entries<any>(methods).map(([method, what]) => ({ method, path, what })),
)

describe('the OpenAPI document of the trigger service', () => {
  it('is public and allows any origin', async () => {
    const response = await edge('/openapi.json')
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([
      200,
      '*',
    ])
    expect(await response.json()).toEqual(description)
  })

  it('lists exactly the served routes', () => {
    const served = createApp()
      .routes.filter(({ method }) => method !== 'ALL')
      .map(({ method, path }) => `${method.toLowerCase()} ${path.replace(/:(\w+)/g, '{$1}')}`)
    // This route is handled before the router.
    served.push('post /webhook/{id}')
    const names = described.map(({ method, path }) => `${method} ${path}`)
    expect(names.toSorted()).toEqual([...new Set(served)].toSorted())
  })

  it('omits only the routes of the origin and the 405 route of webhooks', () => {
    const ofAnyMethod = createApp()
      .routes.filter(({ method, path }) => method === 'ALL' && !path.startsWith('/api/'))
      .map(({ path }) => path)
    const core =
      /^\/(core\/v1\/\*|get_node_chain_config|attestation(\/bundle)?|info|evidences(\/\*)?)$/
    const others = ofAnyMethod.filter((path) => !core.test(path))
    expect([...new Set(others)].toSorted()).toEqual([
      '/*',
      '/console/accounts/:id/core/v1/*',
      '/sealed/execute',
      '/webhook/:id',
    ])
    expect(description.externalDocs.url).toBe('https://edge.test/core/v1/openapi.json')
  })

  it('has unique operation IDs', () => {
    const ids = described.map(({ what }) => what.operationId)
    expect(ids.every((id) => /^[a-z0-9_]+$/.test(id))).toBe(true)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('describes each parameter of each path', () => {
    for (const { path, what } of described) {
      const parameters = (what.parameters ?? []).filter((each: any) => each.in === 'path')
      expect([path, parameters]).toEqual([
        path,
        [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => ({
          name: parameter,
          in: 'path',
          required: true,
          description: expect.stringMatching(/\.$/),
          schema: { type: 'string' },
        })),
      ])
    }
  })

  it('has no dangling references', () => {
    const references = JSON.stringify(description).matchAll(/"\$ref":"#\/([^"]+)"/g)
    const lost = [...references].filter(([, path]) => {
      let found: any = description
      for (const part of path!.split('/')) found = found?.[part]
      return found === undefined
    })
    expect(lost).toEqual([])
  })

  it('requires a token for /api only', () => {
    for (const { path, what } of described)
      expect([path, what.security]).toEqual([
        path,
        path.startsWith('/api/') ? [{ Bearer: expect.any(Array) }] : [],
      ])
  })

  it('rejects unknown fields in request bodies', () => {
    for (const { path, what } of described.filter((each) => each.path.startsWith('/api/'))) {
      const schema = what.requestBody?.content['application/json'].schema
      if (schema) expect([path, schema.additionalProperties]).toEqual([path, false])
    }
  })

  it('describes the Idempotency-Key of the operations that accept it', () => {
    const accepting = described.filter(({ what }) =>
      what.parameters?.some(({ name }: { name: string }) => name === 'Idempotency-Key'),
    )
    expect(accepting.map(({ method, path }) => `${method} ${path}`)).toEqual(['post /api/replays'])
  })

  it('marks required fields and defaults', () => {
    const schema = (id: string) =>
      described.find(({ what }) => what.operationId === id)!.what.requestBody.content[
        'application/json'
      ].schema
    expect(schema('create_trigger').required.toSorted()).toEqual(['action_code', 'kind', 'name'])
    expect(schema('create_trigger').anyOf).toEqual([
      { required: ['usage_api_key'] },
      { required: ['usage_key_of'] },
    ])
    expect(schema('create_trigger').properties.max_runs_per_minute).toMatchObject({
      default: 60,
      minimum: 1,
      maximum: 6_000,
    })
    expect(schema('patch_trigger').required).toBeUndefined()
  })

  it('contains no usage key in any response', () => {
    for (const { what } of described)
      expect(JSON.stringify(what.responses)).not.toContain('usage_api_key')
  })
})

const structured = z.strictObject({
  error: z.string(),
  reason: z.string().optional(),
  message: z.string().min(1),
  fix: z.string().min(1),
  docs_url: z.string(),
})

/** Returns the fields of a response that are not in its schema. */
function unknownFields(schema: z.ZodType, value: unknown): string[] {
  if (schema instanceof z.ZodArray && Array.isArray(value))
    return value.flatMap((item) => unknownFields(schema.element as z.ZodType, item))
  if (!(schema instanceof z.ZodObject) || typeof value !== 'object' || value === null) return []
  const { shape } = schema as z.ZodObject<Record<string, z.ZodType>>
  return Object.entries(value).flatMap(([name, field]) =>
    name in shape ? unknownFields(shape[name]!, field) : [name],
  )
}

/** Sends a request and checks the response against the description of its operation. */
async function held(id: string, path: string, init?: RequestInit, from: typeof edge = owner.api) {
  const operation = apiOperations.find((each) => each.id === id)!
  const { what } = described.find((each) => each.what.operationId === id)!
  const response = await from(path, { ...init, method: operation.method.toUpperCase() })
  const { status } = response
  const said = what.responses[status]
  expect(said, `${id} answered ${status}`).toBeDefined()
  const { $ref } = said
  const { headers } = $ref ? description.components.responses[$ref.split('/').at(-1)] : said
  const optional = ['link', 'x-svc-error']
  for (const name of Object.keys(headers))
    if (!optional.includes(name))
      expect(response.headers.has(name), `${id}, ${status}: ${name}`).toBe(true)
  if (status === 204) return undefined
  const body: any = await response.json()
  if (status >= 400) expect(response.headers.get('x-svc-error') ?? undefined).toBe(body.reason)
  const schema = status < 400 ? operation.success.schema! : structured
  expect(schema.safeParse(body).error).toBeUndefined()
  expect(unknownFields(schema, body)).toEqual([])
  return { status, body }
}
const json = (body: unknown) => post('', body).init

describe('responses match the document', () => {
  it('over the lifetime of a trigger', async () => {
    await held('me', '/api/me')
    const fields = webhook({ usage_api_key: 'unknown-1', default_params: { a: [1] } })
    const created = await held('create_trigger', '/api/triggers', json(fields))
    expect(created!.status).toBe(201)
    const { id } = created!.body
    const at = `/api/triggers/${id}`
    await held('get_trigger', at)
    await held('patch_trigger', at, json({ options: { dedup: true }, usage_api_key: 'unknown-1' }))
    await held('list_triggers', '/api/triggers?limit=1')
    const run = await runOnce(owner, await fire(id))
    await held('get_run', `/api/runs/${run.id}`)
    await held('list_runs', `${at}/runs`)
    expect((await held('test_trigger', `${at}/test`, json({ params: {} })))!.status).toBe(202)
    expect((await held('replay_run', `/api/runs/${run.id}/replay`))!.status).toBe(202)
    expect((await held('cancel_run', `/api/runs/${run.id}/cancel`))!.status).toBe(409)
    expect((await held('purge_trigger', `${at}/purge`))!.status).toBe(200)
    await held('delete_trigger', at)
    expect((await held('get_trigger', at))!.status).toBe(404)
  })

  it('for a schedule and its preview', async () => {
    const config = { cron: '0 * * * *' }
    const { id } = await createTrigger(owner, { kind: 'schedule', config })
    await held('get_trigger', `/api/triggers/${id}`)
    await held('list_triggers', '/api/triggers?kind=schedule')
    const preview = json({ kind: 'schedule', config })
    expect((await held('preview_trigger', '/api/triggers/preview', preview))!.status).toBe(200)
  })

  it('for the list of chains', async () => {
    expect((await held('list_chains', '/api/chains'))!.body.chains).toHaveLength(4)
  })

  it('for errors', async () => {
    const { id } = await createTrigger(owner)
    const at = `/api/triggers/${id}`
    const create = (init: RequestInit) => held('create_trigger', '/api/triggers', init)
    const statuses = [
      (await create({ ...json({}), body: '{' }))!.status,
      (await create({ ...json({}), headers: { 'content-type': 'text/css' } }))!.status,
      (await create(json({})))!.status,
      (await create({ ...json({}), body: ' '.repeat(8 * 1024 * 1024 + 1) }))!.status,
      (await held('list_triggers', '/api/triggers?limit=x'))!.status,
      (await held('list_runs', `${at}/runs?limit=x`))!.status,
      (await held('get_trigger', at, {}, edge))!.status,
      (await held('get_trigger', '/api/triggers/x'))!.status,
    ]
    expect(statuses).toEqual([400, 415, 422, 413, 422, 422, 401, 404])
  })
})
