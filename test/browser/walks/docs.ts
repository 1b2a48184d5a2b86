import { expect, it } from 'vitest'
import { evaluate } from '../evaluate.ts'
import { judge } from '../judged-page.ts'
import type { Walks } from '../walks.ts'

// A document is served in one piece, so only the limit with all loaded resources applies.
const DOCUMENT = { maxBytes: 100 * 1024 }

export function docsWalks(walks: Walks): void {
  it('opens the documentation from any page and follows its links', async () => {
    const visitor = await walks.visitor()
    const { page } = visitor
    await visitor.open('/')
    await visitor.onward(() =>
      page.getByRole('navigation').getByRole('link', { name: 'Docs' }).click(),
    )
    expect(await visitor.heading()).toBe('Documentation')
    await judge(page, 'docs', DOCUMENT)
    await visitor.onward(() => page.getByRole('link', { name: 'Security', exact: true }).click())
    expect(await visitor.heading()).toBe('Security')
    await judge(page, 'docs-long', DOCUMENT)
    await page.getByText('On this page', { exact: true }).click()
    const contents = page.getByRole('navigation', { name: 'On this page' })
    await contents.getByRole('link').last().click()
    expect(await page.locator('h2:target').innerText()).toBe(
      await contents.getByRole('link').last().innerText(),
    )
    await visitor.onward(() => page.getByRole('link', { name: 'deploy.md' }).first().click())
    expect(await visitor.heading()).toBe('Deployment')
  })

  it.each([
    ['/docs/errors#spend_cap_reached', 'Errors', 'docs-errors'],
    ['/docs/api', 'The trigger API', 'docs-api'],
    ['/docs/api/triggers', 'Triggers: trigger API', 'docs-api-triggers'],
  ])('shows %s on every screen size', async (path, heading, name) => {
    const visitor = await walks.visitor()
    await visitor.open(path)
    expect(await visitor.heading()).toBe(heading)
    await judge(visitor.page, name, DOCUMENT)
  })

  it('copies a code sample with its button', async () => {
    const visitor = await walks.visitor()
    const { context, page } = visitor
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await visitor.open('/docs/start')
    const sample = page.locator('.sample', { hasText: 'npm ci' }).first()
    await sample.getByRole('button', { name: 'Copy' }).click()
    await sample.getByRole('button', { name: 'Copied' }).waitFor()
    const copied = await evaluate(page, 'navigator.clipboard.readText()')
    expect(copied).toBe(await sample.locator('code').textContent())
  })

  it('searches the documentation while the user types, and opens the first result', async () => {
    const visitor = await walks.visitor()
    const { page } = visitor
    await visitor.open('/docs/credits')
    const search = page.getByRole('search')
    await search.getByRole('searchbox').fill('spend cap')
    await search.getByRole('link', { name: /^Spending caps/ }).waitFor()
    expect(await search.getByRole('status').innerText()).toMatch(/^\d+ results$/)
    await judge(page, 'docs-search', { ...DOCUMENT, maxLoadedBytes: 400 * 1024 })
    await search.getByRole('searchbox').fill('no-such-word-anywhere')
    await search.getByRole('status').filter({ hasText: 'No results' }).waitFor()
    await search.getByRole('searchbox').fill('rotate_account_api_key')
    await search
      .getByRole('link', { name: /rotate_account_api_key/ })
      .first()
      .waitFor()
    await visitor.onward(() => page.keyboard.press('Enter'))
    expect(page.url()).toContain('rotate_account_api_key')
  })

  it('opens the list of documents on a phone, without a script too', async () => {
    const visitor = await walks.visitor({
      javaScriptEnabled: false,
      viewport: { width: 360, height: 740 },
    })
    const { page } = visitor
    await visitor.open('/docs/credits')
    const documents = page.getByRole('navigation', { name: 'Documents' })
    expect(await documents.isVisible()).toBe(false)
    await page.getByRole('button', { name: 'All pages' }).click()
    expect(
      await documents.getByRole('link', { name: 'Credits' }).getAttribute('aria-current'),
    ).toBe('page')
    await visitor.onward(() => documents.getByRole('link', { name: 'Reference' }).click())
    expect(await visitor.heading()).toBe('Documentation')
    expect(await page.locator('h2:target').innerText()).toBe('Reference')
    await page.getByRole('button', { name: 'Menu' }).click()
    await visitor.onward(() =>
      page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Verify' }).click(),
    )
  })

  it('shows a whole document without JavaScript', async () => {
    const visitor = await walks.visitor({ javaScriptEnabled: false })
    const { page } = visitor
    await visitor.open('/docs/security')
    expect(await visitor.heading()).toBe('Security')
    expect(await page.getByRole('button', { name: 'Copy' }).count()).toBe(0)
    expect(await page.getByRole('search').isVisible()).toBe(false)
    await page.getByText('On this page', { exact: true }).click()
    expect(await page.getByRole('navigation', { name: 'On this page' }).isVisible()).toBe(true)
  })
}
