import { defineAction, type ScheduleParams } from '@svc-run/cli/action'
import { PAYEES } from './payees'

const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const erc20 = new ethers.utils.Interface(['function transfer(address to, uint256 amount)'])

/** Pays everyone once a month. */
export default defineAction(async ({ wallet }: ScheduleParams<{ wallet: string }>) => {
  // The month of the clock, because anyone with the usage key can pass another `scheduled_at`.
  const month = new Date().toISOString().slice(0, 7)
  const payments = []
  for (const { name, address, usdc } of PAYEES) {
    const amount = ethers.utils.parseUnits(usdc, 6)
    const { id, state } = await Svc.Actions.sendTransaction({
      pkpId: wallet,
      chain: 'base',
      to: USDC,
      data: erc20.encodeFunctionData('transfer', [address, amount]),
      // Another run in the same month gets the same transaction.
      idempotencyKey: `payout ${month} ${name}`,
    })
    payments.push({ name, usdc, id, state })
  }
  return { month, payments }
})
