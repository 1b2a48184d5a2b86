import type { CDPSession } from 'playwright-core'
import { expect, it } from 'vitest'
import { judge } from '../judged-page.ts'
import type { Visitor } from '../visitor.ts'
import type { Walks } from '../walks.ts'

/** Chromium's virtual authenticator, behind the real `navigator.credentials`. It exists until the session is closed. */
async function authenticatorOf({ context, page }: Visitor) {
  const devtools: CDPSession = await context.newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return {
    knowsItsPerson: (isUserVerified: boolean) =>
      devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
  }
}

export function passkeyWalks(walks: Walks): void {
  it('adds a passkey, signs in with it, and removes it', async () => {
    const visitor = await walks.signedIn('keeper@example.com')
    const { page } = visitor
    await visitor.open('/account')
    await page.getByLabel('Name of the new passkey').fill('My laptop')
    await judge(page, 'account')
    await authenticatorOf(visitor)
    await visitor.press('Add a passkey')
    await page.getByRole('heading', { name: 'My laptop' }).waitFor()

    // The authenticator itself reports that it has a passkey already.
    await page.getByLabel('Name of the new passkey').fill('Again')
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    const status = page.getByRole('status')
    await status.filter({ hasText: 'already has a passkey for your account' }).waitFor()

    await visitor.signOut()
    await visitor.open('/sign-in?next=%2Faccount')
    await page.getByRole('button', { name: 'Sign in with a passkey' }).focus()
    await visitor.onward(() => page.keyboard.press('Enter'))
    await page.getByRole('main').getByText('keeper@example.com').waitFor()
    expect(new URL(page.url()).pathname).toBe('/account')

    await judge(page, 'account-passkey')
    await visitor.press('Remove the passkey My laptop')
    await page.getByText('No passkeys yet').waitFor()
  })

  it('reports a failed user verification and allows another attempt', async () => {
    const visitor = await walks.signedIn('stranger@example.com')
    const { page } = visitor
    await visitor.open('/account')
    const authenticator = await authenticatorOf(visitor)
    await page.getByLabel('Name of the new passkey').fill('Mine')
    await visitor.press('Add a passkey')
    await page.getByRole('heading', { name: 'Mine' }).waitFor()
    await visitor.signOut()
    await authenticator.knowsItsPerson(false)
    await visitor.open('/sign-in')
    const button = page.getByRole('button', { name: 'Sign in with a passkey' })
    await button.click()
    await page.getByRole('status').filter({ hasText: 'Cancelled or timed out' }).waitFor()
    expect(await button.isEnabled()).toBe(true)
    await authenticator.knowsItsPerson(true)
    await visitor.onward(() => button.click())
    await page.getByRole('button', { name: /^Sign out$/ }).waitFor()
  })
}
