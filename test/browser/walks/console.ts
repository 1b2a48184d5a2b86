import type { Request } from 'playwright-core'
import { expect, it } from 'vitest'
import { FIRST_ACTION } from '../../../edge/browser/console/start/first-steps.ts'
import { AccountHolder } from '../account-holder.ts'
import { evaluate, untilTrue } from '../evaluate.ts'
import { judge } from '../judged-page.ts'
import type { Walks } from '../walks.ts'

const MARKUP = `<img src=x onerror=alert(1)>"'><script>alert(2)</script>`
const HOSTILE = `safe\u202Elive ${MARKUP} javascript:alert(3)`
const LONG = 'W'.repeat(256)

export function consoleWalks(walks: Walks): void {
  const holder = async () => new AccountHolder(await walks.visitor())

  it('leads a new user from no account to a prefilled webhook trigger form', async () => {
    const person = await holder()
    const { page, visitor } = person
    const focused = (button: string) =>
      untilTrue(page, `document.activeElement.textContent === ${JSON.stringify(button)}`)
    await visitor.open('/console')
    await judge(page, 'console-connect')
    await person.createAccount('Newcomer')
    await page.getByRole('heading', { level: 2, name: 'First steps' }).waitFor()
    await page.getByRole('button', { name: 'Create a wallet' }).waitFor()
    await person.pressed()
    await person.judge('start')
    await page.getByRole('button', { name: 'Create a wallet' }).click()
    await person.told('Create a wallet')
    await focused('Compute the CID')
    await page.getByRole('button', { name: 'Run all 3 steps' }).click()
    await person.told('Run all 3 steps')
    await focused('Create the webhook trigger')
    await person.judge('start-done')

    await visitor.press('Create the webhook trigger')
    expect(await visitor.heading()).toBe('Sign in')
    await page.getByLabel('E-mail address').fill('newcomer@example.com')
    await visitor.press('Send sign-in link')
    // Opens the mail in another tab, as a mail program does. The prefilled data stays in the first tab.
    const mail = await visitor.context.newPage()
    await mail.goto(`${visitor.triggersUrl}/dev/mailbox`)
    const article = mail.getByRole('article').filter({ hasText: 'newcomer@example.com' })
    await article.first().getByRole('link').click()
    await mail.getByRole('button', { name: 'Sign in' }).click()
    await mail.waitForURL('**/triggers/new*')
    await mail.close()
    await visitor.onward(() => page.getByRole('link', { name: 'Continue in this tab' }).click())
    expect(new URL(page.url()).pathname).toBe('/triggers/new')
    await untilTrue(
      page,
      '[...document.querySelectorAll("textarea, input")].some(({ value }) => value.includes("computeHmac"))',
    )
    expect(await evaluate(page, 'sessionStorage.getItem("svc/new-trigger")')).toBeNull()
  })

  it('continues the first steps after reconnecting', async () => {
    const person = await holder()
    const { page } = person
    const apiKey = await person.createAccount('Returning')
    await page.getByRole('button', { name: 'Run all 4 steps' }).click()
    await person.told('Run all 4 steps')
    await page.reload()
    await person.connect(apiKey)
    await page.getByRole('button', { name: 'Run all 3 steps' }).click()
    await person.told('Run all 3 steps')
    await person.go('Wallets')
    expect(await page.locator('.rows > li').count()).toBe(1)
  })

  it('creates a wallet, a group, and a usage key that reaches its cap', async () => {
    const person = await holder()
    const { page } = person
    const apiKey = await person.createAccount('Whole account')
    for (const view of ['Wallets', 'Groups', 'Usage keys']) {
      await person.go(view)
      await page.getByText(`No ${view.toLowerCase()} yet`).waitFor()
      await person.judge(`${view.toLowerCase().replace(' ', '-')}-empty`)
    }
    await person.go('Wallets')
    await page.getByLabel('Name').fill('Treasury')
    await page.getByRole('button', { name: 'Create wallet' }).click()
    await person.told('Create a wallet')
    await page.getByRole('heading', { name: 'Treasury' }).waitFor()
    // The list reloads after the confirmation, and the user requested the layout change.
    await evaluate(page, 'globalThis.judgedUntil = performance.now()')
    await person.judge('wallets')

    await person.go('Groups')
    await page.getByLabel('Name').fill('Signers')
    await page.getByRole('button', { name: 'Create group' }).click()
    await person.told('Create a group')
    await page.getByText('Edit group').click()
    const { body: cid } = await person.call(apiKey, 'get_svc_action_ipfs_id', FIRST_ACTION as never)
    await page.getByLabel('CID of an action to permit').fill(cid)
    await page.getByLabel('Action name').fill('Sign what is asked')
    await page.getByRole('button', { name: 'Permit action' }).click()
    await person.told('Permit the action')
    await page.getByRole('button', { name: 'Permit wallet' }).click()
    await person.told('Permit the wallet')
    await page.getByRole('button', { name: 'Remove Treasury from this group' }).waitFor()

    await person.go('Usage keys')
    await page.getByLabel('Name').fill('Thrifty')
    await page.getByRole('group', { name: 'Run the actions of' }).getByText('Signers (1)').click()
    await page.getByLabel('Spending cap in US dollars').fill('0.01')
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByRole('heading', { name: 'Usage key created' }).waitFor()
    await person.pressed()
    await person.judge('key-made')
    const usageKey = await person.storeKey()
    await page.getByText('$0.00 of $0.01 per day').waitFor()

    const { body: wallets } = await person.call(apiKey, 'list_wallets')
    const js_params = { wallet: wallets[0].wallet_address, message: 'hello' }
    const run = () => person.call(usageKey, 'svc_action', { code: FIRST_ACTION, js_params })
    expect(await run()).toMatchObject({ status: 200, body: { charged_cents: 1 } })
    expect(await run()).toMatchObject({
      status: 402,
      body: { error: 'payment_required', reason: 'spend_cap_reached' },
    })

    await person.go('Groups')
    await person.judge('groups')
    await person.go('Usage keys')
    await page.getByText('$0.01 of $0.01 per day').waitFor()
    await person.judge('usage-keys')
    await page.getByText('Change spending cap').first().click()
    await page.locator('details[open]').getByLabel('Spending cap in US dollars').fill('2.50')
    await page.getByRole('button', { name: 'Change spending cap' }).click()
    await person.told('Change spending cap')
    await page.getByText('$0.01 of $2.50 per day').waitFor()
    expect(await run()).toMatchObject({ status: 200 })

    await page.getByRole('button', { name: 'Remove the usage key Thrifty' }).click()
    await person.visitor.armed()
    await page.getByRole('button', { name: 'Remove key' }).click()
    await person.told('Remove the usage key')
    expect(await run()).toMatchObject({ status: 401 })
  })

  it('tells the user of a usage key about missing permissions, and links to credits when its cap is reached', async () => {
    const owner = await holder()
    const apiKey = await owner.createAccount('Owner')
    const rights = { can_create_pkps: true, spend_cap_cents: 1, spend_window_seconds: 86_400 }
    const made = await owner.call(apiKey, 'add_usage_api_key', { name: 'maker', ...rights })
    const person = await holder()
    const { page } = person
    await person.connect(made.body.usage_api_key)
    await person.go('Groups')
    await page.getByText('This key cannot read the groups').waitFor()
    await person.judge('forbidden')
    await person.go('Wallets')
    await page.getByText('This key cannot read the wallets').waitFor()
    const create = page.getByRole('button', { name: 'Create wallet' })
    await create.click()
    await person.told('Create a wallet')
    await create.click()
    const problem = page.getByRole('alert').filter({ hasText: 'Create a wallet: failed' })
    await problem.getByRole('link', { name: 'Go to credits' }).waitFor()
    await person.pressed()
    await person.judge('cap-reached')
    await problem.getByRole('link', { name: 'Go to credits' }).click()
    await page.getByRole('heading', { level: 2, name: 'Credits' }).waitFor()
  })

  it('rejects malformed and unknown keys with an explanation', async () => {
    const { page, visitor } = await holder()
    await visitor.open('/console')
    const connect = page.getByRole('button', { name: 'Connect', exact: true })
    await page.getByLabel('API key').fill('what is this')
    await connect.click()
    await page.getByRole('alert').filter({ hasText: 'Invalid API key' }).waitFor()
    await page.getByLabel('API key').fill(`${'A'.repeat(43)}=`)
    await connect.click()
    await page.getByRole('alert').filter({ hasText: 'No account found for this key' }).waitFor()
    await evaluate(page, 'globalThis.judgedUntil = performance.now()')
    await judge(page, 'console-connect-problem', { maxLoadedBytes: 400 * 1024 })
  })

  it('forgets the key on reload unless the user keeps it in the tab, and always on Disconnect', async () => {
    const person = await holder()
    const { page } = person
    const stored = () =>
      evaluate(page, 'JSON.stringify([{ ...sessionStorage }, { ...localStorage }])')
    const apiKey = await person.createAccount('Forgotten')
    await person.connected()
    expect(await stored()).toBe('[{},{}]')
    await page.reload()
    await page.getByLabel('API key').waitFor()
    expect(await page.getByRole('button', { name: 'Disconnect' }).count()).toBe(0)

    await person.connect(apiKey, { keep: true })
    await page.reload()
    await person.connected()
    await person.go('Wallets')
    expect(await page.title()).toBe('Wallets · Console')
    await page.goBack()
    await page.getByRole('heading', { level: 2, name: 'First steps' }).waitFor()

    // Simulates data left by the first steps without a trigger. The next user of this tab must not get the key.
    await evaluate(page, `sessionStorage.setItem('svc/new-trigger', '{"usage_api_key":"left"}')`)
    await page.getByRole('button', { name: 'Disconnect' }).click()
    await page.getByLabel('API key').waitFor()
    expect(await stored()).toBe('[{},{}]')
    expect(await page.getByLabel('API key').inputValue()).toBe('')
  })

  it('STOLEN KEY: sends the key only in a header to the core API, never in a URL, cookie, body or other request', async () => {
    const person = await holder()
    const { page, visitor } = person
    const apiKey = await person.createAccount('Secretive')
    const sent: Request[] = []
    page.on('request', (request) => sent.push(request))
    await visitor.open('/console')
    await person.connect(apiKey)
    for (const view of ['Wallets', 'Groups', 'Usage keys', 'First steps']) await person.go(view)
    const withKey = sent.filter((request) => request.headers()['x-api-key'] === apiKey)
    expect(withKey.length).toBeGreaterThan(5)
    for (const request of sent) {
      const { 'x-api-key': _key, ...headers } = await request.allHeaders()
      const elsewhere = JSON.stringify([request.url(), request.postData(), headers])
      expect(elsewhere).not.toContain(apiKey)
      expect(elsewhere).not.toContain(encodeURIComponent(apiKey))
      if (!withKey.includes(request)) continue
      expect(new URL(request.url()).pathname).toMatch(/^\/core\/v1\//)
      expect(headers['cookie']).toBeUndefined()
    }
    expect(JSON.stringify(await visitor.context.cookies())).not.toContain(apiKey)
    expect(await page.content()).not.toContain(apiKey)
    const fields =
      'JSON.stringify([...document.querySelectorAll("input")].map(({ value }) => value))'
    expect(await evaluate(page, fields)).not.toContain(apiKey)
  })

  it('verifies the origin before it sends the key, if the browser is required to verify', async () => {
    const person = await holder()
    const { page } = person
    const apiKey = await person.createAccount('Careful')
    const sent: string[] = []
    page.on('request', (request) => {
      const { pathname } = new URL(request.url())
      sent.push(request.headers()['x-api-key'] ? 'key' : pathname)
    })
    await page.route('**/console', async (route) => {
      const answer = await route.fetch()
      const body = (await answer.text()).replace('data-verify="never"', 'data-verify="once"')
      await route.fulfill({ response: answer, body })
    })
    await person.connect(apiKey)
    const first = sent.indexOf('key')
    expect(sent.slice(0, first)).toEqual(
      expect.arrayContaining(['/scripts/verifier.js', '/attestation/bundle']),
    )
    expect(sent.slice(first).every((path) => path === 'key')).toBe(true)
  })

  it('replaces the account key only after the new one is stored', async () => {
    const person = await holder()
    const { page } = person
    const apiKey = await person.createAccount('Replaced')
    await person.go('Usage keys')
    const begin = async () => {
      await page.getByRole('button', { name: 'Replace account key' }).click()
      await person.visitor.armed()
      await page.getByRole('button', { name: 'Generate new key' }).click()
    }
    await begin()
    await page.getByText('Store the new key alongside the old one').waitFor()
    await person.judge('rotation')
    await page.getByRole('button', { name: 'Keep old key' }).click()
    await begin()
    const newKey = await person.storeKey()
    await person.told('Replace the account key')
    expect((await person.call(apiKey, 'account_exists')).body).toBe(false)
    expect((await person.call(newKey, 'account_exists')).body).toBe(true)
    await person.go('Wallets')
    await page.getByText('No wallets yet').waitFor()
  })

  it.each([
    ['markup, a link and a turned direction', HOSTILE],
    ['a long text', LONG],
  ])(
    'XSS: shows %s in the names of an account, wallet, group, action and key as text',
    async (kind, text) => {
      const person = await holder()
      const { page } = person
      const apiKey = await person.createAccount(text)
      await person.connected()
      const name = text
      const { body: wallet } = await person.call(apiKey, 'create_wallet', {
        name,
        description: text,
      })
      const { body: group } = await person.call(apiKey, 'add_group', {
        group_name: text,
        group_description: text,
        pkp_ids_permitted: [wallet.pkp_id, '0x' + '0'.repeat(64)],
        cid_hashes_permitted: ['0'],
      })
      const { group_id } = group
      const { body: action_ipfs_cid } = await person.call(
        apiKey,
        'get_svc_action_ipfs_id',
        'x' as never,
      )
      await person.call(apiKey, 'add_action_to_group', { group_id, action_ipfs_cid, name })
      const everywhere = { name, description: text, execute_in_groups: [0] }
      await person.call(apiKey, 'add_usage_api_key', everywhere)
      const shown = text.replace('\u202E', '‹U+202E›')
      for (const view of ['First steps', 'Wallets', 'Groups', 'Usage keys']) {
        await person.go(view)
        await page
          .locator('.rows, .steps')
          .getByText(
            view === 'First steps' ? 'You are connected to your account.' : shown.slice(0, 100),
          )
          .first()
          .waitFor()
        const main = page.locator('main')
        if (view === 'Groups') await page.getByText('Show as a table').click()
        expect(await main.innerText()).toContain(shown.slice(0, 100))
        expect(await main.innerText()).not.toContain('\u202E')
        expect(await main.locator('img, script:not([src]), a[href^="javascript"]').count()).toBe(0)
        if (kind === 'a long text')
          await person.judge(`long-${view.toLowerCase().replace(' ', '-')}`)
      }
      await person.go('Groups')
      await page.getByText('Dangerous.').first().waitFor()
    },
  )
}
