import { defineAction, type WebhookParams } from '@svc-run/cli/action'
import * as z from 'zod'
import { SELLERS } from './sellers'
import { requireStripe } from './stripe'

const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
/** The seller’s part of a payment, in percent. */
const SHARE = 95
/** The highest payment of a buyer, in cents. The policy limits the sum of a day. */
const PAYMENT_MAX = 100_000
const erc20 = new ethers.utils.Interface(['function transfer(address to, uint256 amount)'])

/** A payment that takes time, such as a bank transfer, is first reported as unpaid, and then succeeds. */
const PAID_EVENTS = ['checkout.session.completed', 'checkout.session.async_payment_succeeded']

const Event = z.object({ type: z.string(), data: z.object({ object: z.unknown() }) })
const Checkout = z.object({
  id: z.string().regex(/^cs_\w{1,200}$/),
  payment_status: z.string(),
  currency: z.literal('usd'),
  amount_total: z.int().positive().max(PAYMENT_MAX),
  metadata: z.object({ seller: z.enum(Object.keys(SELLERS) as (keyof typeof SELLERS)[]) }),
})

/** Pays the seller when Stripe reports that a buyer has paid. */
export default defineAction(
  async (params: WebhookParams<unknown, { wallet: string; secret: string }>) => {
    await requireStripe(params)
    // `event` is not signed: anyone with the usage key can pass another one.
    const { type, data } = Event.parse(JSON.parse(params.event_raw))
    if (!PAID_EVENTS.includes(type)) return { ignored: type }
    const { id: checkout, payment_status, amount_total, metadata } = Checkout.parse(data.object)
    if (payment_status !== 'paid') return { ignored: `the payment is ${payment_status}` }
    // A cent is 10,000 units of USDC, and a percent of it 100.
    const amount = amount_total * SHARE * 100
    const { id, state } = await Svc.Actions.sendTransaction({
      pkpId: params.wallet,
      chain: 'base',
      to: USDC,
      data: erc20.encodeFunctionData('transfer', [SELLERS[metadata.seller], amount]),
      // Stripe sends an event again until it is accepted.
      idempotencyKey: checkout,
    })
    return {
      checkout,
      seller: metadata.seller,
      usdc: ethers.utils.formatUnits(amount, 6),
      id,
      state,
    }
  },
)
