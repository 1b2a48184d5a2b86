import { expect, it } from 'vitest'
import { judge } from '../judged-page.ts'
import type { Walks } from '../walks.ts'

export function failureWalks(walks: Walks): void {
  it('shows a page with a way back for a mistyped path', async () => {
    const visitor = await walks.visitor()
    await visitor.open('/agent/tokns')
    expect(await visitor.heading()).toBe('Page not found')
    await judge(visitor.page, 'not-found')
    await visitor.onward(() => visitor.page.getByRole('link', { name: 'home page' }).click())
    expect(visitor.page.url()).toBe(`${walks.triggersUrl}/`)
  })

  it('skips the header with the skip link', async () => {
    const visitor = await walks.signedIn()
    const { page } = visitor
    await visitor.open('/')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    expect(await page.locator('main :focus').count()).toBe(1)
  })

  it('keeps page sections distinguishable with forced colors', async () => {
    const visitor = await walks.signedIn()
    await visitor.page.emulateMedia({ forcedColors: 'active' })
    await visitor.open('/agent/tokens')
    expect(await visitor.heading()).toBe('Access tokens')
    await judge(visitor.page, 'tokens-forced-colors')
  })
}
