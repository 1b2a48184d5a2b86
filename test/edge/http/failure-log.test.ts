import { afterEach, expect, it, vi } from 'vitest'
import { env, someOwner } from '../app.ts'
import { edgeWith } from './front-harness.ts'

afterEach(() => vi.restoreAllMocks())

it('log leak: a failing database puts no address and no token hash into the log', async () => {
  const lines: string[] = []
  vi.spyOn(console, 'error').mockImplementation((line: string) => void lines.push(line))
  const owner = await someOwner()
  const challenge = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(owner.token))
  const hash = Buffer.from(challenge).toString('base64url')
  // Makes only the statements on one table fail.
  const without = (table: string) => {
    const prepare = (query: string) => env.DB.prepare(query.replaceAll(table, 'away'))
    return edgeWith({ DB: { prepare } as unknown as D1Database })
  }
  const form = { origin: 'https://edge.test', 'content-type': 'application/x-www-form-urlencoded' }
  const answers = [
    await without('agent_tokens')('/api/me', {
      headers: { authorization: `Bearer ${owner.token}` },
    }),
    await without('insert into "magic_links"')('/sign-in', {
      method: 'POST',
      body: 'email=somebody%40example.test',
      headers: form,
    }),
  ]
  expect(answers.map(({ status }) => status)).toEqual([500, 500])
  expect(lines.map((line) => JSON.parse(line).event)).toEqual(['request.failed', 'request.failed'])
  expect(lines.join()).not.toMatch(/somebody|params/)
  expect(lines.join()).not.toContain(hash)
})

it('returns 503 with Retry-After if the database is overloaded', async () => {
  const owner = await someOwner()
  const prepare = () => {
    throw new Error('D1_ERROR: D1 DB is overloaded. Requests queued for too long.')
  }
  const edge = edgeWith({ DB: { prepare } as unknown as D1Database })
  const answer = await edge('/api/me', { headers: { authorization: `Bearer ${owner.token}` } })
  expect(answer.status).toBe(503)
  expect(answer.headers.get('retry-after')).toBe('5')
})
