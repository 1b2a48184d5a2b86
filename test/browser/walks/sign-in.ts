import { expect, it } from 'vitest'
import { evaluate } from '../evaluate.ts'
import { judge } from '../judged-page.ts'
import type { Walks } from '../walks.ts'

export function signInWalks(walks: Walks): void {
  it('signs in with the mailed link and signs out', async () => {
    const visitor = await walks.visitor()
    const { page } = visitor
    await visitor.open('/')
    await judge(page, 'home-signed-out')
    await visitor.onward(() =>
      page.getByRole('main').getByRole('link', { name: 'Sign in' }).click(),
    )
    await judge(page, 'sign-in')

    await page.getByLabel('E-mail address').fill('someone@[::')
    await evaluate(page, 'document.querySelector("main form").noValidate = true')
    await visitor.press('Send sign-in link')
    const field = page.getByLabel('E-mail address')
    expect(await field.evaluate((element) => element.matches(':focus'))).toBe(true)
    await judge(page, 'sign-in-problem')
    expect(await field.getAttribute('aria-invalid')).toBe('true')
    expect(await page.getByRole('alert').innerText()).toMatch(/^Enter an e-mail address/)

    await field.fill('walker@example.com')
    await visitor.press('Send sign-in link')
    await judge(page, 'sign-in-sent')
    await visitor.open('/dev/mailbox')
    await judge(page, 'mailbox')
    await visitor.openMailedLink('walker@example.com')
    const link = page.url()
    await judge(page, 'sign-in-link')
    expect(await page.getByText('walker@example.com').count()).toBe(1)
    await visitor.press('Sign in')
    expect(page.url()).toBe(`${visitor.triggersUrl}/triggers`)
    await judge(page, 'triggers-none')

    await page.goto(link)
    await judge(page, 'sign-in-link-over')
    await visitor.signOut()
    await judge(page, 'signed-out')
    expect(await page.getByRole('button', { name: 'Sign out' }).count()).toBe(0)
    await visitor.open('/')
    await page.getByRole('main').getByRole('link', { name: 'Sign in' }).waitFor()
  })

  it('stolen session: a script in the page cannot read the session cookie', async () => {
    const visitor = await walks.signedIn()
    await visitor.open('/')
    expect(await evaluate(visitor.page, 'document.cookie')).toBe('')
    expect(await visitor.context.cookies()).toMatchObject([
      { name: '__Host-svc', httpOnly: true, secure: true, sameSite: 'Lax', path: '/' },
    ])
  })

  it('open redirect: a whole sign-in ends at a page of this site', async () => {
    const elsewhere = await walks.anotherSite({})
    const host = new URL(elsewhere.crossSite).host
    for (const next of [`//${host}/`, `/\\${host}/`]) {
      const visitor = await walks.visitor()
      await visitor.signIn('redirected@example.com', `/sign-in?next=${encodeURIComponent(next)}`)
      expect(visitor.page.url()).toBe(`${visitor.triggersUrl}/triggers`)
    }
    expect(elsewhere.visits).toEqual([])
  })
}
