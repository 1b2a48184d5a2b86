import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { evaluate } from '../evaluate.ts'
import { judge } from '../judged-page.ts'
import { newProgram } from '../program.ts'
import type { Walks } from '../walks.ts'

/** Describes the focused element. */
const FOCUSED =
  '(({ tagName, type, name, innerText }) => [tagName, name || type, innerText].filter(Boolean).join(" ").toLowerCase())(document.activeElement)'

/** Presses Tab until the end of the page. @returns the elements that had the focus */
async function focusOrder(page: Page): Promise<string[]> {
  const order: string[] = []
  for (;;) {
    await page.keyboard.press('Tab')
    const focused = String(await evaluate(page, FOCUSED))
    if (focused.startsWith('body') || order.length > 30) return order
    order.push(focused)
  }
}

export function approveWalks(walks: Walks): void {
  it('approves a token with the keyboard only, from the program’s link on', async () => {
    const { token, path } = newProgram()
    const visitor = await walks.visitor()
    const { page } = visitor
    await visitor.open(path)
    await page.getByLabel('E-mail address').focus()
    await page.keyboard.type('keyboard@example.com')
    await visitor.onward(() => page.keyboard.press('Enter'))
    await visitor.openMailedLink('keyboard@example.com')
    await page.getByRole('button', { name: 'Sign in', exact: true }).focus()
    await visitor.onward(() => page.keyboard.press('Enter'))

    // Returns to the request that the user came from.
    expect(await visitor.heading()).toBe('Authorize an agent')
    expect(await evaluate(page, FOCUSED), 'no button has the focus by itself').toMatch(/^body/)
    await visitor.armed()
    expect(await focusOrder(page)).toMatchInlineSnapshot(`
      [
        "a skip to content",
        "a svc",
        "a triggers",
        "a runs",
        "a failed runs",
        "a alerts",
        "a changes",
        "a console",
        "a sign-in",
        "a access tokens",
        "a docs",
        "a verify",
        "button submit sign out",
        "input name",
        "input access",
        "button decision authorize",
        "button decision refuse",
        "a sign in with another account",
        "a for agents",
        "a api",
      ]
    `)
    await judge(page, 'authorize')

    await page.getByLabel(/^Name/).focus()
    await page.keyboard.type('My laptop’s helper')
    await page.getByRole('button', { name: 'Authorize' }).focus()
    await visitor.onward(() => page.keyboard.press('Enter'))
    expect(await visitor.heading()).toBe('Authorized')
    await judge(page, 'authorized')
    expect(await walks.me(token)).toMatchObject({
      status: 200,
      body: { email: 'keyboard@example.com', label: 'My laptop’s helper' },
    })

    await visitor.open(path)
    await visitor.armed()
    await visitor.press('Authorize')
    expect(await visitor.heading()).toBe('Already authorized')
    await judge(page, 'authorized-before')
  })

  it('leaves the token unknown if the user refuses', async () => {
    const { token, path } = newProgram()
    const visitor = await walks.signedIn()
    await visitor.open(path)
    await visitor.press('Refuse')
    expect(await visitor.heading()).toBe('Refused')
    await judge(visitor.page, 'refused')
    expect(await walks.me(token)).toMatchObject({ status: 401 })
  })

  it('rejects the approval of a challenge that another account used', async () => {
    const { token, path } = newProgram()
    const first = await walks.signedIn()
    await first.authorize(path)
    const second = await walks.signedIn('second@example.com')
    await second.authorize(path)
    expect(await second.heading()).toBe('This token is already used by another account')
    await judge(second.page, 'authorize-taken')
    expect(await walks.me(token)).toMatchObject({ body: { email: 'member@example.com' } })
  })

  it('grants nothing for a truncated link', async () => {
    const visitor = await walks.signedIn()
    await visitor.open('/agent/authorize?challenge=abc')
    expect(await visitor.heading()).toBe('Incomplete link')
    await judge(visitor.page, 'authorize-incomplete')
  })

  it('rejects a revoked token on its next request and permanently', async () => {
    const { token, path } = newProgram()
    const visitor = await walks.signedIn('revoker@example.com')
    await visitor.open('/agent/tokens')
    await judge(visitor.page, 'tokens-none')
    await visitor.authorize(newProgram().path, 'The other one')
    await visitor.authorize(path, 'W'.repeat(64))
    expect(await walks.me(token)).toMatchObject({ status: 200 })

    await visitor.open('/agent/tokens')
    await judge(visitor.page, 'tokens')
    await visitor.press(`Revoke ${'W'.repeat(64)}`)
    expect(await visitor.heading()).toBe('Revoked')
    expect(await walks.me(token)).toMatchObject({ status: 401 })
    await visitor.open('/agent/tokens')
    expect(await visitor.page.getByText('Revoked', { exact: true }).count()).toBe(1)
    await visitor.page.getByText('Revoke all', { exact: true }).click()
    await judge(visitor.page, 'tokens-revoked')

    await visitor.authorize(path)
    expect(await visitor.heading()).toBe('This token was revoked')
    await judge(visitor.page, 'authorize-revoked')
    expect(await walks.me(token)).toMatchObject({ status: 401 })
  })
}
