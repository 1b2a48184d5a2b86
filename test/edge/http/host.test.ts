import { expect, it } from 'vitest'
import { rejectInvalidHost } from '../../../edge/http/host.ts'
import { env } from '../app.ts'

const answerTo = (host: string) =>
  rejectInvalidHost(new Request('https://edge.test/nothing', { headers: { host } }), env)

it.each(['x/health?', 'x/health#', 'x?', 'x#', 'a@b', 'a b', 'a, b', 'h%61st', ''])(
  'path confusion: rejects the Host %j with 400 without echoing it',
  async (host) => {
    const answer = answerTo(host)!
    expect(answer.status).toBe(400)
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    const body = await answer.json<Record<string, string>>()
    expect(body).toMatchObject({
      error: 'bad_request',
      message: 'The Host header is not a valid host.',
    })
    expect(Object.keys(body).toSorted()).toEqual(['docs_url', 'error', 'fix', 'message'])
  },
)

it.each(['edge.test', 'EDGE.test:8787', '127.0.0.1', '[::1]:8787', 'under_score.test'])(
  'accepts the Host %s',
  (host) => {
    expect(answerTo(host)).toBeUndefined()
  },
)
