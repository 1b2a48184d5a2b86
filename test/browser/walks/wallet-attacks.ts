/** Wallets in the console on the wrong chain, without answers, or with false ones. */
import { expect, it } from 'vitest'
import { InjectedWallet } from '../browser-wallets.ts'
import type { Walks } from '../walks.ts'
import { judgeConsole, MARKUP, withWallets } from '../with-wallets.ts'

export function walletAttackWalks(walks: Walks): void {
  const { chainUrl, visitorWith, newAccount, connectKey } = withWallets(walks)

  it('asks a wallet on another chain to switch, and explains what to do if it cannot', async () => {
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

  it('requests no signature from a wallet that changed its address in the meantime', async () => {
    const fox = await InjectedWallet.funded(chainUrl())
    const other = await InjectedWallet.funded(chainUrl())
    const visitor = await visitorWith(fox)
    const { page } = visitor
    await page.getByRole('button', { name: /Fox/ }).click()
    await page.getByLabel('Name').fill('mine')
    await page.getByRole('button', { name: 'Open account' }).click()
    await page.getByRole('dialog').waitFor()
    fox.answers['eth_requestAccounts'] = () => [other.address]
    await fox.emit('accountsChanged', [other.address])
    await page.getByRole('button', { name: 'Send with my wallet' }).click()
    await page.getByText(/the wallet now uses another address/).waitFor()
    await page.getByText('Your wallet switched to another address').waitFor()
    await judgeConsole(page, 'wallet-on-another-address')
    expect(fox.signed).toEqual([])
    await fox.emit('accountsChanged', [fox.address])
    await page.getByText('Your wallet switched to another address').waitFor({ state: 'detached' })
    await fox.emit('chainChanged', '0x1')
    await page.getByText('Your wallet switched to another chain').waitFor()
    await fox.emit('disconnect', {})
    await page.getByText('Your wallet lost its connection to the chain').waitFor()
  })

  it('stays usable if a wallet never answers', async () => {
    const fox = await InjectedWallet.funded(chainUrl())
    const never = new Promise<never>(() => {})
    const visitor = await visitorWith(fox)
    const { page } = visitor
    fox.answers['eth_requestAccounts'] = () => never
    await page.getByRole('button', { name: /Fox/ }).click()
    await page.getByRole('heading', { name: 'Waiting for your wallet' }).waitFor()
    await judgeConsole(page, 'wallet-silent')
    await page.getByRole('button', { name: 'Stop waiting' }).click()
    await page.getByText('stopped waiting for the wallet').waitFor()
    delete fox.answers['eth_requestAccounts']
    await page.getByRole('button', { name: /Fox/ }).click()
    await page.getByLabel('Name').fill('mine')
    fox.answers['eth_sendTransaction'] = () => never
    await page.getByRole('button', { name: 'Open account' }).click()
    await page.getByRole('button', { name: 'Send with my wallet' }).click()
    await page.getByText('Compare the request shown by').waitFor()
    await judgeConsole(page, 'wallet-asked')
    await page.getByRole('button', { name: 'Stop waiting' }).click()
    await page.getByText(/It is unknown whether the transaction .* was sent/).waitFor()
  })

  it('lying wallet: a false address gets no account', async () => {
    const fox = await InjectedWallet.funded(chainUrl())
    const victim = await InjectedWallet.funded(chainUrl())
    const { apiKey, client } = await newAccount()
    const visitor = await visitorWith(fox)
    const { page } = visitor
    fox.answers['eth_requestAccounts'] = () => [victim.address]
    // Signs with its own key, whatever address is requested.
    fox.answers['eth_signTypedData_v4'] = ([, text]: [string, string]) =>
      fox.owner.request({ method: 'eth_signTypedData_v4', params: [fox.address, text] })
    await connectKey(visitor, apiKey)
    await page.getByRole('button', { name: /Fox/ }).click()
    await page.getByLabel(/^Type/).fill('convert')
    await page.getByRole('button', { name: 'Convert account' }).click()
    await page.getByRole('button', { name: 'Sign with my wallet' }).click()
    await page.getByText('Convert the account: failed.').waitFor()
    expect(await client.listWallets().all()).toEqual([])
  })

  it('lying wallet: a false chain shows no account', async () => {
    const fox = await InjectedWallet.funded(chainUrl())
    const { page } = await visitorWith(fox)
    fox.answers['eth_getCode'] = () => '0x'
    fox.answers['eth_call'] = () => '0x'
    await page.getByRole('button', { name: /Fox/ }).click()
    await page.getByText('the contract does not exist there').waitFor()
  })

  it('XSS and impostors: shows wallet names as text, and tells wallets of the same name apart', async () => {
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
    await page.getByText('Two of these wallets have the same name').waitFor()
    const text = await page.locator('.wallets').innerText()
    expect(text).toContain('example.not-the-fox')
    expect(text).toContain('"><img src=x onerror=alert(1)>‹U+202E›bad<script>')
    expect(text).toContain('javascript:alert(3)')
    expect(await page.locator('.wallets img').count()).toBe(2)
    expect(await page.locator('.wallets a, .wallets script').count()).toBe(0)
    // Three wallets, one with a name of five lines, need more space than is reserved for them.
    await judgeConsole(page, 'wallets-hostile')
    const policyOf = async (path: string) =>
      (await page.request.get(`${walks.triggersUrl}${path}`)).headers()['content-security-policy']
    expect(await policyOf('/console')).toContain('; img-src data:; ')
    expect(await policyOf('/verify')).not.toContain('img-src')
    await page.getByRole('button', { name: /onerror/ }).click()
    await page.getByRole('heading', { name: 'No account yet' }).waitFor()
  })
}
