import { PAY_PATH } from '../console/credits/payment-channel.ts'
import { formatUsd } from '../../../shared/usd.ts'
import { allowCacheEviction } from '../back-forward-cache.ts'
import { connectToConsole } from './console-channel.ts'
import { loadProcessor } from './processor.ts'
import { canRunThirdPartyScript } from './third-party-script.ts'
import { parsePayment } from './parse-payment.ts'

const byId = (id: string) => document.getElementById(id)!
const say = (text: string) => {
  byId('state').textContent = text
}

const name = location.hash.slice(1)
const isReturning = new URLSearchParams(location.search).has('redirect_status')
// Removes the channel name and any parameters that a bank may have added from the URL, so that neither the processor's
// script nor the browser history contains them.
history.replaceState(null, '', PAY_PATH)
allowCacheEviction()

if (!canRunThirdPartyScript(() => Object.keys(sessionStorage)))
  say(
    'Payments are disabled in this tab: it stores console data that the processor’s script must not access. Open the payment page from the console.',
  )
else if (isReturning)
  say('Your bank has responded. Close this tab, and choose “I have paid” in the console.')
else
  pay().catch((failure: unknown) => {
    say(`Nothing was paid. ${failure instanceof Error ? failure.message : ''}`)
  })

async function pay(): Promise<void> {
  const consoleChannel = connectToConsole(name)
  const payment = parsePayment(await consoleChannel.handover)
  if (payment === undefined)
    throw new Error('Start the payment in the console, which opens this page.')
  const processor = await loadProcessor(byId('processor').dataset['script']!)
  const { clientSecret, publishableKey, amountCents } = payment
  const client = processor(publishableKey)
  const theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'night' : 'stripe'
  const elements = client.elements({ clientSecret, appearance: { theme } })
  elements.create('payment').mount('#methods')
  byId('amount').textContent = formatUsd(amountCents)
  byId('payment').hidden = false
  say('Choose a payment method.')

  const button = byId('pay') as HTMLButtonElement
  byId('payment').addEventListener('submit', (event) => {
    event.preventDefault()
    button.disabled = true
    byId('fault').textContent = ''
    say('Processing payment…')
    const confirmParams = { return_url: new URL(PAY_PATH, location.origin).href }
    client.confirmPayment({ elements, confirmParams, redirect: 'if_required' }).then(
      ({ error, paymentIntent }) => {
        if (error) return refused(error.message ?? 'The processor declined the payment.')
        const isPaid = paymentIntent?.status === 'succeeded'
        byId('payment').hidden = true
        say(
          isPaid
            ? 'Paid. The console tab shows your new balance; you can close this one.'
            : 'Payment pending. The console tab shows when it is credited; you can close this one.',
        )
        consoleChannel.send({ said: isPaid ? 'paid' : 'on its way' })
      },
      () =>
        refused(
          'The processor did not respond. Check in the console whether the payment succeeded.',
        ),
    )
  })
  const refused = (why: string) => {
    button.disabled = false
    say('Not paid.')
    byId('fault').textContent = why
  }
}
