import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { judge } from '../judged-page.ts'
import type { Walks } from '../walks.ts'

const ECHO = 'async function main(params) {\n  return params\n}'
const WITH_VERIFIER = { maxLoadedBytes: 2 * 1024 * 1024 }

export function triggerChangeWalks(walks: Walks): void {
  it('shows, verifies and exports the changes of triggers, and refuses a rewritten log', async () => {
    const visitor = await walks.signedIn('changes@example.com')
    const { page } = visitor
    await visitor.open('/triggers/new?kind=webhook')
    await page.getByLabel('Name').fill('watched')
    await page.getByLabel('Action source').fill(ECHO)
    await page.getByLabel('Usage key').fill('a-usage-key-of-nobody')
    await visitor.press('Create trigger')
    await visitor.open('/triggers')
    await visitor.press('Pause watched')
    const rows = page.locator('.changes > li')
    await expect
      .poll(async () => {
        await visitor.open('/audit-log')
        return rows.count()
      })
      .toBe(2)
    await page.getByText('Entry 2').click()
    await page.getByText('true → false').waitFor()
    await judge(page, 'trigger-changes', WITH_VERIFIER)

    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export as NDJSON' }).click(),
    ])
    const lines = readFileSync(await file.path(), 'utf8')
      .trim()
      .split('\n')
    expect(lines).toHaveLength(3)
    await page.getByLabel('Earlier head').fill(lines.at(-1)!)
    const verify = page.getByRole('button', { name: 'Verify' })
    await verify.click()
    await page.getByText('Verified: 2 entries form an unbroken chain, which contains').waitFor()
    await judge(page, 'trigger-changes-verified', WITH_VERIFIER)

    await page.route('**/audit-log/entries?*', async (route) => {
      const answer = await route.fetch()
      const body = await answer.json()
      body.entries[1].operation = 'delete_trigger'
      await route.fulfill({ response: answer, json: body })
    })
    await verify.click()
    await page.getByText(/Not verified: .*entry 1: does not match its hash/).waitFor()
    await page.unroute('**/audit-log/entries?*')
    await page.getByLabel('Earlier head').fill('{"head": 1}')
    await verify.click()
    await page.getByText('Not verified: the earlier head is not the last line').waitFor()
    await judge(page, 'trigger-changes-refused', WITH_VERIFIER)
  })
}
