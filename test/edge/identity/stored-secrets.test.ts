import { expect, it } from 'vitest'
import { decide, newAgent, csrfOf } from './agent.ts'
import { openBrowser, requestLink, someone, terminal } from './browser.ts'
import { database, identityApp } from './harness.ts'

const TABLES = [
  'users',
  'magic_links',
  'sessions',
  'agent_tokens',
  'agent_requests',
  'oauth_grants',
  'passkeys',
  'passkey_challenges',
  'triggers',
  'operator_actions',
  'linked_accounts',
  'account_shares',
  'action_versions',
  'actions',
]

async function rowsOf(tables: string[]): Promise<string> {
  const dumps = tables.map((table) => database.prepare(`SELECT * FROM ${table}`).all())
  return JSON.stringify((await Promise.all(dumps)).map(({ results }) => results))
}

it('stolen database: no row contains the secret of a link, session, form or agent', async () => {
  const edge = identityApp()
  const [browser, agent] = [openBrowser(edge), await newAgent()]
  const link = await requestLink(browser, someone())
  await browser.post('/sign-in/link', { secret: link })
  const session = browser.jar.cookie.split('=')[1]!
  const csrf = await csrfOf(browser, agent.challenge)
  await decide(browser, agent.challenge)
  await edge.app.request('/api/me', { headers: { authorization: `Bearer ${agent.token}` } })

  const rows = await rowsOf(TABLES)
  expect(rows).toContain(agent.challenge)
  for (const secret of [link, session, csrf, agent.token]) expect(rows).not.toContain(secret)

  // The local mailbox holds the link by design. Production never writes to it.
  const mailbox = await rowsOf(['local_mailbox'])
  const printed = JSON.stringify(terminal.mock.calls)
  for (const secret of [session, csrf, agent.token]) {
    expect(mailbox).not.toContain(secret)
    expect(printed).not.toContain(secret)
  }
})

it('the list of tables is complete', async () => {
  const { results } = await database
    .prepare(`SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '*_cf_*'`)
    .all<{ name: string }>()
  const ours = results.map(({ name }) => name).filter((name) => !/^(sqlite_|d1_)/.test(name))
  expect(ours.toSorted()).toEqual([...TABLES, 'local_mailbox'].toSorted())
})
