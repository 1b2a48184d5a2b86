/** A user in a separate browser context, with its own cookies and a record of the browser's complaints. */
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { evaluate } from './evaluate.ts'

// Longest wait for anything within one page, on a busy machine.
const PATIENCE_MS = 30_000

export class Visitor {
  readonly context: BrowserContext
  readonly page: Page
  readonly triggersUrl: string
  /**
   * Console errors (including all violations of a page's policy), uncaught script errors, and dialogs opened by
   * scripts.
   */
  readonly complaints: string[] = []

  private constructor(context: BrowserContext, page: Page, triggersUrl: string) {
    this.context = context
    this.page = page
    this.triggersUrl = triggersUrl
  }

  /** @param options of the browser context, such as `javaScriptEnabled: false` */
  static async at(
    triggersUrl: string,
    browser: Browser,
    options: BrowserContextOptions = {},
  ): Promise<Visitor> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
    context.setDefaultTimeout(PATIENCE_MS)
    const page = await context.newPage()
    const visitor = new Visitor(context, page, triggersUrl)
    page.on('console', (message) => {
      // Tests check the status of requested pages themselves.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
        visitor.complaints.push(message.text())
    })
    page.on('pageerror', (error) => visitor.complaints.push(String(error)))
    page.on('dialog', (dialog) => {
      visitor.complaints.push(`a dialog: ${dialog.message()}`)
      void dialog.dismiss()
    })
    return visitor
  }

  async open(path: string): Promise<void> {
    await this.page.goto(new URL(path, this.triggersUrl).href)
  }

  heading(): Promise<string> {
    return this.page.getByRole('heading', { level: 1 }).innerText()
  }

  /** Performs an action that loads a new page, and waits for that page. */
  async onward(act: () => Promise<void>): Promise<void> {
    await Promise.all([this.page.waitForEvent('domcontentloaded'), act()])
  }

  press(name: string | RegExp): Promise<void> {
    return this.onward(() => this.page.getByRole('button', { name }).click())
  }

  /**
   * Enables buttons that grant something, which an animation disables for their first second. A test of that second
   * stops the animation (`walks/attacks.ts`); this finishes it at once.
   */
  async armed(): Promise<void> {
    const finish = 'for (const animation of document.getAnimations()) animation.finish()'
    await evaluate(this.page, finish)
  }

  /** On a phone, the button is in the menu. */
  async signOut(): Promise<void> {
    const menu = this.page.getByRole('button', { name: 'Menu', exact: true })
    if (await menu.isVisible()) await menu.click()
    await this.press(/^Sign out$/)
  }

  /** Signs in by the mailed link, starting from the sign-in page at `path`. */
  async signIn(email: string, path = '/sign-in'): Promise<void> {
    await this.open(path)
    await this.page.getByLabel('E-mail address').fill(email)
    await this.press('Send sign-in link')
    await this.openMailedLink(email)
    await this.press('Sign in')
  }

  /** Opens the newest sign-in link to an address in the local mailbox. */
  async openMailedLink(email: string): Promise<void> {
    await this.open('/dev/mailbox')
    const signInMails = this.page.getByRole('article').filter({ hasText: 'Your sign-in link' })
    const mail = signInMails.filter({ hasText: email }).first()
    await this.onward(() => mail.getByRole('link').click())
  }

  /** Opens a program's link and presses Authorize once it is enabled. @param name entered for the program */
  async authorize(path: string, name?: string): Promise<void> {
    await this.open(path)
    if (name !== undefined) await this.page.getByLabel(/^Name/).fill(name)
    const button = this.page.getByRole('button', { name: 'Authorize' })
    if ((await button.count()) === 0) return
    await this.armed()
    await this.press('Authorize')
  }

  close(): Promise<void> {
    return this.context.close()
  }
}
