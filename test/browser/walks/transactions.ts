/** Transactions of wallets, on the page of a run and in the console. */
import { JsonRpcProvider, toQuantity } from 'ethers'
import { expect, it } from 'vitest'
import type { RunRecord, TriggerRecord } from '../../../shared/wire/trigger.ts'
import { connect, openAccount, settled } from '../at-console.ts'
import { judge } from '../judged-page.ts'
import { newProgram } from '../program.ts'
import type { Walks } from '../walks.ts'

const PAYEE = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const FUNDS = 10n ** 18n

/** Below any base fee, so that the transaction stays pending. */
const TOO_CHEAP = { maxFeePerGas: '1' }

const SENDS = `async function main({ wallet, to }) {
  const fees = ${JSON.stringify(TOO_CHEAP)}
  return Svc.Actions.sendTransaction({ pkpId: wallet, chain: 'ethereum', to, value: '1', ...fees })
}`

// The page of a run loads the console for its client.
const RUN_BOUNDS = { maxLoadedBytes: 500 * 1024 }
const CONSOLE_BOUNDS = { maxBytes: 120 * 1024, maxLoadedBytes: 450 * 1024 }

export function transactionWalks(walks: Walks): void {
  it('follows the transactions of a run and a wallet, speeds one up and cancels one', async () => {
    const { client, apiKey } = await openAccount(walks)
    const { wallet_address, pkp_id } = await client.createWallet({ name: 'Sender' })
    const chain = new JsonRpcProvider(walks.stack.stack.chainUrl)
    await chain.send('anvil_setBalance', [wallet_address, toQuantity(FUNDS)])
    chain.destroy()
    const { group_id } = await client.addGroup({
      group_name: 'Senders',
      pkp_ids_permitted: [pkp_id],
      cid_hashes_permitted: [0],
    })
    const key = { name: 'Sender', execute_in_groups: [group_id] }
    const { usage_api_key } = await client.addUsageApiKey(key)

    const visitor = await walks.signedIn('transactions@example.com')
    const { page } = visitor
    const { token, path } = newProgram()
    await visitor.authorize(path)
    const api = async (at: string, body?: object) => {
      const answer = await fetch(`${walks.triggersUrl}/api/${at}`, {
        method: body ? 'POST' : 'GET',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      })
      if (!answer.ok) throw new Error(await answer.text())
      return answer.json()
    }
    const trigger = (await api('triggers', {
      name: 'Sends',
      kind: 'webhook',
      action_code: SENDS,
      default_params: { wallet: wallet_address, to: PAYEE },
      usage_api_key,
    })) as TriggerRecord
    const fired = await fetch(trigger.webhook_url!, { method: 'POST', body: '{}' })
    const { run_id } = (await fired.json()) as { run_id: string }
    const { status } = (await api(`runs/${run_id}?wait=30`)) as RunRecord
    expect(status).toBe('success')

    await visitor.open(`/runs/${run_id}`)
    const inRun = page.locator('#transactions')
    await page.getByLabel('API key').waitFor()
    expect(await inRun.innerText()).toMatch(/tx_[0-9a-f]{32}/)
    await page.getByLabel('API key').fill(usage_api_key)
    await page.getByRole('button', { name: 'Load states' }).click()
    await inRun.getByText('Waiting for lower fees').waitFor()
    await settled(page)
    await judge(page, 'run-transactions', RUN_BOUNDS)

    const cancelled = await client.sendTransaction({
      pkp_id,
      chain: 'ethereum',
      to: PAYEE,
      max_fee_per_gas: TOO_CHEAP.maxFeePerGas,
    })
    await visitor.open('/console#wallets')
    await connect(visitor, apiKey, true)
    await page.getByText('Show transactions').click()
    const items = page.locator('.transactions > ol > li')
    await items.nth(1).waitFor()
    const reads = '**/core/v1/transactions?*'
    await page.route(reads, (route) => route.abort())
    const trouble = page.getByText('Update failed. Retrying…')
    await trouble.waitFor()
    // The states that were read before stay.
    expect(await items.count()).toBe(2)
    await page.unroute(reads)
    await trouble.waitFor({ state: 'hidden' })
    await items
      .nth(1)
      .getByRole('button', { name: /^Speed up/ })
      .click()
    await items
      .nth(1)
      .getByLabel(/^Fee limit/)
      .fill('100')
    await visitor.armed()
    await page.getByRole('button', { name: 'Confirm speed-up' }).click()
    await items.nth(1).getByText('Final', { exact: true }).waitFor()
    const cancel = page.getByRole('button', { name: `Cancel transaction ${cancelled.id}` })
    await cancel.click()
    await visitor.armed()
    await page.getByRole('button', { name: 'Confirm cancellation' }).click()
    await items
      .nth(0)
      .getByText(/^Transaction cancelled in block/)
      .waitFor()
    expect((await client.waitForTransaction(cancelled.id, 'final')).state).toBe('cancelled')

    await client.transactions.setDefaults({ chain: 'ethereum', low_balance: 2n * FUNDS })
    await page.getByText('Low balance on ethereum.').waitFor()
    await items.nth(0).getByText('Details').click()
    await items.nth(0).getByText('Cancellation').waitFor()
    await settled(page)
    await judge(page, 'console-transactions', CONSOLE_BOUNDS)

    // The console has kept the key in this tab.
    await visitor.open(`/runs/${run_id}`)
    await inRun.getByText('Final', { exact: true }).waitFor()
    expect(await page.getByLabel('API key').count()).toBe(0)
  })
}
