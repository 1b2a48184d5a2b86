/** A user of the console with an account and its key. */
import { expect } from 'vitest'
import { evaluate } from './evaluate.ts'
import { judge } from './judged-page.ts'
import type { Visitor } from './visitor.ts'

// Views are lists with forms. The console loads further scripts once it is connected.
const VIEW_BOUNDS = { maxBytes: 80 * 1024, maxLoadedBytes: 400 * 1024 }

/** Format of an API key. */
export const KEY = /^[A-Za-z0-9+/]{43}=$/

export class AccountHolder {
  readonly visitor: Visitor
  constructor(visitor: Visitor) {
    this.visitor = visitor
  }

  get page() {
    return this.visitor.page
  }

  /** Creates an account in the page. @returns its key */
  async createAccount(name: string): Promise<string> {
    await this.visitor.open('/console')
    await this.page.getByLabel('Name').fill(name)
    await this.page.getByRole('button', { name: 'Create account' }).click()
    await this.page.getByText('Account created').waitFor()
    return this.storeKey()
  }

  /** Reads the key that is shown once, confirms that it is stored, and continues. */
  async storeKey(): Promise<string> {
    await this.page.getByRole('button', { name: 'Show' }).click()
    const key = await this.page.locator('.secret > code').innerText()
    expect(key).toMatch(KEY)
    const onward = this.page.getByRole('button', { name: 'Continue' })
    expect(await onward.isEnabled()).toBe(false)
    await this.page.getByText('I have stored the').click()
    await onward.click()
    await this.pressed()
    return key
  }

  async connect(apiKey: string, { keep = false } = {}): Promise<void> {
    await this.visitor.open('/console')
    await this.page.getByLabel('API key').fill(apiKey)
    if (keep) await this.page.getByText('Keep it in this tab').click()
    await this.page.getByRole('button', { name: 'Connect', exact: true }).click()
    await this.connected()
  }

  async connected(): Promise<void> {
    await this.page.getByRole('button', { name: 'Disconnect' }).waitFor()
    expect(await this.page.getByLabel('API key').count()).toBe(0)
  }

  /** Opens a view and waits until it is loaded. */
  async go(view: string): Promise<void> {
    const places = this.page.getByRole('navigation', { name: 'Console' })
    await places.getByRole('link', { name: view }).click()
    await this.page.getByRole('heading', { level: 2, name: view }).waitFor()
    await this.page.locator('.loading').waitFor({ state: 'detached' })
  }

  /** Waits until the console reports success. */
  async told(what: string): Promise<void> {
    await this.page
      .getByRole('status')
      .filter({ hasText: `${what}: done.` })
      .waitFor()
    await this.pressed()
  }

  /** Ignores layout shifts up to now: a user action caused them, even if they come late. */
  async pressed(): Promise<void> {
    await evaluate(this.page, 'globalThis.judgedUntil = performance.now()')
  }

  judge(name: string): Promise<void> {
    return judge(this.page, `console-${name}`, VIEW_BOUNDS)
  }

  /** Calls the core API as a program would. */
  async call(
    apiKey: string,
    operation: string,
    body?: object,
  ): Promise<{ status: number; body: any }> {
    const answer = await fetch(`${this.visitor.triggersUrl}/core/v1/${operation}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return { status: answer.status, body: await answer.json() }
  }
}
