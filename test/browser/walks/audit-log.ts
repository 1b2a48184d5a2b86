import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { apiKeyHash } from '../../../shared/crypto/keccak.ts'
import { atConsole, clientWithKey, connect, openAccount, settled } from '../at-console.ts'
import { judge } from '../judged-page.ts'
import type { Visitor } from '../visitor.ts'
import type { Walks } from '../walks.ts'

const HOSTILE = `<img src=x onerror=alert(1)>\u202Elive`
const BOUNDS = { maxBytes: 80 * 1024, maxLoadedBytes: 400 * 1024 }
const WITH_VERIFIER = { ...BOUNDS, maxLoadedBytes: 2 * 1024 * 1024 }

export function auditLogWalks(walks: Walks): void {
  /** A local stack has no hardware. With `verify: 'once'`, the client accepts the simulated root of a loopback address. */
  const atVerifyingConsole = async (apiKey: string): Promise<Visitor> => {
    const visitor = await walks.visitor()
    await visitor.page.route('**/console', async (route) => {
      const answer = await route.fetch()
      const body = (await answer.text()).replace('data-verify="never"', 'data-verify="once"')
      await route.fulfill({ response: answer, body })
    })
    await visitor.open('/console#audit-log')
    await connect(visitor, apiKey)
    return visitor
  }
  const rows = ({ page }: Visitor) => page.locator('.rows > li')

  it('shows, filters, verifies and exports the audit log of an account', async () => {
    const { client, apiKey } = await openAccount(walks)
    const { usage_api_key: usageKey } = await client.addUsageApiKey({ name: 'worker' })
    await client.addGroup({ group_name: 'Signers' })
    await expect(clientWithKey(walks, usageKey).addGroup({ group_name: 'Mine' })).rejects.toThrow()

    const visitor = await atVerifyingConsole(apiKey)
    const { page } = visitor
    await page.getByRole('button', { name: 'Verify' }).waitFor()
    await settled(page)
    await judge(page, 'console-audit-log', WITH_VERIFIER)
    expect(await rows(visitor).count()).toBe(4)
    await page.getByLabel('Outcome').selectOption('refused')
    expect(await rows(visitor).count()).toBe(1)
    expect(await rows(visitor).innerText()).toContain(apiKeyHash(usageKey).slice(0, 18))
    await page.getByLabel('Outcome').selectOption('')
    await page.getByLabel('Operation').selectOption('add_group')
    expect(await rows(visitor).count()).toBe(2)
    await page.getByLabel('Operation').selectOption('new_account')
    await page.getByText('Show entry 1').click()
    await page.getByText('request_id').waitFor()
    await page.getByLabel('Operation').selectOption('')

    const exported = async (format: 'NDJSON' | 'CSV') => {
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: `Export as ${format}` }).click(),
      ])
      return readFileSync(await file.path(), 'utf8')
        .trim()
        .split(/\r?\n/)
    }
    const lines = await exported('NDJSON')
    expect(lines).toHaveLength(5)
    expect(await exported('CSV')).toHaveLength(5)

    const verify = page.getByRole('button', { name: 'Verify' })
    await page.getByLabel('Earlier head').fill(lines.at(-1)!)
    await verify.click()
    await page.getByText('Verified: 4 entries').waitFor()
    await settled(page)
    await judge(page, 'console-audit-log-verified', WITH_VERIFIER)
    await client.addGroup({ group_name: 'Later' })
    await verify.click()
    await page.getByText('Verified: 5 entries').waitFor()
  })

  it('REWRITTEN LOG: refuses a log whose entries were changed, or that lacks the entry of an earlier head', async () => {
    const { client, apiKey } = await openAccount(walks)
    const before = await client.auditLog.export()
    await client.addGroup({ group_name: 'Signers' })
    const { statement } = await client.auditLog.export()
    const visitor = await atVerifyingConsole(apiKey)
    const { page } = visitor
    const verify = page.getByRole('button', { name: 'Verify' })
    const refusal = page.getByRole('alert').filter({ hasText: 'Not verified.' })

    await page.route('**/core/v1/audit_log?*', async (route) => {
      const answer = await route.fetch()
      const body = await answer.json()
      for (const entry of body.entries)
        if (entry.operation === 'add_group') entry.operation = 'remove_group'
      await route.fulfill({ response: answer, json: body })
    })
    await verify.click()
    await refusal.filter({ hasText: 'does not match its hash' }).waitFor()
    await page.unroute('**/core/v1/audit_log?*')

    const head = { sequence: 1, sha256: before.entries[0]!.sha256, statement: before.statement }
    await page.route('**/core/v1/audit_log?*', (route) =>
      route.fulfill({ json: { entries: before.entries, head } }),
    )
    await page.getByLabel('Earlier head').fill(statement)
    await verify.click()
    await refusal.filter({ hasText: 'missing, but a head names it' }).waitFor()
    await settled(page)
    await judge(page, 'console-audit-log-refused', WITH_VERIFIER)
  })

  it('XSS: shows names in the details of an entry as text', async () => {
    const { client, apiKey } = await openAccount(walks)
    await client.addGroup({ group_name: HOSTILE })
    const { page } = await atConsole(walks, apiKey, 'audit-log')
    await page.getByText('Show entry 2').click()
    const details = page.locator('.rows pre')
    await details.waitFor()
    expect(await details.innerText()).toContain('<img src=x onerror=alert(1)>‹U+202E›live')
    expect(await page.locator('main img').count()).toBe(0)
    await settled(page)
    await judge(page, 'console-audit-log-entry', BOUNDS)
  })

  it('tells the user of a usage key that only the owner reads the audit log', async () => {
    const { client } = await openAccount(walks)
    const { usage_api_key: usageKey } = await client.addUsageApiKey({ name: 'worker' })
    const { page } = await atConsole(walks, usageKey, 'audit-log')
    await page.getByText('A usage key cannot read the audit log').waitFor()
    expect(await page.getByRole('button', { name: 'Verify' }).count()).toBe(0)
  })
}
