import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server'
import { type Algorithm, Authenticator, type Faults } from '../../doubles/authenticator.ts'
import { type Browser, field, openBrowser, signIn, someone } from './browser.ts'
import { type identityApp, PUBLIC_URL } from './harness.ts'

type Edge = ReturnType<typeof identityApp>

/** Creates a user who signed in by link, with an authenticator without passkeys. */
export async function somebody(edge: Edge, { countsUses = true } = {}) {
  const [browser, email] = [openBrowser(edge), someone()]
  await signIn(browser, email)
  return { browser, email, authenticator: new Authenticator(PUBLIC_URL, { countsUses }) }
}
export type Person = Awaited<ReturnType<typeof somebody>>

/** Creates a user who signed in by link, with one passkey. */
export async function withPasskey(edge: Edge, options?: { countsUses?: boolean }) {
  const person = await somebody(edge, options)
  const added = await addPasskey(person)
  if (added.status !== 201) throw new Error(`not added: ${added.status} ${await added.text()}`)
  return { ...person, credential: person.authenticator.credentials.at(-1)! }
}

/** Returns the form token of the account page. */
export async function accountToken(browser: Browser): Promise<string> {
  return field(await (await browser.get('/account')).text(), 'csrf')
}

export async function registrationOptions({ browser }: Person, csrf?: string): Promise<Response> {
  return browser.ask('/passkeys/registration-options', {
    csrf: csrf ?? (await accountToken(browser)),
  })
}

export async function addPasskey(
  person: Person,
  { faults = {}, name = 'Laptop', algorithm }: AddOptions = {},
): Promise<Response> {
  const csrf = await accountToken(person.browser)
  const asked = await registrationOptions(person, csrf)
  if (!asked.ok) return asked
  const options = await asked.json<PublicKeyCredentialCreationOptionsJSON>()
  const response = await person.authenticator.register(options, faults, algorithm)
  return person.browser.ask('/passkeys', { csrf, name, response })
}
type AddOptions = { faults?: Faults; name?: string; algorithm?: Algorithm }

export async function signInOptions(
  browser: Browser,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  return (await browser.ask('/passkeys/sign-in-options', {})).json()
}

/** Signs in with the person's passkey in any browser. */
export async function signInByPasskey(
  { authenticator }: Pick<Person, 'authenticator'>,
  browser: Browser,
  { faults = {}, next }: { faults?: Faults; next?: string } = {},
): Promise<Response> {
  const response = await authenticator.signIn(await signInOptions(browser), faults)
  return browser.ask('/passkeys/sign-in', { response, ...(next !== undefined && { next }) })
}

/** Returns the e-mail address of the signed-in user, or `undefined` if the browser is redirected to sign in. */
export async function whoIsSignedIn(browser: Browser): Promise<string | undefined> {
  const text = await (await browser.get('/account')).text()
  return /You are signed in as <strong>([^<]+)</.exec(text)?.[1]
}
