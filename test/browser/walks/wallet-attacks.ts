/** Wallets in the console that are elsewhere, say nothing, or are not what they say. */
import { expect, it } from 'vitest'
import { InjectedWallet } from '../browser-wallets.ts'
import type { Walks } from '../walks.ts'
import { judgeConsole, MARKUP, withWallets } from '../with-wallets.ts'

export function walletAttackWalks(walks: Walks): void {
  const { chainUrl, visitorWith, newAccount, connectKey } = withWallets(walks)

  it('a wallet on another chain is asked to change, and one that can not is told what to do', async () => {
    const fox = await InjectedWallet.funded(chainUrl())
    const { page } = await visitorWith(fox)
    fox.owner.beOnChain(1n, false)
    await page.getByRole('button', { name: /Fox/ }).click()
    await page.getByText(/The wallet is on chain 1;/).waitFor()
    await judgeConsole(page, 'wallet-on-another-chain')
    fox.owner.beOnChain(1n, true)
    await page.getByRole('button', { name: /Fox/ }).click()
    await page.getByRole('heading', { name: 'No account yet' }).waitFor()
    expect(fox.owner.asked).toContain('wallet_switchEthereumChain')
  })

  it('a wallet that is changed to another address meanwhile is asked for nothing', async () => {
    const fox = await InjectedWallet.funded(chainUrl())
    const other = await InjectedWallet.funded(chainUrl())
    const visitor = await visitorWith(fox)
    const { page } = visitor
    await page.getByRole('button', { name: /Fox/ }).click()
    await page.getByLabel('Name').fill('mine')
    await page.getByRole('button', { name: 'Open an account' }).click()
    await page.getByRole('dialog').waitFor()
    fox.answers['eth_requestAccounts'] = () => [other.address]
    await fox.emit('accountsChanged', [other.address])
    await page.getByRole('button', { name: 'Send it with my wallet' }).click()
    await page.getByText(/it is on another address now/).waitFor()
    await page.getByText('Your wallet is on another address now').waitFor()
    await judgeConsole(page, 'wallet-on-another-address')
    expect(fox.signed).toEqual([])
    await fox.emit('accountsChanged', [fox.address])
    await page.getByText('Your wallet is on another address now').waitFor({ state: 'detached' })
    await fox.emit('chainChanged', '0x1')
    await page.getByText('Your wallet is on another chain now').waitFor()
    await fox.emit('disconnect', {})
    await page.getByText('Your wallet has lost its connection').waitFor()
  })

  it('a wallet that never answers does not hold the page', async () => {
    const fox = await InjectedWallet.funded(chainUrl())
    const never = new Promise<never>(() => {})
    const visitor = await visitorWith(fox)
    const { page } = visitor
    fox.answers['eth_requestAccounts'] = () => never
    await page.getByRole('button', { name: /Fox/ }).click()
    await page.getByRole('heading', { name: 'Waiting for your wallet' }).waitFor()
    await judgeConsole(page, 'wallet-silent')
    await page.getByRole('button', { name: 'Stop waiting' }).click()
    await page.getByText('waited for no longer').waitFor()
    delete fox.answers['eth_requestAccounts']
    await page.getByRole('button', { name: /Fox/ }).click()
    await page.getByLabel('Name').fill('mine')
    fox.answers['eth_sendTransaction'] = () => never
    await page.getByRole('button', { name: 'Open an account' }).click()
    await page.getByRole('button', { name: 'Send it with my wallet' }).click()
    await page.getByText('has been asked. Compare').waitFor()
    await judgeConsole(page, 'wallet-asked')
    await page.getByRole('button', { name: 'Stop waiting' }).click()
    await page.getByText(/Whether the transaction .* was sent is not known/).waitFor()
  })

  it('a wallet that lies about its address gets no account', async () => {
    const fox = await InjectedWallet.funded(chainUrl())
    const victim = await InjectedWallet.funded(chainUrl())
    const { apiKey, client } = await newAccount()
    const visitor = await visitorWith(fox)
    const { page } = visitor
    fox.answers['eth_requestAccounts'] = () => [victim.address]
    // Signs as it likes: by its own key, whatever address is asked for.
    fox.answers['eth_signTypedData_v4'] = ([, text]: [string, string]) =>
      fox.owner.request({ method: 'eth_signTypedData_v4', params: [fox.address, text] })
    await connectKey(visitor, apiKey)
    await page.getByRole('button', { name: /Fox/ }).click()
    await page.getByLabel(/^Type/).fill('convert')
    await page.getByRole('button', { name: 'Convert the account' }).click()
    await page.getByRole('button', { name: 'Sign it with my wallet' }).click()
    await page.getByText('Convert the account: not done.').waitFor()
    expect(await client.listWallets().all()).toEqual([])
  })

  it('a wallet that lies about its chain shows no account', async () => {
    const fox = await InjectedWallet.funded(chainUrl())
    const { page } = await visitorWith(fox)
    fox.answers['eth_getCode'] = () => '0x'
    fox.answers['eth_call'] = () => '0x'
    await page.getByRole('button', { name: /Fox/ }).click()
    await page.getByText('there is no such contract there').waitFor()
  })

  it('XSS and impostors: whatever wallets call themselves is text, and namesakes are told apart', async () => {
    const [one, other, hostile] = await Promise.all([
      InjectedWallet.funded(chainUrl()),
      InjectedWallet.funded(chainUrl(), { rdns: 'example.not-the-fox' }),
      InjectedWallet.funded(chainUrl(), {
        name: MARKUP,
        rdns: `javascript:alert(3)${MARKUP}`,
        icon: 'javascript:alert(4)',
      }),
    ])
    const { page } = await visitorWith(one, other, hostile)
    await page.getByText('Two of these wallets call themselves the same').waitFor()
    const text = await page.locator('.wallets').innerText()
    expect(text).toContain('example.not-the-fox')
    expect(text).toContain('"><img src=x onerror=alert(1)>‹U+202E›bad<script>')
    expect(text).toContain('javascript:alert(3)')
    expect(await page.locator('.wallets img').count()).toBe(2)
    expect(await page.locator('.wallets a, .wallets script').count()).toBe(0)
    // Three, with a name of five lines, want more than the room that is kept for them.
    await judgeConsole(page, 'wallets-hostile')
    const policyOf = async (path: string) =>
      (await page.request.get(`${walks.triggersUrl}${path}`)).headers()['content-security-policy']
    expect(await policyOf('/console')).toContain('; img-src data:; ')
    expect(await policyOf('/verify')).not.toContain('img-src')
    await page.getByRole('button', { name: /onerror/ }).click()
    await page.getByRole('heading', { name: 'No account yet' }).waitFor()
  })
}
