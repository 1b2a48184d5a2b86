/**
 * Payment page. It is the only page that runs a third-party script, which belongs to the payment processor. The page
 * therefore contains nothing that the script could steal: no forms with CSRF tokens, no keys, and no access to our
 * other windows (docs/decisions/0062).
 */
import { processorSources } from '../../payment/processor-sources.ts'
import type { App } from '../../http/app-env.ts'
import { renderPage } from '../layout/render-page.tsx'

export function registerPayPage(app: App): void {
  app.get('/pay', (c) => {
    const processor = c.var.services.settings.PAYMENT_SCRIPT_URL
    return renderPage(
      c,
      {
        title: 'Payment',
        style: PAY_STYLE,
        alone: true,
        script: { name: 'pay', connect: [], thirdParty: processorSources(processor) },
        // Isolates the page from its opener and from windows that the page opens, even if they belong to this site.
        headers: { 'Cross-Origin-Opener-Policy': 'noopener-allow-popups' },
      },
      <>
        <p id="state" class="lead" role="status">
          Loading the payment from the console…
        </p>
        <noscript>
          <p class="warn">
            Payments require JavaScript. To pay without it, follow docs/credits.md, which uses curl.
          </p>
        </noscript>
        <p class="note">
          The payment processor’s script runs only on this page. It sees the amount and your payment
          details, but no key of your account. This service never sees your card.
        </p>
        <form id="payment" class="card" hidden>
          <p class="amount">
            <span class="note">Amount due</span> <strong id="amount" />
          </p>
          <div id="methods" />
          <p id="fault" class="error" role="alert" />
          <button id="pay">Pay</button>
        </form>
        <div id="processor" data-script={processor} hidden />
      </>,
    )
  })
}

/** Style that reserves space for the payment processor's elements before they are loaded. */
const PAY_STYLE = `
.amount { display: flex; align-items: baseline; justify-content: space-between; margin: 0 0 1rem; }
.amount strong { font-size: 1.5rem; font-variant-numeric: tabular-nums; }
#methods { min-height: 12rem; margin: 0 0 1rem; }
#fault:empty { display: none; }
#fault { margin: 0 0 1rem; }
`
