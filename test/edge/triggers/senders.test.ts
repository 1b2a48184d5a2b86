import { describe, expect, it } from 'vitest'
import { isSecretHeader } from '../../../edge/triggers/secret-headers.ts'
import { selectHeaders } from '../../../edge/triggers/webhook-headers.ts'
import { createTrigger, fire, readRun, runOnce, seen, someOwner } from '../app.ts'
import { SENDERS } from './sender-headers.ts'

/** Headers of every request, from the sender's HTTP client, proxies and the platform. */
const ON_THE_WAY = {
  accept: '*/*',
  'accept-encoding': 'gzip',
  'content-length': '2',
  host: 'edge.test',
  connection: 'keep-alive',
  cookie: 'session=stolen',
  'x-api-key': 'stolen',
  'proxy-authorization': 'Basic stolen',
  'x-forwarded-for': '198.51.100.7',
  'x-forwarded-proto': 'https',
  'x-real-ip': '198.51.100.7',
  'cf-connecting-ip': '198.51.100.7',
  'cf-ipcountry': 'XX',
  'cf-visitor': '{"scheme":"https"}',
  'cdn-loop': 'cloudflare; loops=1',
  'true-client-ip': '198.51.100.7',
  via: '1.1 proxy',
  forwarded: 'for=198.51.100.7',
}

type Line = { mark: '-' | '!' | ''; name: string; value: string }

function linesOf(text: string): Line[] {
  return text
    .trim()
    .split('\n')
    .map((line) => {
      const [, mark, name, value] = /^\s*([-!]?) ?([a-z0-9-]+): (.+)$/.exec(line)!
      return { mark: mark as Line['mark'], name: name!, value: value! }
    })
}

const senders = Object.entries(SENDERS).map(([sender, text]) => ({ sender, lines: linesOf(text) }))
const valuesOf = (lines: Line[]) =>
  Object.fromEntries(lines.map(({ name, value }) => [name, value]))

it('covers at least sixty senders', () => {
  expect(senders.length).toBeGreaterThanOrEqual(60)
})

describe('the headers of a sender', () => {
  it.each(senders)(
    '$sender: only headers needed for verification reach the action',
    ({ lines }) => {
      const received = new Headers({ ...ON_THE_WAY, ...valuesOf(lines) })
      const wanted = lines.filter(({ mark }) => mark !== '-')
      expect({ ...selectHeaders(received).headers }).toEqual(valuesOf(wanted))
      expect(selectHeaders(received).truncated).toBe(false)
    },
  )

  it.each(senders)('$sender: only headers that contain a secret are masked', ({ lines }) => {
    const secret = lines.filter(({ mark }) => mark === '!').map(({ name }) => name)
    const masked = lines.filter(({ mark, name }) => mark !== '-' && isSecretHeader(name))
    expect(masked.map(({ name }) => name)).toEqual(secret)
  })
})

it('history leak: passes secret headers to the action, and masks them in runs and lists', async () => {
  const owner = await someOwner()
  const { id } = await createTrigger(owner)
  const withSecrets = senders.filter(({ lines }) => lines.some(({ mark }) => mark === '!'))
  expect(withSecrets.length).toBeGreaterThanOrEqual(7)
  for (const { lines } of withSecrets) {
    const sent = valuesOf(lines.filter(({ mark }) => mark !== '-'))
    const run = await fire(id, '{}', { headers: sent })
    await runOnce(owner, run)
    const [call] = await seen(run)
    expect((call!.params as { headers: object }).headers).toMatchObject(sent)
    const shown = (await readRun(owner, run)).input.headers as Record<string, string>
    for (const { name, mark, value } of lines)
      if (mark !== '-') expect(shown[name]).toBe(mark === '!' ? 'REDACTED' : value)
  }
  const list = await (await owner.api(`/api/triggers/${id}/runs`)).text()
  const secrets = withSecrets.flatMap(({ lines }) => lines.filter(({ mark }) => mark === '!'))
  expect(list.split('REDACTED')).toHaveLength(secrets.length + 1)
  expect(list).not.toMatch(/hunter2|b537207f20cbfa02357cf448134da559/)
})
