import { PAY_PATH } from '../console/credits/payment-channel.ts'
import { dollars } from '../dollars.ts'
import { mayBeGivenUp } from '../pages-left-behind.ts'
import { askConsole } from './ask-console.ts'
import { loadProcessor } from './processor.ts'
import { mayRunForeignScript } from './bare-tab.ts'
import { payable } from './payable.ts'

const byId = (id: string) => document.getElementById(id)!
const say = (text: string) => {
  byId('state').textContent = text
}

const name = location.hash.slice(1)
const isBack = new URLSearchParams(location.search).has('redirect_status')
// The processor's script and the browser history must not contain the channel name, or parameters that a bank may
// have added.
history.replaceState(null, '', PAY_PATH)
mayBeGivenUp()

if (!mayRunForeignScript(() => Object.keys(sessionStorage)))
  say(
    'Payments are disabled in this tab: it stores console data that the processor’s script must not access. Open the payment page from the console.',
  )
else if (isBack)
  say('Your bank has responded. Close this tab, and choose “I have paid” in the console.')
else
  pay().catch((failure: unknown) => {
    say(`Nothing was paid. ${failure instanceof Error ? failure.message : ''}`)
  })

async function pay(): Promise<void> {
  const atConsole = askConsole(name)
  const given = payable(await atConsole.handover)
  if (given === undefined)
    throw new Error('Start the payment in the console, which opens this page.')
  const processor = await loadProcessor(byId('processor').dataset['script']!)
  const { clientSecret, publishableKey, amountCents } = given
  const client = processor(publishableKey)
  const theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'night' : 'stripe'
  const elements = client.elements({ clientSecret, appearance: { theme } })
  elements.create('payment').mount('#methods')
  byId('amount').textContent = dollars(amountCents)
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
        atConsole.tell({ said: isPaid ? 'paid' : 'on its way' })
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
