import { defineAction } from '@svc-run/cli/action'

type Params = { wallet: string; to: string; usdc: string; invoice: string }

const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
/** The highest amount of one payment, in USDC. The policy limits the sum of a day. */
const PAYMENT_MAX = '50'
const erc20 = new ethers.utils.Interface(['function transfer(address to, uint256 amount)'])

/** Pays an invoice. An agent that repeats a request pays only once. */
export default defineAction(async ({ wallet, to, usdc, invoice }: Params) => {
  const amount = ethers.utils.parseUnits(usdc, 6)
  if (amount.lte(0) || amount.gt(ethers.utils.parseUnits(PAYMENT_MAX, 6)))
    throw new Error(`expected an amount of at most ${PAYMENT_MAX} USDC`)
  if (!/^[\w-]{1,64}$/.test(invoice))
    throw new Error('expected an invoice number: letters, digits, _ and -')
  const { id, state } = await Svc.Actions.sendTransaction({
    pkpId: wallet,
    chain: 'base',
    to: USDC,
    data: erc20.encodeFunctionData('transfer', [ethers.utils.getAddress(to), amount]),
    idempotencyKey: `invoice ${invoice}`,
  })
  return { id, state }
})
