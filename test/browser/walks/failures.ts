import { expect, it } from 'vitest'
import { judge } from '../judged-page.ts'
import type { Walks } from '../walks.ts'

export function failureWalks(walks: Walks): void {
  it('a person who mistypes a path gets a page that leads on', async () => {
    const visitor = await walks.visitor()
    await visitor.open('/agent/tokns')
    expect(await visitor.heading()).toBe('There is nothing here')
    await judge(visitor.page, 'not-found')
    await visitor.onward(() => visitor.page.getByRole('link', { name: 'first page' }).click())
    expect(visitor.page.url()).toBe(`${walks.triggersUrl}/`)
  })

  it('the skip link leads past the header', async () => {
    const visitor = await walks.signedIn()
    const { page } = visitor
    await visitor.open('/')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    expect(await page.locator('main :focus').count()).toBe(1)
  })

  it('the pages keep their parts apart where the reader chose the colours', async () => {
    const visitor = await walks.signedIn()
    await visitor.page.emulateMedia({ forcedColors: 'active' })
    await visitor.open('/agent/tokens')
    expect(await visitor.heading()).toBe('Programs that may act for you')
    await judge(visitor.page, 'tokens-forced-colors')
  })
}
