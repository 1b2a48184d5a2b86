import { expect, it } from 'vitest'
import { withOpenerPolicy } from '../../../edge/http/opener-policy.ts'
import { createTrigger, edge, someOwner } from '../app.ts'

const POLICY = 'cross-origin-opener-policy'

it('cross-window access: every response has Cross-Origin-Opener-Policy same-origin', async () => {
  const owner = await someOwner()
  const { id } = await createTrigger(owner)
  const answers = await Promise.all([
    ...[
      '/scripts/pay.js',
      '/scripts/editor.js',
      '/openapi.json',
      '/SKILL.md',
      '/llms.txt',
      '/docs/start.md',
      '/docs/start',
      '/health',
      '/metrics',
      '/api/me',
      '/nothing',
      '/triggers/x/runs.json',
      '/triggers/x/tail.json',
      '/runs/x/state.json',
      '/core/v1/nothing',
      '/dev/mailbox',
      '/sign-in?next=/account',
      `/webhook/${id}`,
      `/webhook/${id}?hub.mode=subscribe&hub.challenge=1`,
      '/webhook/x',
    ].map((path) => edge(path, { redirect: 'manual' })),
    edge(`/webhook/${id}`, { method: 'POST', body: '{}' }),
    edge('/webhook/x', { method: 'POST', body: '{}' }),
    edge('/api/me', { method: 'OPTIONS' }),
    owner.api('/api/me'),
  ])
  for (const { url, status, headers } of answers)
    expect([url, status, headers.get(POLICY)]).toEqual([url, status, 'same-origin'])
})

it('overrides a looser policy from the origin, except on the payment page', () => {
  const loose = new Response('{}', { headers: { [POLICY]: 'unsafe-none' } })
  expect(withOpenerPolicy(loose).headers.get(POLICY)).toBe('same-origin')
  const pay = new Response('', { headers: { [POLICY]: 'noopener-allow-popups' } })
  expect(withOpenerPolicy(pay)).toBe(pay)
  expect(withOpenerPolicy(new Response(null, { status: 304 })).status).toBe(304)
})
