/**
 * `GET /pay`: takes a payment with the processor's own script. It is the only page that runs a third-party script, so
 * it contains nothing for that script to steal: no form of the session, no key, and no access to our other windows
 * (docs/decisions/0062).
 */
import { processorSources } from '../../payment/processor-sources.ts'
import type { App } from '../app-env.ts'
import { page } from '../page.tsx'
import { scriptUrl } from '../page-script.ts'
import { PAY_STYLE } from './pay-style.ts'

export function registerPayPage(app: App): void {
  app.get('/pay', (c) => {
    const processor = c.var.services.settings.PAYMENT_SCRIPT_URL
    const script = scriptUrl(c, 'pay')
    return page(
      c,
      {
        title: 'Payment',
        style: PAY_STYLE,
        alone: true,
        script: { url: script, connect: [], foreign: processorSources(processor) },
        // Cuts this page off from its opener and from the windows that it opens, even those of this site.
        headers: { 'Cross-Origin-Opener-Policy': 'noopener-allow-popups' },
      },
      <>
        <p id="state" class="lead" role="status">
          Asking the console what is to be paid…
        </p>
        <noscript>
          <p class="warn">
            Payments are made by the processor’s script. Without it, docs/credits.md pays by curl.
          </p>
        </noscript>
        <p class="note">
          The payment processor’s script runs on this page, and on no other. It knows what is paid
          and by whom; it has no key of your account, and this service never sees your card.
        </p>
        <form id="payment" class="card" hidden>
          <p class="amount">
            <span class="note">To pay</span> <strong id="amount" />
          </p>
          <div id="methods" />
          <p id="fault" class="error" role="alert" />
          <button id="pay">Pay</button>
        </form>
        <div id="processor" data-script={processor} hidden />
        <script src={script} defer />
      </>,
    )
  })
}
