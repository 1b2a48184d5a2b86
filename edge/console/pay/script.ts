/** Script of the `/pay` page. `edge/console/build.ts` builds `script.txt` from it. */
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
// Hides the channel name, and any parameters added by a bank, from the history and from the processor's script.
history.replaceState(null, '', PAY_PATH)
mayBeGivenUp()

if (!mayRunForeignScript(() => Object.keys(sessionStorage)))
  say(
    'Nothing is paid here: this tab keeps something of the console, which the processor’s script must not see. Open the payment page from the console.',
  )
else if (isBack)
  say('Your bank has answered. Close this tab, and press “I have paid” in the console.')
else
  pay().catch((failure: unknown) => {
    say(`Nothing was paid. ${failure instanceof Error ? failure.message : ''}`)
  })

async function pay(): Promise<void> {
  const atConsole = askConsole(name)
  const given = payable(await atConsole.handover)
  if (given === undefined)
    throw new Error('This page is opened by the console: begin a payment there.')
  const processor = await loadProcessor(byId('processor').dataset['script']!)
  const { clientSecret, publishableKey, amountCents } = given
  const client = processor(publishableKey)
  const theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'night' : 'stripe'
  const elements = client.elements({ clientSecret, appearance: { theme } })
  elements.create('payment').mount('#methods')
  byId('amount').textContent = dollars(amountCents)
  byId('payment').hidden = false
  say('Choose how to pay.')

  const button = byId('pay') as HTMLButtonElement
  byId('payment').addEventListener('submit', (event) => {
    event.preventDefault()
    button.disabled = true
    byId('fault').textContent = ''
    say('Paying…')
    const confirmParams = { return_url: new URL(PAY_PATH, location.origin).href }
    client.confirmPayment({ elements, confirmParams, redirect: 'if_required' }).then(
      ({ error, paymentIntent }) => {
        if (error) return refused(error.message ?? 'The processor refused it.')
        const isPaid = paymentIntent?.status === 'succeeded'
        byId('payment').hidden = true
        say(
          isPaid
            ? 'Paid. The console’s tab shows your new balance; this one can be closed.'
            : 'On its way. The console’s tab shows when it is credited; this one can be closed.',
        )
        atConsole.tell({ said: isPaid ? 'paid' : 'on its way' })
      },
      () => refused('The processor did not answer. Look in the console whether it was paid.'),
    )
  })
  const refused = (why: string) => {
    button.disabled = false
    say('Not paid.')
    byId('fault').textContent = why
  }
}
