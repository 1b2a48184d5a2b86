/** Wallets in the console: converting an account, changing it on-chain, and transferring it. */
import { expect, it } from 'vitest'
import type { Explanation } from '../../../edge/browser/chain-secured/explanation.ts'
import { openWallet } from '../../../edge/browser/chain-secured/open-wallet.ts'
import { createClient } from '../../../shared/client/client.ts'
import { InjectedWallet } from '../browser-wallets.ts'
import { evaluate, untilTrue } from '../evaluate.ts'
import { judge } from '../judged-page.ts'
import type { Visitor } from '../visitor.ts'
import type { Walks } from '../walks.ts'
import { judgeConsole, MARKUP, withWallets } from '../with-wallets.ts'

// Total size of all views, which the console loads on demand.
const WITH_EDITOR = 1_000 * 1024
// And the parser of policies.
const WITH_POLICY = 1_400 * 1024

export function ownershipWalks(walks: Walks): void {
  const { chainUrl, visitorWith, newAccount, connectKey } = withWallets(walks)

  it('converts an account to a wallet, changes it on-chain, and transfers it', async () => {
    const [fox, heir] = [
      await InjectedWallet.funded(chainUrl()),
      await InjectedWallet.funded(chainUrl()),
    ]
    const { apiKey, client } = await newAccount()
    const visitor = await visitorWith(fox)
    const { page } = visitor
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: /Fox/ }).waitFor()
    await judge(page, 'console-with-a-wallet')
    await connectKey(visitor, apiKey)
    await judgeConsole(page, 'ownership-api-mode')

    await page.getByRole('button', { name: /Fox/ }).click()
    await page.getByLabel(/^Type/).fill('yes')
    await page.getByRole('button', { name: 'Convert account' }).click()
    await page.getByText('Nothing was done yet').waitFor()
    await judgeConsole(page, 'ownership-confirm')
    await page.getByLabel(/^Type/).fill('convert')
    await page.getByRole('button', { name: 'Convert account' }).click()
    await dialog.waitFor()
    expect(await dialog.innerText()).toContain(fox.address)
    await judgeConsole(page, 'ownership-explained-proof')
    await page.keyboard.press('Escape')
    await page.getByText('Convert the account: failed.').waitFor()
    expect(fox.signed).toEqual([])
    await judgeConsole(page, 'ownership-refused-on-the-page')

    await page.getByRole('button', { name: 'Convert account' }).click()
    await page.getByRole('button', { name: 'Sign with my wallet' }).click()
    await page.getByRole('heading', { name: 'Transfer account' }).waitFor()
    expect(fox.signed).toEqual(['eth_signTypedData_v4'])
    await expect(client.listWallets().all()).rejects.toMatchObject({ status: 403 })
    await judgeConsole(page, 'ownership-chain-secured')

    await page.getByLabel('Address of the new admin').fill(wrongCapitals(heir.address))
    await page.getByRole('button', { name: 'Check address' }).click()
    await page.getByText('check the address for typing errors').waitFor()
    await page.getByLabel('Address of the new admin').fill(fox.address)
    await page.getByRole('button', { name: 'Check address' }).click()
    await page.getByText('This wallet is already the admin.').waitFor()
    await page.getByLabel('Address of the new admin').fill(heir.address.toLowerCase())
    await page.getByRole('button', { name: 'Check address' }).click()
    await page.getByText('This address has no checksum').waitFor()
    expect(await page.locator('main').innerText()).toContain(heir.address)
    await judgeConsole(page, 'ownership-new-admin')
    await page.getByLabel(/^Type/).fill('transfer')
    await page.getByRole('button', { name: 'Transfer account' }).click()
    await dialog.waitFor()
    expect(await dialog.innerText()).toContain('This cannot be undone.')
    await judgeConsole(page, 'ownership-explained-transfer')
    await page.getByRole('button', { name: 'Send with my wallet' }).click()
    await page.getByRole('heading', { name: 'No longer an admin' }).waitFor()
    await page.getByText(/Transfer the account: .*in block/).waitFor()
    await judgeConsole(page, 'ownership-handed-on')

    const next = createClient({
      mode: 'sovereign',
      baseUrl: walks.stack.baseUrl,
      verify: 'never',
      signer: heir.owner,
    })
    expect(await next.accountHash()).toMatch(/^0x/)
  })

  it('opens an account with a wallet, reconnects, and mints a usage key on-chain', async () => {
    const fox = await InjectedWallet.funded(chainUrl())
    const visitor = await visitorWith(fox)
    const { page } = visitor
    await page.getByRole('button', { name: /Fox/ }).click()
    await page.getByRole('heading', { name: 'No account yet' }).waitFor()
    await judgeConsole(page, 'wallet-without-account')
    await page.getByLabel('Name').fill(MARKUP)
    fox.answers['eth_sendTransaction'] = () => {
      throw Object.assign(new Error('User rejected the request.'), { code: 4001 })
    }
    await page.getByRole('button', { name: 'Open account' }).click()
    await page.getByRole('dialog').waitFor()
    expect(await page.getByRole('dialog').locator('img, script').count()).toBe(0)
    await judgeConsole(page, 'wallet-explained-transaction')
    await page.getByRole('button', { name: 'Send with my wallet' }).click()
    await page.getByText('The wallet’s owner rejected the request').waitFor()
    await judgeConsole(page, 'wallet-refused')
    delete fox.answers['eth_sendTransaction']
    await page.getByRole('button', { name: 'Open account' }).click()
    await page.getByRole('button', { name: 'Send with my wallet' }).click()
    await page.getByRole('link', { name: 'Ownership' }).waitFor()

    await page.reload()
    await page.getByRole('button', { name: /Fox/ }).click()
    await page.getByText('Admin wallet', { exact: false }).first().waitFor()
    const dialog = page.getByRole('dialog')
    await page.getByRole('link', { name: 'Wallets' }).click()
    await page.getByText('With a policy').click()
    await page.getByLabel('Template').selectOption('Empty: nothing is allowed')
    await page.getByRole('button', { name: 'Write policy' }).click()
    const policyHash = await page.locator('.policy-hash code').innerText()
    await page.getByRole('button', { name: 'Create wallet' }).click()
    await dialog
      .getByRole('heading', { name: 'Prove wallet ownership to create a wallet with a policy' })
      .waitFor()
    expect(await dialog.innerText()).toContain(policyHash)
    await page.getByRole('button', { name: 'Sign with my wallet' }).click()
    await dialog
      .getByRole('heading', { name: 'Create a wallet with a policy', exact: true })
      .waitFor()
    expect(await dialog.innerText()).toContain(policyHash)
    await judgeConsole(page, 'wallet-explained-policy', WITH_POLICY)
    await page.getByRole('button', { name: 'Send with my wallet' }).click()
    await page.getByText('Show policy').click()
    await dialog.getByRole('heading', { name: 'Prove wallet ownership for billing' }).waitFor()
    await page.getByRole('button', { name: 'Sign with my wallet' }).click()
    await page.locator('.wallet-policy').getByText(policyHash).waitFor()

    await page.getByRole('link', { name: 'Usage keys' }).click()
    await page.getByText('for the gas of a transaction').waitFor()
    await page.getByLabel('Name').fill('Minted')
    await page
      .getByRole('group', { name: 'Run the actions of' })
      .getByText(/^Every group/)
      .click()
    await page.getByRole('button', { name: 'Create key' }).click()
    await dialog
      .getByRole('heading', { name: 'Prove wallet ownership to create a usage key' })
      .waitFor()
    await page.getByRole('button', { name: 'Sign with my wallet' }).click()
    await dialog.getByRole('heading', { name: 'Register a usage key' }).waitFor()
    expect(await dialog.innerText()).toMatch(
      /Can run the actions of\s+every group, including future ones/,
    )
    // A long dialog starts at its top.
    expect(await evaluate(page, 'document.querySelector("dialog").scrollTop')).toBe(0)
    expect(await evaluate(page, 'document.activeElement.id')).toBe('signing-title')
    await judgeConsole(page, 'wallet-explained-usage-key', WITH_POLICY)
    await page.getByRole('button', { name: 'Send with my wallet' }).click()
    await page.getByRole('heading', { name: 'Usage key created' }).waitFor()
    await page.getByRole('button', { name: 'Show' }).click()
    const usageKey = await page.getByLabel('The usage key', { exact: true }).innerText()
    const minted = createClient({
      baseUrl: walks.stack.baseUrl,
      verify: 'never',
      apiKey: usageKey,
    })
    expect(await minted.accountExists()).toBe(true)
  })

  it('completes the first steps with a wallet, and shows the results in each view', async () => {
    const fox = await InjectedWallet.funded(chainUrl())
    const { page } = await visitorWith(fox)
    await page.getByRole('button', { name: /Fox/ }).click()
    await page.getByLabel('Name').fill('Of a wallet')
    await page.getByRole('button', { name: 'Open account' }).click()
    await page.getByRole('button', { name: 'Send with my wallet' }).click()
    await page.getByRole('button', { name: 'Create a wallet' }).waitFor()
    await judgeConsole(page, 'wallet-start')
    await page.getByRole('button', { name: 'Run all 4 steps' }).click()
    await signsAll(page, 'Run all 4 steps: done.')
    await judgeConsole(page, 'wallet-start-done')
    expect(fox.signed.length).toBeGreaterThan(5)
    expect(await page.locator('.view').innerText()).not.toContain('account key')

    const made = {
      Wallets: 'First wallet',
      Groups: 'First steps',
      'Usage keys': 'First trigger',
      Actions: 'Sign a webhook’s message',
      Credits: 'Add funds',
    }
    const places = page.getByRole('navigation', { name: 'Console' })
    for (const [view, shown] of Object.entries(made)) {
      await places.getByRole('link', { name: view }).click()
      await expect
        .poll(() => page.locator('.view').innerText(), { timeout: 20_000 })
        .toContain(shown)
      await untilTrue(page, 'document.querySelector(".loading") === null')
      await judgeConsole(page, `wallet-${view.toLowerCase().replace(' ', '-')}`, WITH_EDITOR)
    }
  })

  it('explains each signature of an admin with the names of the objects, and the guard accepts it', async () => {
    const fox = await InjectedWallet.funded(chainUrl())
    const explained: Explanation[] = []
    const core = createClient({ baseUrl: walks.stack.baseUrl, verify: 'never' })
    const { client } = await openWallet({
      wallet: fox.owner,
      core,
      options: { baseUrl: walks.stack.baseUrl },
      consent: {
        confirm: async (explanation) => void explained.push(explanation),
        requested: () => {},
        ended: () => {},
        sent: () => {},
        untilStopped: () => new Promise(() => {}),
      },
      onStep: () => {},
      now: Date.now,
      signal: new AbortController().signal,
    })
    await client.newAccount({ account_name: 'guarded' })
    const { wallet_address } = await client.createWallet({ name: 'hot' })
    const { group_id } = await client.addGroup({ group_name: 'signers', cid_hashes_permitted: [0] })
    await client.addPkpToGroup({ group_id, pkp_id: wallet_address })
    const { usage_api_key } = await client.addUsageApiKey({
      name: 'runner',
      execute_in_groups: [group_id],
      spend_cap_cents: 100,
      spend_window_seconds: 86_400,
    })
    const running = client.withUsageKey(usage_api_key)
    const { response } = await running.waitUntilPermitted(() =>
      running.svcAction({ code: 'async function main() { return 7 }' }),
    )
    expect(response).toBe(7)
    expect(await client.listApiKeys().all()).toMatchObject([
      { name: 'runner', spend_cap_cents: 100 },
    ])
    await client.removeUsageApiKey({ usage_api_key })
    const greeting = (prefix: string) => ({
      version: 1,
      rules: [{ name: 'greet', effect: 'allow', kind: 'message', messages: [{ prefix }] }],
    })
    const held = await client.createWallet({ name: 'cold', policy: greeting('greetings') })
    const changed = greeting('greetings, Ada')
    await client.setWalletPolicy({ pkp_id: held.pkp_id, policy: changed })
    expect(explained.map(({ title }) => title)).toEqual([
      'Open an account',
      'Prove wallet ownership to create a wallet',
      'Create a wallet',
      'Create a group',
      'Permit a wallet in a group',
      'Prove wallet ownership for billing',
      'Prove wallet ownership to create a usage key',
      'Register a usage key',
      'Remove a usage key',
      'Prove wallet ownership to create a wallet with a policy',
      'Create a wallet with a policy',
      'Prove wallet ownership to change the policy of a wallet',
      'Change the policy of a wallet',
    ])
    const said = explained.flatMap(({ facts }) => facts.map(([, value]) => value))
    expect(said).toEqual(
      expect.arrayContaining([
        `group ${group_id} “signers”`,
        `${wallet_address} “hot”`,
        expect.stringMatching(/^the usage key with hash 0x.* “runner”$/),
        `${held.wallet_address} “cold”`,
        held.policy_hash,
      ]),
    )
    expect(fox.signed).toHaveLength(explained.length)
  })
}

/** Signs and sends every step that the page explains, until it shows this text. */
async function signsAll(page: Visitor['page'], said: string): Promise<void> {
  const onward = page.getByRole('dialog').getByRole('button', { name: /with my wallet$/ })
  await expect
    .poll(
      async () => {
        if (await onward.isVisible()) await onward.click()
        return page.getByText(said).isVisible()
      },
      { timeout: 60_000 },
    )
    .toBe(true)
}

/** Flips the case of one letter of an address, which invalidates its checksum. */
function wrongCapitals(address: string): string {
  const at = address.slice(2).search(/[a-fA-F]/) + 2
  const letter = address[at]!
  const changed = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()
  return address.slice(0, at) + changed + address.slice(at + 1)
}
