/** Policies of wallets in the console. */
import { expect, it } from 'vitest'
import { atConsole, openAccount, settled } from '../at-console.ts'
import { judge } from '../judged-page.ts'
import type { Visitor } from '../visitor.ts'
import type { Walks } from '../walks.ts'

// The console with the parser of policies and the editor, which it loads on demand.
const BOUNDS = { maxBytes: 120 * 1024, maxLoadedBytes: 1_300 * 1024 }

const PAYEE = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const STRANGER = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'

async function judgePolicy({ page }: Visitor, name: string): Promise<void> {
  await settled(page)
  await judge(page, `policy-${name}`, BOUNDS)
}

async function told({ page }: Visitor, what: string): Promise<void> {
  await page
    .getByRole('status')
    .filter({ hasText: `${what}: done.` })
    .waitFor()
}

/** Types a document with another daily limit into the editor. */
async function writeLimit({ page }: Visitor, policy: object, max: string): Promise<void> {
  await page.locator('.cm-content').click()
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.insertText(JSON.stringify(policy).replace(/"max":"\d+"/, `"max":"${max}"`))
}

export function policyWalks(walks: Walks): void {
  it('creates a wallet with a policy, simulates payments, and tightens and loosens the policy', async () => {
    const { client, apiKey } = await openAccount(walks)
    const visitor = await atConsole(walks, apiKey, 'wallets')
    const { page } = visitor
    const simulator = page.locator('.simulator')
    const verdict = page.locator('.verdict')
    const simulate = async (recipient: string, amount: string) => {
      await simulator.getByLabel('Recipient').fill(recipient)
      await simulator.getByLabel('Amount').fill(amount)
      await simulator.getByRole('button', { name: 'Simulate' }).click()
    }

    await page.getByText('With a policy').click()
    await page.getByLabel('Template').waitFor()
    await page.getByRole('button', { name: 'Create wallet' }).click()
    await page.getByText('The wallet has no valid policy yet').waitFor()
    await page.getByRole('button', { name: 'Write policy' }).click()
    await page.getByText('Required.').waitFor()
    await page.getByLabel('Recipients').fill(PAYEE.replace('C51812dc', 'c51812dc'))
    await page.getByText('Invalid checksum').waitFor()
    await judgePolicy(visitor, 'template')
    await page.getByLabel('Recipients').fill(PAYEE)
    await page.getByRole('button', { name: 'Write policy' }).click()
    await page.getByText('The policy is valid.').waitFor()
    await page.getByText('at most 100 USDC in a window of 1 day').waitFor()
    await page.getByText('Simulate a signature').click()
    await simulate(PAYEE, '25')
    await verdict.getByText('Allowed', { exact: true }).waitFor()
    await verdict.getByText('25 added. 75 of 100 USDC left').waitFor()
    await judgePolicy(visitor, 'draft')
    expect(await client.listWallets().all()).toEqual([])
    await simulate(STRANGER, '25')
    await verdict.getByText('condition_failed').waitFor()

    await page.getByLabel('Name').fill('Payroll')
    await page.getByRole('button', { name: 'Create wallet' }).click()
    await told(visitor, 'Create a wallet')
    await page.locator('.policy-draft').waitFor({ state: 'detached' })
    expect(await page.getByLabel(/^Without a policy/).isChecked()).toBe(true)
    await page.getByText('Show policy').click()
    await page.getByText('100 of 100 USDC left in a window of 1 day.').waitFor()
    const [wallet] = await client.listWallets().all()
    const held = await client.getWalletPolicy({ pkp_id: wallet!.pkp_id })
    await page.getByText(held.policy_hash).waitFor()
    await judgePolicy(visitor, 'wallet')

    await page.getByText('Simulate a signature').click()
    await simulate(PAYEE, '40')
    await verdict.getByText('40 added. 60 of 100 USDC left').waitFor()
    await simulate(PAYEE, '100.000001')
    await verdict.getByText('over_sum').waitFor()
    await judgePolicy(visitor, 'denied')
    await page.getByText('Simulate a signature').click()

    await page.getByText('Change policy').click()
    const confirm = async () => {
      await page.getByRole('button', { name: 'Change policy' }).click()
      await visitor.armed()
      await page.getByRole('button', { name: 'Confirm change' }).click()
      await told(visitor, 'Change the policy')
    }
    await writeLimit(visitor, held.policy, '50000000')
    await page.getByText('because it only tightens the policy').waitFor()
    await judgePolicy(visitor, 'tighter')
    await confirm()
    await page.getByText('50 of 50 USDC left in a window of 1 day.').waitFor()
    await writeLimit(visitor, held.policy, '200000000')
    await page.getByText('takes effect after 1 day').waitFor()
    await confirm()
    await page.getByRole('heading', { name: 'Pending change' }).waitFor()
    await page.getByText('50 of 50 USDC left in a window of 1 day.').waitFor()
    await judgePolicy(visitor, 'pending')
    await page.getByRole('button', { name: 'Cancel pending change' }).click()
    await visitor.armed()
    await page.getByRole('button', { name: 'Cancel change', exact: true }).click()
    await told(visitor, 'Cancel the pending change')
    expect(await client.getWalletPolicy({ pkp_id: wallet!.pkp_id })).toMatchObject({
      policy: { sums: [{ max: '50000000' }] },
      pending: null,
    })
  })
}
