import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operationExamples } from '../../../origin/http/openapi/examples.ts'
import { operations } from '../../../origin/http/operations.ts'
import { startOrigin, type TestOrigin } from './origin.ts'

type Described = { responses: Record<string, any>; [field: string]: any }
let origin: TestOrigin
let description: { paths: Record<string, Record<string, Described>>; [field: string]: any }
beforeAll(async () => {
  origin = await startOrigin()
  description = (await origin.call('/core/v1/openapi.json')).body
})
afterAll(() => origin.close())

const described = () =>
  Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, what]) => ({ name: `${method} ${path}`, what })),
  )
const at = (method: string, path: string) => description.paths[path]![method]!

describe('the API description', () => {
  it('is valid OpenAPI 3.1', async () => {
    expect(description.openapi).toBe('3.1.0')
    expect(await new Validator().validate(description)).toEqual({ valid: true })
  })

  it('has every route that is served, and no others', () => {
    const served = origin.app.routes
      .filter(({ method }) => method !== 'ALL')
      .map(({ method, path }) => `${method.toLowerCase()} ${path.replace(/:(\w+)/g, '{$1}')}`)
    const names = described().map(({ name }) => name)
    expect(names.toSorted()).toEqual([...new Set(served)].toSorted())
  })

  it('gives each operation a unique name', () => {
    const ids = described().map(({ what }) => what.operationId)
    expect(ids.every((id) => /^[a-z0-9_]+$/.test(id))).toBe(true)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('describes each parameter of each path', () => {
    for (const { name, what } of described()) {
      const parameters = (what.parameters ?? []).filter((each: any) => each.in === 'path')
      expect([name, parameters]).toEqual([
        name,
        [...name.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => ({
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
    const lost = [...references].flatMap(([, path]) => {
      let found: any = description
      for (const part of path!.split('/')) found = found?.[part]
      return found === undefined ? [path] : []
    })
    expect(lost).toEqual([])
  })

  it('states which operations need a key', () => {
    const noKey = operations.filter(({ auth }) => auth === 'none' || auth === 'wallet_signature')
    const forWallets =
      /\/(audit_log|balance|usage|create_payment_intent|confirm_payment|get_account|list_api_keys|update_usage_api_key|get_wallet_policy|get_wallet_statement|simulate_signature|\w*transaction|transactions|get_transaction_balances|[gs]et_transaction_defaults)$/
    for (const { method, path } of operations) {
      const { security } = at(method.toLowerCase(), path)
      const wallet = forWallets.test(path) ? [{ WalletAuth: [] }] : []
      const needed = noKey.some((operation) => operation.path === path)
        ? []
        : [{ ApiKey: [] }, { Bearer: [] }, ...wallet]
      expect([path, security]).toEqual([path, needed])
    }
    expect(description.components.securitySchemes.WalletAuth).toMatchObject({
      type: 'apiKey',
      in: 'header',
      name: 'X-Wallet-Auth',
    })
    expect(description.components.securitySchemes.ApiKey).toEqual({
      type: 'apiKey',
      in: 'header',
      name: 'X-Api-Key',
    })
  })

  it('lists the statuses that follow from the kind of operation', () => {
    const statuses = (method: string, path: string) =>
      Object.keys(at(method, `/core/v1/${path}`).responses).map(Number)
    expect(statuses('post', 'add_group')).toEqual(
      expect.arrayContaining([200, 400, 401, 402, 403, 409, 413, 415, 422, 429, 500, 503]),
    )
    expect(statuses('post', 'new_account')).not.toContain(401)
    expect(statuses('get', 'list_groups')).toEqual([200, 400, 401, 403, 429, 500, 503])
    expect(statuses('post', 'svc_action')).toContain(402)
  })

  it('states what a wallet signs if its signature is the credential', () => {
    for (const [name, ...purposes] of [
      ['create_wallet_with_signature', 'CreateWallet', 'CreatePolicyWallet'],
      ['set_wallet_policy_with_signature', 'SetWalletPolicy'],
      ['add_usage_api_key_with_signature', 'AddUsageApiKey'],
    ]) {
      const { requestBody, responses } = at('post', `/core/v1/${name}`)
      const { properties, required } = requestBody.content['application/json'].schema
      const { typed_data } = properties
      const primaryTypes = (typed_data.oneOf ?? [typed_data]).map(
        (one: any) => one.properties.primaryType.const,
      )
      expect(primaryTypes).toEqual(purposes)
      expect(required).toEqual(expect.arrayContaining(['typed_data', 'signature']))
      expect(Object.keys(responses)).not.toContain('402')
    }
  })

  it('describes both shapes of an error if both can occur, and Retry-After for 429 and 503', () => {
    const { responses, headers } = description.components
    const shapes = (name: string) => responses[name].content['application/json'].schema
    for (const name of ['bad_request', 'not_found', 'conflict', 'internal_error'])
      expect(shapes(name).oneOf).toHaveLength(2)
    for (const name of ['unauthorized', 'payment_required', 'forbidden'])
      expect(shapes(name).$ref).toBe('#/components/schemas/Error')
    for (const name of ['too_many_requests', 'service_unavailable'])
      expect(Object.keys(responses[name].headers)).toContain('retry-after')
    for (const { headers: named } of Object.values<any>(responses))
      expect(Object.keys(named)).toContain('x-svc-error')
    expect(Object.keys(headers)).toContain('x-total-count')
  })

  it('states what the wildcard of execute_in_groups includes, for every field of that name', () => {
    const schema = (media: any) => media.content['application/json'].schema
    const ofRequest = (name: string) =>
      schema(at('post', `/core/v1/${name}`).requestBody).properties.execute_in_groups
    const listed = schema(at('get', '/core/v1/list_api_keys').responses[200])
    for (const field of [
      ofRequest('add_usage_api_key'),
      ofRequest('add_usage_api_key_with_signature'),
      ofRequest('update_usage_api_key'),
      listed.items.properties.execute_in_groups,
    ])
      expect(field.description).toContain('[0] stands for every group of the account')
  })

  it('offers Idempotency-Key for each POST with a key', () => {
    for (const { method, path, auth } of operations) {
      const names = at(method.toLowerCase(), path).parameters.map(({ name }: any) => name)
      expect([path, names.includes('Idempotency-Key')]).toEqual([
        path,
        method === 'POST' && auth !== 'none',
      ])
    }
  })

  it('lists the parameters of a read, and which of them are required', () => {
    const { parameters } = at('get', '/core/v1/list_wallets_in_group')
    const needed = parameters.map(({ name, required }: any) => [name, required])
    expect(needed).toEqual(
      expect.arrayContaining([
        ['group_id', true],
        ['page_number', false],
        ['page_size', false],
      ]),
    )
  })

  it.each(operations.map((operation) => ({ path: operation.path, operation })))(
    'has examples for $path that fit its schemas',
    ({ path, operation }) => {
      const example = operationExamples[path] ?? {}
      expect(operation.responseSchema.safeParse(example.answer).error).toBeUndefined()
      if (operation.body)
        expect(operation.body.schema.safeParse(example.request).error).toBeUndefined()
    },
  )
})

describe('/core/v1/swagger-ui', () => {
  const page = (accept?: string) =>
    origin.app.request('/core/v1/swagger-ui', accept === undefined ? {} : { headers: { accept } })
  const file = (name: string, headers: Record<string, string> = {}) =>
    origin.app.request(`/core/v1/swagger-ui/${name}`, { headers })

  it('returns the description to a program, and a page to a browser', async () => {
    for (const accept of [undefined, '*/*', 'application/json'])
      expect(await (await page(accept)).json()).toEqual(description)
    const html = await page('text/html,application/xhtml+xml,*/*;q=0.8')
    expect(html.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(html.headers.get('vary')).toContain('accept')
  })

  it('allows only same-origin scripts and styles, and no inline ones', async () => {
    const answer = await page('text/html')
    const policy = answer.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('unsafe')
    const html = await answer.text()
    expect(html).not.toMatch(/https?:\/\//)
    expect(html).not.toMatch(/<script>|<style|style=|\son\w+=/)
  })

  it('serves the files that the page uses, and lets them be cached', async () => {
    const html = await (await page('text/html')).text()
    const names = [...html.matchAll(/swagger-ui\/([\w.-]+)"/g)].map(([, name]) => name!)
    expect(names).toHaveLength(4)
    for (const name of names) {
      const answer = await file(name)
      expect([name, answer.status]).toEqual([name, 200])
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
      expect(answer.headers.get('cache-control')).toBe('public, max-age=86400')
      const again = await file(name, { 'if-none-match': answer.headers.get('etag')! })
      expect([again.status, await again.text()]).toEqual([304, ''])
    }
  })

  it.each([
    'index.html',
    'package.json',
    'swagger-ui-bundle.js.map',
    '..%2fpackage.json',
    '..%2f..%2f..%2fpackage.json',
    '%2e%2e%2f%2e%2e%2fetc%2fpasswd',
    '__proto__',
    'constructor',
    '',
  ])('path traversal: serves no other file: %s', async (name) => {
    expect((await file(name)).status).toBe(404)
  })
})
